/**
 * Which nodes a button swallows: a person sees one thing, so its children are
 * not listed beside it. Used by `buildTree`; docs/decisions/0020, 0152. Pure.
 */
import { canBeActedOn, isButton, isContainer } from './kinds.js'
import type { UiNode } from './nodes.js'
import type { VisibleNode } from './visible.js'
import { hasWords } from './words.js'

export interface Swallowed {
  /** For each node: the button that says it; -1: none. */
  by: readonly number[]
  /** The boxes, switches and dots that are part of a button and no elements; each is swallowed too. */
  marks: ReadonlySet<number>
}

export function findSwallowed(nodes: readonly UiNode[], visible: readonly (VisibleNode | null)[]): Swallowed {
  const marks = findMarks(nodes, visible)
  const by: number[] = []
  // For each node: the swallower of its children. What is not on the screen stands in nobody's way.
  const inside: number[] = []
  for (const node of nodes) {
    const around = inside[node.parent] ?? -1
    const shown = visible[node.index]
    const acts = shown !== null && shown !== undefined && canBeActedOn(node)
    const mark = marks.get(node.index)
    by.push(mark ?? (acts ? -1 : around))
    // A list that fits need not scroll, and holds many things all the same.
    const stops = (acts && mark === undefined) || (shown && isContainer(node))
    inside.push(shown && acts && saysItsChildren(shown) ? node.index : stops ? -1 : around)
  }
  return { by, marks: new Set(marks.keys()) }
}

/** A button without a text takes what its children say. */
const saysItsChildren = (node: VisibleNode): boolean =>
  isButton(node) && !hasWords(node.text) && !node.editable && !node.password

/**
 * What shows a state and takes no touch itself, as a list's radio button does: the row around it is what a person presses.
 * By its index: that row. Left out: one of several in a button, whose states would be mixed up, and one that says something
 * in a button with a text of its own.
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
