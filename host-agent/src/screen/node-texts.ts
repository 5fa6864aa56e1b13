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

/**
 * Visits the nodes last to first, so that descendants come before their ancestors. Takes time in proportion to the nodes and
 * their texts, also for a deep tree with equal texts.
 */
export function findNodeTexts(
  nodes: readonly UiNode[],
  visible: readonly (VisibleNode | null)[],
  absorbedBy: readonly number[],
): NodeTexts {
  const texts = new Map<number, string>()
  const repeatedBy = new Map<number, number>()
  const absorbed = new Map<number, Part[]>()
  const lastInside = findLastInside(nodes)
  /** For each text: the visited nodes that show the text, last to first. */
  const shownBy = new Map<string, number[]>()

  const show = (index: number, text: string): void => {
    if (!hasVisibleText(text)) return
    const list = shownBy.get(text)
    if (list) list.push(index)
    else shownBy.set(text, [index])
  }
  /** Returns the last descendant that shows the text; -1 when there is none. */
  const repeaterOf = (index: number, text: string): number => {
    const list = hasVisibleText(text) ? (shownBy.get(text) ?? []) : []
    const last = lastInside[index] ?? index
    let [low, high] = [0, list.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((list[middle] ?? 0) > last) low = middle + 1
      else high = middle
    }
    return list[low] ?? -1
  }

  for (const node of visible.toReversed()) {
    if (!node) continue
    const { index } = node
    const inText = repeaterOf(index, node.text)
    const inDesc = repeaterOf(index, node.desc)
    if (inText >= 0 || inDesc >= 0) repeatedBy.set(index, Math.max(inText, inDesc))
    const newText = inText < 0 && hasVisibleText(node.text)
    const newDesc = inDesc < 0 && hasVisibleText(node.desc)
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
    show(index, text)
    if (node.desc !== text) show(index, node.desc)
  }
  return { texts, repeatedBy }
}

/** Returns for each node its last descendant, or the node itself. Descendants follow their ancestor without a gap. */
function findLastInside(nodes: readonly UiNode[]): number[] {
  const last = nodes.map(({ index }) => index)
  for (const { index, parent } of nodes.toReversed())
    if (parent >= 0) last[parent] = Math.max(last[parent] ?? parent, last[index] ?? index)
  return last
}
