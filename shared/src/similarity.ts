/** How similar two texts are to a reader, for suggestions. Pure. Used for elements, apps, keys and fields. */
import { folded } from './folded.js'

/** Longer texts are compared by their first characters. */
const maxCompared = 120

/** Bigrams; a single character is its own entry. */
function pairsOf(text: string): Set<string> {
  const words = folded(text.slice(0, maxCompared))
  if (words.length === 1) return new Set([words])
  const pairs = new Set<string>()
  for (let at = 0; at + 2 <= words.length; at += 1) pairs.add(words.slice(at, at + 2))
  return pairs
}

const lettersOf = (text: string): string => folded(text).replaceAll(/[^\p{L}\p{N}]/gu, '')

/** A text whose letters are in the other one, such as `wifi` in `Wi-Fi, connected`, is at least this similar to it. */
const contained = 0.6

export function similarity(one: string, other: string): number {
  const sought = lettersOf(one)
  const isIn = sought.length > 2 && lettersOf(other.slice(0, maxCompared)).includes(sought)
  return isIn ? contained + (1 - contained) * dice(one, other) : dice(one, other)
}

/** Sørensen–Dice coefficient: twice the shared entries divided by the sum of both sizes. */
function dice(one: string, other: string): number {
  const [a, b] = [pairsOf(one), pairsOf(other)]
  if (a.size === 0 || b.size === 0) return 0
  let both = 0
  for (const pair of a) if (b.has(pair)) both += 1
  return (2 * both) / (a.size + b.size)
}

/** Up to `count` values whose names resemble `words`, the most similar first. `least`: below it, two texts are unrelated. */
export function mostSimilar<T>(
  words: string,
  values: readonly T[],
  namesOf: (value: T) => readonly string[],
  { count, least = 0.3 }: { count: number; least?: number },
): T[] {
  return values
    .map((value) => ({ value, score: Math.max(0, ...namesOf(value).map((name) => similarity(words, name))) }))
    .filter(({ score }) => score >= least)
    .sort((a, b) => b.score - a.score)
    .slice(0, count)
    .map(({ value }) => value)
}
