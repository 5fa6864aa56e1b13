/** Runs actions of one command on a phone, and prints the result. */
import { ActionError, type Action, type ActResult, type Phone } from '@phonerack/sdk'
import type { Run } from './app.js'
import { plain, plainLines } from '@phonerack/shared/plain'

/**
 * With `--json`, the error of a failed action is thrown after the answer is printed.
 * @param isObserved print the screen afterwards
 * @param label shown while the actions run; null: nothing is shown
 */
export async function act(
  run: Run,
  phone: Phone,
  actions: readonly Action[],
  isObserved = false,
  label: string | null = null,
): Promise<ActResult> {
  const send = () => phone.act(actions, { ...run.call, observe: isObserved ? 'ui' : 'none' })
  let result: ActResult
  try {
    result = await (label === null ? send() : run.out.during(label, send))
  } catch (error) {
    if (run.out.json && error instanceof ActionError) await run.out.answer(error.raw, '')
    throw error
  }
  const screen = result.observation
  if (screen) (await run.session()).lastSnapshot = screen.snapshotId
  const lines = result.results.map((each) => resultLine(each))
  await run.out.answer(result.raw, [...lines, ...(screen ? [plainLines(screen.text)] : [])].join('\n'))
  if (screen) await run.out.note(snapshotLine(run, screen.snapshotId))
  return result
}

export const snapshotLine = (run: Run, id: string): string => run.out.paintErr('dim', `snapshot ${plain(id)}`)

/** Such as `tap ok at 540,1200 [3] (612 ms)`. */
export function resultLine(result: ActResult['results'][number]): string {
  const { type, ok, ms, resolved, moved, at_end: atEnd, app, changed, repeated } = result
  const parts = [plain(type), ok ? 'ok' : 'failed']
  if (resolved) {
    parts.push(`at ${resolved.center.join(',')}`)
    if (resolved.ref !== undefined) parts.push(`[${resolved.ref}]`)
    if (resolved.covered) parts.push('- covered by another element')
    if (resolved.disabled) parts.push('- the element is disabled')
  }
  if (moved === false) parts.push('- the content did not move')
  if (atEnd === true) parts.push('- at the end')
  if (changed === false) parts.push('- nothing was drawn')
  if (repeated !== undefined) parts.push(`- the same ${repeated} times`)
  if (app) parts.push(`- in front: ${plain(app.package)}`)
  return `${parts.join(' ')} (${ms} ms)`
}
