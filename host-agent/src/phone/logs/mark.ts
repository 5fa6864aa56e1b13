/** Empties the phone's log when the phone gets its device, so that older lines are not shown. */
import { randomBytes } from 'node:crypto'
import type { Logger, Progress } from '@phonerack/shared'
import { command } from '../../adb/quote.js'
import type { Transport } from '../../adb/transport.js'
import { outputOf } from '../../adb/device/run.js'

/** Tag of the agent's lines in the log. */
export const logTag = 'phonerack'

/** Lines with this prefix are written before a wipe, and must be gone after the wipe. */
export const wipeMark = 'wipe-'

/**
 * Empties all buffers, then writes a line. Returns the line's text: only later lines belong to the phone. Empty when
 * the buffers are empty and the line could not be written. Null when neither step worked, so the log cannot be shown.
 */
export async function beginLog(
  transport: Transport,
  log: Logger,
  progress: Progress,
): Promise<string | null> {
  const mark = `begin-${randomBytes(8).toString('hex')}`
  const cleared = await transport.shell(command('logcat', '-b', 'all', '-c'), progress)
  if (cleared.exitCode !== 0)
    log.warn(
      { output: outputOf(cleared).slice(0, 300) },
      "the phone's log could not be emptied; a mark hides the earlier lines",
    )
  const marked = await transport.shell(command('log', '-t', logTag, mark), progress)
  if (marked.exitCode === 0) return mark
  return cleared.exitCode === 0 ? '' : null
}
