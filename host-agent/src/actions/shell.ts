/** The action `shell`. docs/decisions/0320 */
import { limits, type Action, type ActionOf, type ShellResult } from '@phonerack/shared'
import type { ActionContext } from './context.js'

/**
 * Milliseconds in addition to the timeout of the command, for starting and ending the command and for checking the
 * phone afterwards.
 */
const aroundMs = 30_000

export const usesShell = (actions: readonly Action[]): boolean => actions.some(({ type }) => type === 'shell')

/** A command may open a screen. */
export async function runShell(action: ActionOf<'shell'>, context: ActionContext): Promise<ShellResult> {
  const { command, stdin = '', timeout_ms: timeoutMs } = action
  const request = { command, stdin, timeoutMs, outputLimit: limits.shell.batchOutput - context.shellOutput }
  const result = await context.write((progress) => context.device.shell.run(request, progress), {
    limitMs: timeoutMs + aroundMs,
    kind: 'navigation',
    part: 'shell',
  })
  context.device.power.forget()
  context.shellOutput += Buffer.byteLength(JSON.stringify([result.stdout, result.stderr]))
  return result
}
