/** Text fields on a screen: which one has the focus, and what it contains. Pure. */
import type { ScreenTree, VisibleNode } from '../screen/elements.js'
import { areaOf, contains } from '../screen/geometry.js'
import type { Aim } from './target.js'

/** The focused field; the innermost when both a page and a field in it report the focus. */
export const focusedField = (tree: ScreenTree): VisibleNode | null =>
  tree.visible.findLast((node) => node?.editable === true && node.focused) ?? null

/** The field that a tap on the place would hit. */
export function fieldAt(tree: ScreenTree, place: Aim): VisibleNode | null {
  if (place.node?.editable) return place.node
  const around = tree.visible
    .filter((node) => node !== null)
    .filter((node) => node.editable && contains(node.visible, place.touchPoint))
  return around.toSorted((a, b) => areaOf(a.visible) - areaOf(b.visible))[0] ?? null
}

/** A field, and the screen on which it was seen. */
export interface Field {
  node: VisibleNode
  tree: ScreenTree
}

const isTwin = (a: VisibleNode, b: VisibleNode): boolean =>
  a.editable &&
  b.editable &&
  a.className === b.className &&
  a.id === b.id &&
  (a.id !== '' || leftOf(a) === leftOf(b))

const leftOf = ({ bounds, visible }: VisibleNode): number => (bounds ?? visible)[0]
const topOf = ({ bounds, visible }: VisibleNode): number => (bounds ?? visible)[1]
const onScreen = (tree: ScreenTree): VisibleNode[] => tree.visible.filter((node) => node !== null)

/**
 * The field of an earlier screen that `now` is; null: it is a new one. Forms without ids have several fields that differ only in
 * their vertical position, and the keyboard moves all of them: the distance by which most of what was near them moved decides.
 */
export function originOf(now: Field, before: ScreenTree): VisibleNode | null {
  const twins = onScreen(before).filter((node) => isTwin(node, now.node))
  if (twins.length < 2) return twins[0] ?? null
  const tops = twins.map(topOf)
  const near = onScreen(before).filter(
    (node) => topOf(node) >= Math.min(...tops) && topOf(node) <= Math.max(...tops),
  )
  const places = new Set(onScreen(now.tree).map((node) => placeOf(node, 0)))
  const moved = twins.map((twin) => {
    const by = topOf(now.node) - topOf(twin)
    return { twin, by: Math.abs(by), count: near.filter((node) => places.has(placeOf(node, by))).length }
  })
  return moved.toSorted((a, b) => b.count - a.count || a.by - b.by)[0]?.twin ?? null
}

/** The properties of a node that a move keeps. Typing changes the text of a field. */
const placeOf = (node: VisibleNode, by: number): string =>
  JSON.stringify([
    ...[node.className, node.id, leftOf(node), topOf(node) + by],
    ...(node.editable ? [] : [node.text, node.desc]),
  ])

/** Null when it is no longer on this screen. */
export function fieldAgain(tree: ScreenTree, { node: field, tree: before }: Field): VisibleNode | null {
  const isField = (node: VisibleNode | null): node is VisibleNode =>
    node !== null && isTwin(field, node) && originOf({ node, tree }, before) === field
  const focused = focusedField(tree)
  if (isField(focused)) return focused
  const found = tree.visible.filter(isField)
  return found.length === 1 ? (found[0] ?? null) : null
}

/**
 * True when the field is certainly empty: any text shown is its hint. False when the
 * phone does not report enough to know.
 */
export function isSurelyEmpty(field: VisibleNode): boolean {
  if (field.showsHint !== null) return field.showsHint || (field.text === '' && field.maskedLength === 0)
  if (field.password) return field.maskedLength === 0
  return field.text === '' || field.text === field.hint
}
