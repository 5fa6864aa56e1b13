/** The states of an element. Used by `buildTree`. Pure. */
import { elementStates, type ElementState } from '@phonerack/shared'
import type { UiNode } from './nodes.js'
import { hasVisibleText } from './visible-text.js'

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
 * A button takes these states from the parts it absorbed. `checkable` distinguishes an unchecked box from a missing
 * box.
 */
const shownOnButton: readonly ElementState[] = ['checkable', 'checked', 'selected', 'disabled']

/** Returns the states in the order of `elementStates`. `absorbed`: the parts of this node. */
export const stateWords = (node: UiNode, absorbed: readonly UiNode[]): ElementState[] =>
  elementStates.filter(
    (word) =>
      tests[word](node) || (shownOnButton.includes(word) && absorbed.some((child) => tests[word](child))),
  )

/**
 * Returns the hint that an empty field shows. Null when there is no hint, or the phone does not report the hint. Some
 * phones report the hint also as the text, and other phones only separately.
 */
export function hintOf(node: UiNode): string | null {
  const { hint, showsHint, text } = node
  if (!node.editable || showsHint === false) return null
  if (showsHint) return [hint, text].find((words) => words !== null && hasVisibleText(words)) ?? null
  if (hint === null || !hasVisibleText(hint) || node.maskedLength > 0) return null
  return text === '' || text === hint ? hint : null
}
