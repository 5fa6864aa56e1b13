/**
 * Builds the numbered elements that a client sees from a phone's nodes: selects the
 * nodes, merges parts into their buttons, and orders the result. Pure.
 */
import type { ElementState } from '@phonerack/shared'
import type { Size } from '../adb/device/device.js'
import { withoutBars } from './bars.js'
import { hideBehindDialog, type Foreground } from './behind-dialog.js'
import { hideCovered } from './covered.js'
import { centerOf, type Bounds } from './geometry.js'
import { keyboardOf } from './keyboard.js'
import { canBeActedOn } from './kinds.js'
import type { ParsedNodes, UiNode } from './nodes.js'
import { findNodeTexts } from './node-texts.js'
import { hintOf, stateWords } from './states.js'
import { findAbsorbed } from './absorbed.js'
import { clip, type VisibleNode } from './visible.js'
import { hasVisibleText } from './visible-text.js'

export type { VisibleNode }

export interface ScreenElement {
  /** Numbers from 1 in screen order, until `refs/` numbers the tree. */
  ref: number
  node: VisibleNode
  type: string
  className: string
  /** The node's text or the texts of its children, not truncated. Null when the node has no text. */
  text: string | null
  desc: string | null
  id: string | null
  bounds: Bounds
  center: { x: number; y: number }
  state: ElementState[]
}

export interface ScreenTree {
  /** The app window to which the refs of the elements belong (`refs/`); 0 when the elements were not numbered. */
  window: number
  screen: Size
  /** All reported nodes, in document order. */
  nodes: readonly UiNode[]
  /** Every node, at its index; null when the node is not on the screen. */
  visible: readonly (VisibleNode | null)[]
  /** Every kept element, in screen order, including elements beyond an observation's limit. */
  elements: readonly ScreenElement[]
  /** For each node's index: the element that represents or absorbed the node. Null when no element does. */
  elementOf: readonly (ScreenElement | null)[]
  /** Several roots are windows, the front window first. */
  frontFirst: boolean
  /** The roots that are keyboards. */
  keyboards: ReadonlySet<number>
  /** Whether nodes were omitted when the XML was read. */
  cut: boolean
}

/** `foreground` is null when the phone did not report it. The tree reuses the nodes, which must not be used again. */
export function buildTree(all: ParsedNodes, screen: Size, foreground: Foreground | null = null): ScreenTree {
  const parsed = withoutBars(all, keyboardOf(foreground))
  const { nodes, frontFirst, keyboards, cut } = parsed
  const uncovered = hideBehindDialog(parsed, clip(nodes, screen), foreground, canBeActedOn)
  const visible = hideCovered(parsed, uncovered, canBeActedOn)
  const { by: absorbedBy, stateBoxes } = findAbsorbed(nodes, visible)
  const { texts, repeatedBy } = findNodeTexts(nodes, visible, absorbedBy)
  const partsOf = findParts(
    visible,
    absorbedBy,
    (node) => stateBoxes.has(node.index) || texts.has(node.index),
  )

  const elements: ScreenElement[] = []
  const elementOf = new Array<ScreenElement | null>(nodes.length).fill(null)
  for (const node of visible) {
    if (!node) continue
    const text = texts.get(node.index)
    const acts = canBeActedOn(node) && !stateBoxes.has(node.index)
    const kept = acts || (text !== undefined && absorbedBy[node.index] === -1)
    if (!kept) continue
    const element = toElement(node, text ?? node.text, partsOf.get(node.index) ?? [])
    elements.push(element)
    elementOf[node.index] = element
  }
  inScreenOrder(elements).forEach((element, index) => {
    element.ref = index + 1
  })
  for (const node of visible) {
    if (!node || elementOf[node.index]) continue
    elementOf[node.index] = ownerOf(node.index, elementOf, absorbedBy, repeatedBy)
  }
  return { window: 0, screen, nodes, visible, elements, elementOf, frontFirst, keyboards, cut }
}

/** Sorts in place: top to bottom, then left to right, by centre. Ties keep the tree's order. */
export function inScreenOrder<T extends { center: { x: number; y: number } }>(places: T[]): T[] {
  return places.sort((a, b) => a.center.y - b.center.y || a.center.x - b.center.x)
}

/** Returns the element that represents a node which is not an element. */
function ownerOf(
  index: number,
  elementOf: readonly (ScreenElement | null)[],
  absorbedBy: readonly number[],
  repeatedBy: ReadonlyMap<number, number>,
): ScreenElement | null {
  for (let at: number | undefined = index; at !== undefined;) {
    const element = elementOf[at] ?? elementOf[absorbedBy[at] ?? -1]
    if (element) return element
    at = repeatedBy.get(at)
  }
  return null
}

/** For each button: the nodes that it absorbs. */
function findParts(
  visible: readonly (VisibleNode | null)[],
  absorbedBy: readonly number[],
  isPart: (node: VisibleNode) => boolean,
): ReadonlyMap<number, VisibleNode[]> {
  const parts = new Map<number, VisibleNode[]>()
  for (const node of visible) {
    const button = node && isPart(node) ? (absorbedBy[node.index] ?? -1) : -1
    if (!node || button < 0) continue
    const list = parts.get(button)
    if (list) list.push(node)
    else parts.set(button, [node])
  }
  return parts
}

function toElement(node: VisibleNode, text: string, parts: readonly VisibleNode[]): ScreenElement {
  return {
    ref: 0,
    node,
    type: node.className.slice(node.className.lastIndexOf('.') + 1) || 'View',
    className: node.className,
    text: hasVisibleText(text) ? text : hintOf(node),
    desc: hasVisibleText(node.desc) ? node.desc : null,
    id: node.id === '' ? null : node.id,
    bounds: node.visible,
    center: centerOf(node.visible),
    state: stateWords(node, parts),
  }
}
