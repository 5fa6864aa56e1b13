/**
 * Finds nodes with their own words, and the words that a button takes from its
 * descendants. Used by `buildTree`. Pure.
 */
import { canBeActedOn } from './kinds.js'
import type { UiNode } from './nodes.js'
import type { VisibleNode } from './visible.js'
import { hasWords } from './words.js'

export interface Speakers {
  /**
   * Text of the nodes that can be acted on or have words that no descendant has; for a
   * button, including what it absorbed.
   */
  said: Map<number, string>
  /** For each unlisted node: the descendant that repeats its words. */
  repeatedBy: Map<number, number>
}

interface Part {
  words: string
  /** It is a description, not a text. */
  described: boolean
}

/** From the last part to the first. An icon whose description equals the adjacent text adds nothing. */
function joinParts(parts: readonly Part[] | undefined): string | undefined {
  if (!parts) return undefined
  const texts = new Set(parts.filter(({ described }) => !described).map(({ words }) => words))
  const kept = parts.filter(({ words, described }) => !described || !texts.has(words))
  return kept
    .map(({ words }) => words)
    .reverse()
    .join(', ')
}

/** From the last node to the first, so that descendants are known before their ancestors. */
export function findSpeakers(
  nodes: readonly UiNode[],
  visible: readonly (VisibleNode | null)[],
  swallowedBy: readonly number[],
): Speakers {
  const said = new Map<number, string>()
  const repeatedBy = new Map<number, number>()
  const textRepeated = new Set<number>()
  const descRepeated = new Set<number>()
  const swallowed = new Map<number, Part[]>()

  const wordsAround = findWordsAround(nodes, visible)

  const markAround = (index: number, text: string, desc: string): void => {
    for (let up = wordsAround[index] ?? -1; up >= 0; up = wordsAround[up] ?? -1) {
      const around = visible[up]
      if (!around) continue
      const says = (words: string): boolean => hasWords(words) && (words === text || words === desc)
      const inText = says(around.text)
      const inDesc = says(around.desc)
      if (inText) textRepeated.add(up)
      if (inDesc) descRepeated.add(up)
      if ((inText || inDesc) && !repeatedBy.has(up)) repeatedBy.set(up, index)
    }
  }

  for (const node of visible.toReversed()) {
    if (!node) continue
    const { index } = node
    const newText = hasWords(node.text) && !textRepeated.has(index)
    const newDesc = hasWords(node.desc) && !descRepeated.has(index)
    if (!newText && !newDesc && !canBeActedOn(node)) continue
    const text = joinParts(swallowed.get(index)) ?? node.text
    said.set(index, text)
    const swallower = swallowedBy[index] ?? -1
    if (swallower >= 0) {
      const list = swallowed.get(swallower)
      // A description that differs from the text is added after it.
      const parts = [
        ...(newDesc ? [{ words: node.desc, described: true }] : []),
        ...(newText ? [{ words: node.text, described: false }] : []),
      ]
      if (list) list.push(...parts)
      else if (parts.length > 0) swallowed.set(swallower, parts)
    }
    if (hasWords(text) || hasWords(node.desc)) markAround(index, text, node.desc)
  }
  return { said, repeatedBy }
}

/** For each node: its nearest ancestor that is on the screen and has words; -1: none. */
function findWordsAround(nodes: readonly UiNode[], visible: readonly (VisibleNode | null)[]): number[] {
  const result: number[] = []
  for (const { parent } of nodes) {
    const around = visible[parent]
    const speaks = around && (hasWords(around.text) || hasWords(around.desc))
    result.push(speaks ? parent : (result[parent] ?? -1))
  }
  return result
}
