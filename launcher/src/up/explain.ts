/** What is printed when `up` fails: the reason, and the end of the log of the part that failed. */
import { StartFailed } from '../processes/child.js'
import { plain } from '@phonerack/shared'

export function explain(error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error)
  const lines = ['', `up: ${reason}`]
  if (error instanceof StartFailed && error.tail.length > 0) {
    lines.push('', `The last lines of ${error.program}:`, ...error.tail.map((line) => `  ${plain(line)}`))
  }
  return lines.join('\n') + '\n'
}
