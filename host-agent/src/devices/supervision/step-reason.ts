/** Builds the reason that is stored with a recovery step. Pure. Used by `rescue.ts`. */

/** The largest number of characters of a reason. */
export const reasonLength = 200
/** The number of processes that a reason names, newest first. A failed step needs space for its error. */
const mostPids = { done: 8, failed: 3 }

/**
 * @param error of a step that failed; null when the step succeeded. The log has the whole error.
 * @param adbServers process IDs of other adb servers on this machine
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
