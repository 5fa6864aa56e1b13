/** The reason that a recovery step is stored with. Pure. Used by `rescue.ts`. */

/** Characters. */
export const reasonLength = 200
/** Processes that a reason names, the newest ones. A failed step needs the room for its error. */
const mostPids = { done: 8, failed: 3 }

/**
 * @param error of a step that failed; null: it is done. The whole error is in the log.
 * @param adbServers process ids of other adb servers on this machine
 */
export function stepReason(reason: string, error: string | null, adbServers: readonly number[]): string {
  const hint = hintOf(adbServers, error === null ? mostPids.done : mostPids.failed)
  const text = error === null ? reason : `${reason}; ${error}`
  return `${text.slice(0, reasonLength - hint.length)}${hint}`
}

function hintOf(pids: readonly number[], most: number): string {
  if (pids.length === 0) return ''
  const newest = pids.toSorted((a, b) => b - a).slice(0, most)
  return `; other adb servers run on this machine (process ${newest.join(', ')}), see \`doctor\``
}
