/** Text fields on a screen: the field that has the focus, and the content of a field. Pure. */
import type { FocusedText } from '../adb/device/device.js'
import type { ScreenTree, VisibleNode } from '../screen/elements.js'
import { areaOf, contains } from '../screen/geometry.js'
import type { Aim } from './target.js'

/** Returns the focused field; the innermost when both a page and a field in it report the focus. */
export const focusedField = (tree: ScreenTree): VisibleNode | null =>
  tree.visible.findLast((node) => node?.editable === true && node.focused) ?? null

/** Returns the field that a tap on the place would hit. */
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
  /** The field as it was found without a tree. */
  found?: FocusedText | undefined
}

/** Whether its class and ID name the field alone, and its text can be read. */
export const isNamedAlone = ({ node, tree }: Field): boolean =>
  node.id !== '' && !node.password && onScreen(tree).filter((other) => isTwin(other, node)).length === 1

/** Whether the focused element is a field that is named alone, and shows what the field showed. */
export const isFocused = ({ node }: Field, focused: FocusedText): boolean =>
  focused.className === node.className &&
  focused.id === node.id &&
  !focused.password &&
  focused.text === node.text

/** The field showed a hint. Found without a tree, it may contain the same words as its text by now. */
export const mayBeText = ({ node, found }: Field): boolean =>
  found !== undefined && node.text !== '' && isSurelyEmpty(node)

const isTwin = (a: VisibleNode, b: VisibleNode): boolean =>
  a.editable &&
  b.editable &&
  a.className === b.className &&
  a.id === b.id &&
  (a.id !== '' || leftOf(a) === leftOf(b))

const leftOf = ({ bounds, visible }: VisibleNode): number => (bounds ?? visible)[0]
const topOf = ({ bounds, visible }: VisibleNode): number => (bounds ?? visible)[1]
const onScreen = (tree: ScreenTree): VisibleNode[] => tree.visible.filter((node) => node !== null)

/** When more fields than this are alike, only a field that has not moved is recognised. */
const maxTwins = 50
/** Maximum number of nodes near the fields whose movement is compared. */
const maxNear = 200

/**
 * Finds the field `now` on an earlier screen. Null when the field is new. Forms without IDs have several fields that
 * differ only in their vertical position, and the keyboard moves all of them: the distance by which most nodes near the
 * fields moved decides.
 */
export function originOf(now: Field, before: ScreenTree): VisibleNode | null {
  const twins = onScreen(before).filter((node) => isTwin(node, now.node))
  if (twins.length < 2) return twins[0] ?? null
  if (twins.length > maxTwins) return twins.find((twin) => topOf(twin) === topOf(now.node)) ?? null
  const tops = twins.map(topOf)
  const [first, last] = [Math.min(...tops), Math.max(...tops)]
  const near = onScreen(before)
    .filter((node) => topOf(node) >= first && topOf(node) <= last)
    .slice(0, maxNear)
    .map((node) => ({ top: topOf(node), look: lookOf(node) }))
  const places = placesIn(now.tree)
  const moved = twins.map((twin) => {
    const by = topOf(now.node) - topOf(twin)
    const count = near.filter(({ top, look }) => places.has(placeAt(top + by, look))).length
    return { twin, by: Math.abs(by), count }
  })
  return moved.toSorted((a, b) => b.count - a.count || a.by - b.by)[0]?.twin ?? null
}

/** Returns the properties of a node that a move keeps. Typing changes the text of a field. */
const lookOf = (node: VisibleNode): string =>
  JSON.stringify([
    ...[node.className, node.id, leftOf(node)],
    ...(node.editable ? [] : [node.text.slice(0, 100), node.desc.slice(0, 100)]),
  ])

const placeAt = (top: number, look: string): string => `${top} ${look}`

const knownPlaces = new WeakMap<ScreenTree, Set<string>>()
function placesIn(tree: ScreenTree): Set<string> {
  const places =
    knownPlaces.get(tree) ?? new Set(onScreen(tree).map((node) => placeAt(topOf(node), lookOf(node))))
  knownPlaces.set(tree, places)
  return places
}

/** Finds the field on a later screen. Null when the field is no longer there. */
export function fieldAgain(tree: ScreenTree, { node: field, tree: before }: Field): VisibleNode | null {
  const isField = (node: VisibleNode | null): node is VisibleNode =>
    node !== null && isTwin(field, node) && originOf({ node, tree }, before) === field
  const focused = focusedField(tree)
  if (isField(focused)) return focused
  const twins = onScreen(tree).filter((node) => isTwin(field, node))
  const found = twins.length > maxTwins ? [] : twins.filter(isField)
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
