/** What the examples of an operation are. */

export interface Example {
  summary: string
  value: unknown
}
/** By a name of their own, as OpenAPI's Media Type Object has them. */
export type Examples = Record<string, Example>

export interface OperationExamples {
  /** Of JSON bodies. */
  body?: Examples
  /** Of JSON answers, by status. */
  answers?: Record<number, Examples>
  /** Of an answer as plain text. */
  text?: Examples
}

/** The only example of its place. */
export const one = (name: string, summary: string, value: unknown): Examples => ({
  [name]: { summary, value },
})
