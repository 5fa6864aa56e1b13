/**
 * The similarity of two texts to a reader, for suggestions. Pure. Used for elements, apps, keys and fields.
 */
import { folded } from './folded.js'

/** Longer texts are compared by their first characters. */
const maxCompared = 120

interface Compared {
  letters: string
  /** Bigrams. A single character is one entry. */
  pairs: Set<string>
}

function compared(text: string): Compared {
  const words = folded(text.slice(0, maxCompared))
  const pairs = new Set(words.length === 1 ? [words] : [])
  for (let at = 0; at + 2 <= words.length; at += 1) pairs.add(words.slice(at, at + 2))
  return { letters: words.replaceAll(/[^\p{L}\p{N}]/gu, ''), pairs }
}

/** The least similarity of a text whose letters the other text contains, such as `wifi` in `Wi-Fi, connected`. */
const contained = 0.6

function similarityOf(sought: Compared, other: Compared): number {
  const isIn = sought.letters.length > 2 && other.letters.includes(sought.letters)
  const shared = dice(sought.pairs, other.pairs)
  return isIn ? contained + (1 - contained) * shared : shared
}

/** Sørensen–Dice coefficient: twice the shared entries divided by the sum of both sizes. */
function dice(a: Set<string>, b: Set<string>): number {
  if (a.size === 0 || b.size === 0) return 0
  let both = 0
  for (const pair of a) if (b.has(pair)) both += 1
  return (2 * both) / (a.size + b.size)
}

/**
 * Up to `count` values whose names resemble `words`, the most similar first. Two texts with a similarity
 * below `least` are unrelated.
 */
export function mostSimilar<T>(
  words: string,
  values: readonly T[],
  namesOf: (value: T) => readonly string[],
  { count, least = 0.3 }: { count: number; least?: number },
): T[] {
  const sought = compared(words)
  const scoreOf = (name: string): number => similarityOf(sought, compared(name))
  return values
    .map((value) => ({ value, score: Math.max(0, ...namesOf(value).map(scoreOf)) }))
    .filter(({ score }) => score >= least)
    .sort((a, b) => b.score - a.score)
    .slice(0, count)
    .map(({ value }) => value)
}
