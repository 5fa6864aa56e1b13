/** Elements that a client may have meant: candidates for a target that was not found. Pure. */
import { folded } from '@phonerack/shared'
import type { ScreenElement } from '../screen/elements.js'

/** Longer texts are compared by their first characters. */
const maxCompared = 120
/** Below this similarity, two texts are unrelated. */
const minSimilarity = 0.3

/** Up to `count` elements whose text, description or id resembles `words`, the most similar first. */
export function mostSimilar(
  words: string,
  elements: readonly ScreenElement[],
  count: number,
): ScreenElement[] {
  const wanted = pairsOf(words)
  return elements
    .map((element) => ({ element, score: scoreOf(element, wanted) }))
    .filter(({ score }) => score >= minSimilarity)
    .sort((a, b) => b.score - a.score)
    .slice(0, count)
    .map(({ element }) => element)
}

function scoreOf(element: ScreenElement, wanted: ReadonlySet<string>): number {
  const id = element.id?.split(':id/').at(-1) ?? ''
  const words = [element.text ?? '', element.desc ?? '', id].filter((text) => text !== '')
  return Math.max(0, ...words.map((text) => similarity(wanted, pairsOf(text))))
}

/** Bigrams; a single character is its own entry. */
function pairsOf(text: string): Set<string> {
  const words = folded(text.slice(0, maxCompared))
  if (words.length === 1) return new Set([words])
  const pairs = new Set<string>()
  for (let at = 0; at + 2 <= words.length; at += 1) pairs.add(words.slice(at, at + 2))
  return pairs
}

/** Sørensen–Dice coefficient: twice the shared entries divided by the sum of both sizes. */
function similarity(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 || b.size === 0) return 0
  let both = 0
  for (const pair of a) if (b.has(pair)) both += 1
  return (2 * both) / (a.size + b.size)
}
