export interface Sentence {
  number: string
  sentence: string
  /** The reason why the sentence has no test. */
  untested: string | null
}

export interface NumberedTest {
  number: string
  file: string
  title: string
}

export function readPage(): string
export function numbersOf(title: string): string[]
export function withoutNumbers(title: string): string
export function sentencesOf(page: string): Sentence[]
export function titlesOf(source: string): string[]
export function numberedTests(): NumberedTest[]
export function differences(sentences: Sentence[], tests: NumberedTest[]): string[]
export function prove(
  sentences: Sentence[],
  tests: NumberedTest[],
  titles: { title: string; passed: boolean }[],
): { proven: string[]; unproven: (Sentence & { reason: string })[] }
