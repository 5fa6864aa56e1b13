/** Finds the known word that was probably meant. Pure. */

/** Returns the most similar word; null if more than a third of the letters differ. */
export function nearest(word: string, known: readonly string[]): string | null {
  const [best] = known
    .map((each) => ({ each, distance: distance(word, each) }))
    .sort((a, b) => a.distance - b.distance)
  if (!best || best.distance > Math.max(2, Math.ceil(best.each.length / 3))) return null
  return best.each
}

/** Returns the Levenshtein distance: insertions, deletions and replacements. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at)
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= to.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1)
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, replaced))
    }
    row = next
  }
  return row[to.length] ?? 0
}
