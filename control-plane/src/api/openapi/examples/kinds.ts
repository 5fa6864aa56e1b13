/** The types of an operation's examples. */

interface Example {
  summary: string
  value: unknown
}
/** By name, as in OpenAPI's Media Type Object. */
type Examples = Record<string, Example>

export interface OperationExamples {
  /** For JSON request bodies. */
  body?: Examples
  /** For JSON responses, by status. */
  answers?: Record<number, Examples>
  /** For a plain-text response, or a stream of events. */
  text?: Examples
  /** For other media types of a response. */
  media?: Readonly<Record<string, Examples>>
}

/** A single example. */
export const one = (name: string, summary: string, value: unknown): Examples => ({
  [name]: { summary, value },
})
