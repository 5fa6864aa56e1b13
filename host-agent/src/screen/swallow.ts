/**
 * Decides which nodes a button absorbs: a person sees one item, so its children are not
 * listed separately. Used by `buildTree`; docs/decisions/0020, 0152. Pure.
 */
import { canBeActedOn, isButton, isContainer } from './kinds.js'
import type { UiNode } from './nodes.js'
import type { VisibleNode } from './visible.js'
import { hasWords } from './words.js'

export interface Swallowed {
  /** For each node: the button that absorbs it; -1: none. */
  by: readonly number[]
  /**
   * Boxes, switches and radio buttons that are parts of a button and not elements; each
   * is absorbed too.
   */
  marks: ReadonlySet<number>
}

export function findSwallowed(nodes: readonly UiNode[], visible: readonly (VisibleNode | null)[]): Swallowed {
  const marks = findMarks(nodes, visible)
  const by: number[] = []
  // For each node: the button that absorbs its children. Off-screen nodes are ignored.
  const inside: number[] = []
  for (const node of nodes) {
    const around = inside[node.parent] ?? -1
    const shown = visible[node.index]
    const acts = shown !== null && shown !== undefined && canBeActedOn(node)
    const mark = marks.get(node.index)
    by.push(mark ?? (acts ? -1 : around))
    // A list that fits without scrolling still holds many items.
    const stops = (acts && mark === undefined) || (shown && isContainer(node))
    inside.push(shown && acts && saysItsChildren(shown) ? node.index : stops ? -1 : around)
  }
  return { by, marks: new Set(marks.keys()) }
}

/** A button without a text takes the words of its children. */
const saysItsChildren = (node: VisibleNode): boolean =>
  isButton(node) && !hasWords(node.text) && !node.editable && !node.password

/**
 * Nodes that show a state and take no touch, like a list's radio button: a person
 * presses the row around them. By node index: that row. Excluded: one of several in a
 * button, whose states would mix, and one with words in a button with its own text.
 */
function findMarks(
  nodes: readonly UiNode[],
  visible: readonly (VisibleNode | null)[],
): ReadonlyMap<number, number> {
  const buttons: number[] = []
  const inButton = new Map<number, number[]>()
  for (const node of nodes) {
    const shown = visible[node.index]
    const around = buttons[node.parent] ?? -1
    if (!shown) {
      buttons.push(around)
      continue
    }
    if (isMark(shown) && around >= 0) inButton.set(around, [...(inButton.get(around) ?? []), node.index])
    const stops = isContainer(node) || (canBeActedOn(node) && !isMark(shown))
    buttons.push(isButton(shown) && !shown.editable ? node.index : stops ? -1 : around)
  }
  const marks = new Map<number, number>()
  for (const [button, [mark, ...others]] of inButton) {
    const [around, node] = [visible[button], visible[mark ?? -1]]
    if (!around || !node || others.length > 0) continue
    const silent = !hasWords(node.text) && !hasWords(node.desc)
    if (silent || saysItsChildren(around)) marks.set(node.index, button)
  }
  return marks
}

const isMark = (node: VisibleNode): boolean =>
  node.checkable && !node.clickable && !node.longClickable && !node.scrollable && !node.editable
