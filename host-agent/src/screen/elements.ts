/**
 * From a phone's nodes to the numbered elements that a client sees: what is
 * kept, what a button swallows, where it is, in which order. Pure.
 * Rules: `decisions.md`, Elements; docs/decisions/0020.
 */
import type { ElementState } from '@phonerack/shared'
import type { Size } from '../device/device.js'
import { hideBehindDialog, type Front } from './behind-dialog.js'
import { hideCovered } from './covered.js'
import { centerOf, type Bounds } from './geometry.js'
import type { ParsedNodes, UiNode } from './nodes.js'
import { clip, type VisibleNode } from './visible.js'
import { hasWords } from './words.js'

export type { VisibleNode }

export interface ScreenElement {
  /** From 1, in screen order. */
  ref: number
  node: VisibleNode
  type: string
  className: string
  /** Own text, or what its children say; whole, not cut. Null: none. */
  text: string | null
  desc: string | null
  id: string | null
  bounds: Bounds
  center: { x: number; y: number }
  state: ElementState[]
}

export interface ScreenTree {
  screen: Size
  /** As the phone gave them, in document order. */
  nodes: readonly UiNode[]
  /** Every node, at its index; null where it is not on the screen. */
  visible: readonly (VisibleNode | null)[]
  /** Every kept element, in screen order, also beyond what an observation lists. */
  elements: readonly ScreenElement[]
  /** For each node's index: the element that says it or swallowed it; null when it belongs to none. */
  elementOf: readonly (ScreenElement | null)[]
  /** Several roots are windows, the front one first. */
  frontFirst: boolean
  /** Nodes were left out when the XML was read. */
  cut: boolean
}

/** Views that hold many things: never one button, even though Android calls a ListView clickable. */
const containerClass = /(?:WebView|ListView|GridView|RecyclerView|ScrollView|ViewPager2?)$/
const isContainer = (node: UiNode): boolean => node.scrollable || containerClass.test(node.className)

/** A person would press it as one thing: neither a list nor what takes most of the screen. */
export const isButton = (node: VisibleNode): boolean => node.clickable && !node.page && !isContainer(node)

export const canBeActedOn = (node: UiNode): boolean =>
  node.clickable ||
  node.longClickable ||
  node.checkable ||
  node.scrollable ||
  (node.editable && node.focusable)

/** `front`: what the phone says beside the tree; left out: nothing. */
export function buildTree(parsed: ParsedNodes, screen: Size, front: Front | null = null): ScreenTree {
  const { nodes, frontFirst, cut } = parsed
  const uncovered = hideBehindDialog(parsed, clip(nodes, screen), front, canBeActedOn)
  const visible = hideCovered(parsed, uncovered, canBeActedOn)
  const swallowedBy = findSwallowers(nodes, visible)
  const { said, repeatedBy } = findSpeakers(nodes, visible, swallowedBy)

  const elements: ScreenElement[] = []
  const elementOf = new Array<ScreenElement | null>(nodes.length).fill(null)
  for (const node of visible) {
    if (!node) continue
    const text = said.get(node.index)
    const kept = canBeActedOn(node) || (text !== undefined && swallowedBy[node.index] === -1)
    if (!kept) continue
    const element = toElement(node, text ?? node.text)
    elements.push(element)
    elementOf[node.index] = element
  }
  inScreenOrder(elements).forEach((element, index) => {
    element.ref = index + 1
  })
  for (const node of visible) {
    if (!node || elementOf[node.index]) continue
    elementOf[node.index] = ownerOf(node.index, elementOf, swallowedBy, repeatedBy)
  }
  return { screen, nodes, visible, elements, elementOf, frontFirst, cut }
}

/** Top to bottom, then left to right, by centre; where they are equal, as in the tree. Sorts in place. */
export function inScreenOrder<T extends { center: { x: number; y: number } }>(places: T[]): T[] {
  return places.sort((a, b) => a.center.y - b.center.y || a.center.x - b.center.x)
}

