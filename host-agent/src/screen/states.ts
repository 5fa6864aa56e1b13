/** The states of an element. Used by `buildTree`. Pure. */
import { elementStates, type ElementState } from '@phonerack/shared'
import type { UiNode } from './nodes.js'
import { hasWords } from './words.js'

const tests: Readonly<Record<ElementState, (node: UiNode) => boolean>> = {
  clickable: (node) => node.clickable,
  long_clickable: (node) => node.longClickable,
  checkable: (node) => node.checkable,
  checked: (node) => node.checked,
  editable: (node) => node.editable,
  focused: (node) => node.focused,
  selected: (node) => node.selected,
  scrollable: (node) => node.scrollable,
  disabled: (node) => !node.enabled,
  password: (node) => node.password,
  hint: (node) => hintOf(node) !== null,
}

/**
 * A button shows these of the parts it absorbed; `checkable` distinguishes an unchecked
 * box from no box.
 */
const moving: readonly ElementState[] = ['checkable', 'checked', 'selected', 'disabled']

/** In the order of `elementStates`. `swallowed`: the nodes that are shown as parts of this one. */
export const stateWords = (node: UiNode, swallowed: readonly UiNode[]): ElementState[] =>
  elementStates.filter(
    (word) => tests[word](node) || (moving.includes(word) && swallowed.some((child) => tests[word](child))),
  )

/**
 * The hint that an empty field shows in place of a text; null: none, or not reported.
 * Some phones report the hint also as the text, others only separately.
 */
export function hintOf(node: UiNode): string | null {
  const { hint, showsHint, text } = node
  if (!node.editable || showsHint === false) return null
  if (showsHint) return [hint, text].find((words) => words !== null && hasWords(words)) ?? null
  if (hint === null || !hasWords(hint) || node.maskedLength > 0) return null
  return text === '' || text === hint ? hint : null
}
