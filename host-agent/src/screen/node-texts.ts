/**
 * Finds the nodes that have their own text, and the texts that a button takes from its
 * descendants. Used by `buildTree`. Pure.
 */
import { canBeActedOn } from './kinds.js'
import type { UiNode } from './nodes.js'
import type { VisibleNode } from './visible.js'
import { hasVisibleText } from './visible-text.js'

export interface NodeTexts {
  /**
   * By node index: the text of each node that can be acted on, or whose text no
   * descendant repeats. A button's text includes the texts that it absorbed.
   */
  texts: Map<number, string>
  /** For each unlisted node: the descendant that repeats its text. */
  repeatedBy: Map<number, number>
}

interface Part {
  words: string
  /** Whether the text is a description. */
  described: boolean
}

/** Parts come last to first. Omits an icon's description that equals a text. */
function joinParts(parts: readonly Part[] | undefined): string | undefined {
  if (!parts) return undefined
  const texts = new Set(parts.filter(({ described }) => !described).map(({ words }) => words))
  const kept = parts.filter(({ words, described }) => !described || !texts.has(words))
  return kept
    .map(({ words }) => words)
    .reverse()
    .join(', ')
}

/** Visits the nodes last to first, so that descendants come before their ancestors. */
export function findNodeTexts(
  nodes: readonly UiNode[],
  visible: readonly (VisibleNode | null)[],
  absorbedBy: readonly number[],
): NodeTexts {
  const texts = new Map<number, string>()
  const repeatedBy = new Map<number, number>()
  const textRepeated = new Set<number>()
  const descRepeated = new Set<number>()
  const absorbed = new Map<number, Part[]>()

  const textsAround = findTextsAround(nodes, visible)

  const markRepeated = (index: number, text: string, desc: string): void => {
    for (let up = textsAround[index] ?? -1; up >= 0; up = textsAround[up] ?? -1) {
      const around = visible[up]
      if (!around) continue
      const repeats = (words: string): boolean => hasVisibleText(words) && (words === text || words === desc)
      const inText = repeats(around.text)
      const inDesc = repeats(around.desc)
      if (inText) textRepeated.add(up)
      if (inDesc) descRepeated.add(up)
      if ((inText || inDesc) && !repeatedBy.has(up)) repeatedBy.set(up, index)
    }
  }

  for (const node of visible.toReversed()) {
    if (!node) continue
    const { index } = node
    const newText = hasVisibleText(node.text) && !textRepeated.has(index)
    const newDesc = hasVisibleText(node.desc) && !descRepeated.has(index)
    if (!newText && !newDesc && !canBeActedOn(node)) continue
    const text = joinParts(absorbed.get(index)) ?? node.text
    texts.set(index, text)
    const absorber = absorbedBy[index] ?? -1
    if (absorber >= 0) {
      const list = absorbed.get(absorber)
      // A description that differs from the text is added after it.
      const parts = [
        ...(newDesc ? [{ words: node.desc, described: true }] : []),
        ...(newText ? [{ words: node.text, described: false }] : []),
      ]
      if (list) list.push(...parts)
      else if (parts.length > 0) absorbed.set(absorber, parts)
    }
    if (hasVisibleText(text) || hasVisibleText(node.desc)) markRepeated(index, text, node.desc)
  }
  return { texts, repeatedBy }
}

/** Returns for each node its nearest ancestor that is on the screen and has a text; -1 when there is none. */
function findTextsAround(nodes: readonly UiNode[], visible: readonly (VisibleNode | null)[]): number[] {
  const result: number[] = []
  for (const { parent } of nodes) {
    const around = visible[parent]
    const hasText = around && (hasVisibleText(around.text) || hasVisibleText(around.desc))
    result.push(hasText ? parent : (result[parent] ?? -1))
  }
  return result
}