/** For each node: the button without text around it that says it; -1: none. */
function findSwallowers(nodes: readonly UiNode[], visible: readonly (VisibleNode | null)[]): number[] {
  const result: number[] = []
  // For each node: the swallower of its children. What is not on the screen stands in nobody's way.
  const inside: number[] = []
  for (const node of nodes) {
    const around = inside[node.parent] ?? -1
    const shown = visible[node.index]
    const acts = shown !== null && shown !== undefined && canBeActedOn(node)
    const swallows =
      shown && acts && isButton(shown) && !hasWords(node.text) && !node.editable && !node.password
    result.push(acts ? -1 : around)
    // A list that fits need not scroll, and holds many things all the same.
    inside.push(swallows ? node.index : acts || (shown && isContainer(node)) ? -1 : around)
  }
  return result
}

interface Speakers {
  /** Text of the nodes that can be acted on or say something that no descendant says; of a button, what it swallowed. */
  said: Map<number, string>
  /** For each silent node: the descendant that repeats it. */
  repeatedBy: Map<number, number>
}

interface Part {
  words: string
  /** It is a description, not a text. */
  described: boolean
}

/** From the last part to the first. An icon that is described by the text beside it says nothing more. */
function joinParts(parts: readonly Part[] | undefined): string | undefined {
  if (!parts) return undefined
  const texts = new Set(parts.filter(({ described }) => !described).map(({ words }) => words))
  const kept = parts.filter(({ words, described }) => !described || !texts.has(words))
  return kept
    .map(({ words }) => words)
    .reverse()
    .join(', ')
}

/** From the last node to the first, so that what is inside is known before what is around it. */
function findSpeakers(
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
      const part = { words: newText ? node.text : node.desc, described: !newText }
      if (list) list.push(part)
      else swallowed.set(swallower, [part])
    }
    if (hasWords(text) || hasWords(node.desc)) markAround(index, text, node.desc)
  }
  return { said, repeatedBy }
}

/** For each node: the nearest around it that is on the screen and has words; -1: none. */
function findWordsAround(nodes: readonly UiNode[], visible: readonly (VisibleNode | null)[]): number[] {
  const result: number[] = []
  for (const { parent } of nodes) {
    const around = visible[parent]
    const speaks = around && (hasWords(around.text) || hasWords(around.desc))
    result.push(speaks ? parent : (result[parent] ?? -1))
  }
  return result
}

/** The element that stands for a node which is none itself. */
function ownerOf(
  index: number,
  elementOf: readonly (ScreenElement | null)[],
  swallowedBy: readonly number[],
  repeatedBy: ReadonlyMap<number, number>,
): ScreenElement | null {
  for (let at: number | undefined = index; at !== undefined;) {
    const element = elementOf[at] ?? elementOf[swallowedBy[at] ?? -1]
    if (element) return element
    at = repeatedBy.get(at)
  }
  return null
}

function toElement(node: VisibleNode, text: string): ScreenElement {
  return {
    ref: 0,
    node,
    type: node.className.slice(node.className.lastIndexOf('.') + 1) || 'View',
    className: node.className,
    text: hasWords(text) ? text : null,
    desc: hasWords(node.desc) ? node.desc : null,
    id: node.id === '' ? null : node.id,
    bounds: node.visible,
    center: centerOf(node.visible),
    state: stateWords(node),
  }
}

const stateTable: readonly [word: ElementState, is: (node: UiNode) => boolean][] = [
  ['clickable', (node) => node.clickable],
  ['long_clickable', (node) => node.longClickable],
  ['checkable', (node) => node.checkable],
  ['checked', (node) => node.checked],
  ['editable', (node) => node.editable],
  ['focused', (node) => node.focused],
  ['selected', (node) => node.selected],
  ['scrollable', (node) => node.scrollable],
  ['disabled', (node) => !node.enabled],
  ['password', (node) => node.password],
]

function stateWords(node: UiNode): ElementState[] {
  const words: ElementState[] = []
  for (const [word, is] of stateTable) if (is(node)) words.push(word)
  return words
}
