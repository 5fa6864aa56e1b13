/** Of `rowsOf`, for tests in TypeScript. */
export interface Row {
  sentence: string
  /** Null: not tested, and `test` says why. */
  file: string | null
  test: string
}

export function rowsOf(document: string): Row[]
