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

/** Compares neither the text, which typing changes, nor the vertical position, which the keyboard changes. */
export const isSameField = (a: VisibleNode, b: VisibleNode): boolean =>
  a.className === b.className && a.id === b.id && (a.id !== '' || a.visible[0] === b.visible[0])

/** Null when it is no longer on this screen. */
export const fieldAgain = (tree: ScreenTree, field: VisibleNode): VisibleNode | null => {
  const focused = focusedField(tree)
  if (focused && isSameField(field, focused)) return focused
  const twins = tree.visible.filter((node) => node !== null).filter((node) => isSameField(field, node))
  return twins.length === 1 ? (twins[0] ?? null) : null
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
