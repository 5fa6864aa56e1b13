/**
 * Decides which of two nodes is in front, as far as the phone reports the order. Document order does not decide,
 * because Android sorts children by position. `drawing-order` decides within a window, and the order of windows where
 * the front window comes first. Pure.
 */
import type { UiNode } from './nodes.js'

/**
 * Position of the first node relative to the second: `inside` means that the second node is an ancestor of the first,
 * and `around` that the first node is an ancestor of the second.
 */
export type Drawn = 'over' | 'under' | 'inside' | 'around' | 'unknown'

/** The parts of a screen that decide which node is in front. */
interface Order {
  nodes: readonly UiNode[]
  frontFirst: boolean
  keyboards: ReadonlySet<number>
}

/** `onStep` is called for each step up the tree. */
export function drawnOver(order: Order, first: number, second: number, onStep?: () => void): Drawn {
  const { nodes } = order
  let [a, b, branchA, branchB] = [first, second, first, second]
  // Parents come before their children: the later of the two is never an ancestor of
  // the other.
  while (a !== b) {
    onStep?.()
    if (a > b) {
      branchA = a
      a = nodes[a]?.parent ?? -1
    } else {
      branchB = b
      b = nodes[b]?.parent ?? -1
    }
  }
  if (a === first) return 'around'
  if (a === second) return 'inside'
  return siblingOver(order, branchA, branchB)
}

/** Returns for each node its position relative to the node `second`. Visits each node once. */
export function drawnOverEach(order: Order, second: number): Drawn[] {
  const { nodes } = order
  // For each ancestor of `second`: the child that is `second` or contains it. For -1: the root.
  const towards = new Map<number, number>()
  for (let at = second; at >= 0; at = nodes[at]?.parent ?? -1) towards.set(nodes[at]?.parent ?? -1, at)
  const drawn: Drawn[] = []
  for (const { index, parent } of nodes) {
    const branch = towards.get(parent)
    if (index === second || towards.has(index)) drawn.push('around')
    else if (parent === second) drawn.push('inside')
    else drawn.push(branch === undefined ? (drawn[parent] ?? 'unknown') : siblingOver(order, index, branch))
  }
  return drawn
}

/** Decides for two nodes of one parent, or for two roots. */
function siblingOver({ nodes, frontFirst, keyboards }: Order, first: number, second: number): Drawn {
  if ((nodes[first]?.parent ?? -1) < 0) {
    if (keyboards.has(first) !== keyboards.has(second)) return keyboards.has(first) ? 'over' : 'under'
    return frontFirst ? (first < second ? 'over' : 'under') : 'unknown'
  }
  const [upper, lower] = [nodes[first]?.drawingOrder ?? 0, nodes[second]?.drawingOrder ?? 0]
  if (upper === lower || upper === 0 || lower === 0) return 'unknown'
  return upper > lower ? 'over' : 'under'
}
