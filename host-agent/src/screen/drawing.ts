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

/** `onStep` is called for each step up the tree. */
export function drawnOver(
  {
    nodes,
    frontFirst,
    keyboards,
  }: { nodes: readonly UiNode[]; frontFirst: boolean; keyboards: ReadonlySet<number> },
  first: number,
  second: number,
  onStep?: () => void,
): Drawn {
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
  if (a < 0 && keyboards.has(branchA) !== keyboards.has(branchB))
    return keyboards.has(branchA) ? 'over' : 'under'
  if (a < 0) return frontFirst ? (branchA < branchB ? 'over' : 'under') : 'unknown'
  const [upper, lower] = [nodes[branchA]?.drawingOrder ?? 0, nodes[branchB]?.drawingOrder ?? 0]
  if (upper === lower || upper === 0 || lower === 0) return 'unknown'
  return upper > lower ? 'over' : 'under'
}
