/** Types of `index.mjs`, for tests in TypeScript. */
export interface Rule {
  name: string
  pattern: RegExp
  /** A sentence that breaks the rule. */
  example: string
  /** The same sentence in plain English. */
  better: string
}

export const rules: Rule[]

export interface Hit {
  line: number
  column: number
  rule: string
  better: string
  text: string
}

export function hitsIn(path: string, source: string): Hit[]
