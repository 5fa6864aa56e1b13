/** Implements UiScrollable of `-android uiautomator`: scrolls a list until an element is on the screen. */
import { syntaxError, type Call } from './selector-text.js'
import type { Screen } from './screen.js'
import type { TreeNode } from './tree.js'
import { matchSelector, selectorOf, type UiSelector } from './ui-selector.js'

const defaultMaxSwipes = 30

/**
 * Scrolls as the chain specifies. Returns the found element, or null.
 * @throws ServerError for an unsupported method
 */
export async function findByScrolling(
  screen: Screen,
  expression: string,
  chain: readonly Call[],
): Promise<TreeNode | null> {
  const [constructor, ...calls] = chain
  const argument = constructor?.arguments[0]
  if (!Array.isArray(argument)) throw syntaxError(expression, 'UiScrollable has no suitable constructor')
  const container = selectorOf(expression, argument)
  let maxSwipes = defaultMaxSwipes
  let horizontal = false
  let sought: UiSelector | null = null
  for (const call of calls) {
    const [value] = call.arguments
    if (call.name === 'setMaxSearchSwipes' && typeof value === 'number') maxSwipes = value
    else if (call.name === 'setAsVerticalList') horizontal = false
    else if (call.name === 'setAsHorizontalList') horizontal = true
    else if (call.name === 'scrollIntoView' && Array.isArray(value)) sought = selectorOf(expression, value)
    else if (call.name === 'scrollTextIntoView' && typeof value === 'string')
      sought = textSelector(({ info }) => info.text === value)
    else if (call.name === 'scrollDescriptionIntoView' && typeof value === 'string')
      sought = textSelector(({ info }) => info.description === value)
    else throw syntaxError(expression, `UiScrollable of this phone has no method \`${call.name}\``)
  }
  const target = sought ?? container
  const find = () => matchSelector(target, screen.tree().roots)[0] ?? null
  if (sought === null) return find()
  if (find() !== null) return find()
  for (const direction of horizontal ? (['left', 'right'] as const) : (['up', 'down'] as const)) {
    for (let swipes = 0; swipes < maxSwipes; swipes++) {
      const list = matchSelector(container, screen.tree().roots)[0]
      if (list === undefined) return null
      const more = await screen.gestures.scroll(list.info.bounds, direction, 0.8, null)
      if (find() !== null) return find()
      if (!more) break
    }
  }
  return null
}

function textSelector(test: (node: TreeNode) => boolean): UiSelector {
  return { tests: [test], instance: null, child: null, fromParent: null }
}
