export interface Row {
  sentence: string
  /** Null: not tested, and `test` gives the reason. */
  file: string | null
  test: string
}

export interface Outcome {
  title: string
  passed: boolean
}

export function rowsOf(page: string): Row[]
export function lineOf(row: Row): string
export function titlesOf(source: string): string[]
export function prove(
  rows: Row[],
  reported: Map<string, Outcome[]>,
): { sentences: number; proven: number; untested: number; unproven: (Row & { reason: string })[] }
