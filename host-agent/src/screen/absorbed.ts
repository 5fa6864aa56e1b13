/**
 * Decides which nodes become parts of a button (are absorbed): a person sees one item,
 * so its children are not listed separately. Used by `buildTree`. Pure.
 */
import { canBeActedOn, isButton, isContainer } from './kinds.js'
import type { UiNode } from './nodes.js'
import type { VisibleNode } from './visible.js'
import { hasVisibleText } from './visible-text.js'

export interface Absorbed {
  /** For each node, the index of the button that absorbs it; -1 when there is none. */
  by: readonly number[]
  /** Check boxes, switches and radio buttons that only show a button's state. `by` contains these nodes, too. */
  stateBoxes: ReadonlySet<number>
}

export function findAbsorbed(nodes: readonly UiNode[], visible: readonly (VisibleNode | null)[]): Absorbed {
  const stateBoxes = findStateBoxes(nodes, visible)
  const by: number[] = []
  // For each node: the button that absorbs its children. Off-screen nodes are ignored.
  const inside: number[] = []
  for (const node of nodes) {
    const around = inside[node.parent] ?? -1
    const shown = visible[node.index]
    const acts = shown !== null && shown !== undefined && canBeActedOn(node)
    const box = stateBoxes.get(node.index)
    by.push(box ?? (acts ? -1 : around))
    // A list that fits without scrolling still holds many items.
    const stops = (acts && box === undefined) || (shown && isContainer(node))
    inside.push(shown && acts && takesChildTexts(shown) ? node.index : stops ? -1 : around)
  }
  return { by, stateBoxes: new Set(stateBoxes.keys()) }
}

/** A button without a text takes the texts of its children. */
const takesChildTexts = (node: VisibleNode): boolean =>
  isButton(node) && !hasVisibleText(node.text) && !node.editable && !node.password

/**
 * Finds nodes that show a state and receive no touch, such as a radio button in a list's row: a person presses the row.
 * Maps each node to its row. Excludes several such nodes in one button, whose states would mix, and a node with a text
 * in a button that has its own text.
 */
function findStateBoxes(
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
    if (isStateBox(shown) && around >= 0) {
      const boxes = inButton.get(around)
      if (boxes) boxes.push(node.index)
      else inButton.set(around, [node.index])
    }
    const stops = isContainer(node) || (canBeActedOn(node) && !isStateBox(shown))
    buttons.push(isButton(shown) && !shown.editable ? node.index : stops ? -1 : around)
  }
  const stateBoxes = new Map<number, number>()
  for (const [button, [box, ...others]] of inButton) {
    const [around, node] = [visible[button], visible[box ?? -1]]
    if (!around || !node || others.length > 0) continue
    const silent = !hasVisibleText(node.text) && !hasVisibleText(node.desc)
    if (silent || takesChildTexts(around)) stateBoxes.set(node.index, button)
  }
  return stateBoxes
}

const isStateBox = (node: VisibleNode): boolean =>
  node.checkable && !node.clickable && !node.longClickable && !node.scrollable && !node.editable
