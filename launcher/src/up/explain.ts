/** The text that `up` prints when it fails: the reason, and the last log lines of the failed part. */
import { StartFailed } from '../processes/child.js'
import { plain } from '@phonerack/shared'

export function explain(error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error)
  const lines = ['', `up: ${reason}`]
  if (error instanceof StartFailed && error.tail.length > 0) {
    lines.push(
      '',
      `The last lines of ${error.program}:`,
      ...error.tail.map((line) => `  ${plain(shorten(line))}`),
    )
  }
  return lines.join('\n') + '\n'
}

/** Our own programs log JSON lines; a person needs the message and the error. */
function shorten(line: string): string {
  if (!line.startsWith('{')) return line
  let entry: unknown
  try {
    entry = JSON.parse(line)
  } catch (error) {
    if (error instanceof SyntaxError) return line
    throw error
  }
  if (typeof entry !== 'object' || entry === null || !('msg' in entry)) return line
  const cause = 'err' in entry && typeof entry.err === 'object' && entry.err !== null ? entry.err : {}
  return [entry.msg, 'message' in cause ? cause.message : undefined].filter(Boolean).join(': ')
}
