// How many hits each file may still have: `scripts/prose-allowance.txt`, one `COUNT PATH` per line.
// Counts only go down. The file has a union merge, so a path can be in it twice: the lower count is valid.
import path from 'node:path'

/** @returns {Map<string, number>} */
export function parseAllowance(text) {
  const allowed = new Map()
  for (const line of text.split('\n')) {
    const match = /^(\d+) (.+)$/.exec(line)
    if (!match) continue
    const count = Number(match[1])
    allowed.set(match[2], Math.min(count, allowed.get(match[2]) ?? count))
  }
  return allowed
}

export const formatAllowance = (allowed) =>
  [...allowed]
    .filter(([, count]) => count > 0)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([file, count]) => `${count} ${file}\n`)
    .join('')

/** The files with more hits than they may have. */
export const overAllowance = (allowed, counts) =>
  [...counts].filter(([file, count]) => count > (allowed.get(file) ?? 0)).map(([file]) => file)

/**
 * The allowance after a clean-up: no count is raised. A file that was moved keeps what it had:
 * an unlisted file takes the entry of a missing one with the same name.
 */
export function lowered(allowed, counts) {
  const next = new Map()
  const missing = new Map([...allowed].filter(([file]) => !counts.has(file)))
  for (const [file, count] of counts) {
    let most = allowed.get(file) ?? 0
    if (!allowed.has(file) && count > 0) {
      const source = [...missing.keys()].find((old) => path.basename(old) === path.basename(file))
      most = missing.get(source) ?? 0
      missing.delete(source)
    }
    next.set(file, Math.min(count, most))
  }
  return next
}
