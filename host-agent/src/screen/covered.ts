/**
 * Which nodes cannot be touched because another one, drawn over them, takes
 * every touch. Used by `buildTree`; docs/decisions/0066. Pure.
 */
import { areaOf, type Bounds } from './geometry.js'
import type { ParsedNodes, UiNode } from './nodes.js'
import type { VisibleNode } from './visible.js'
import { hasWords } from './words.js'

/** Beyond these nothing more counts as covered, so that no screen takes long: the largest covers, and steps up a tree. */
const maxCovers = 200
const maxSteps = 1_000_000

interface Cover {
  index: number
  area: Bounds
  /** A window of its own: also hides what can only be read. */
  opaque: boolean
}

/**
 * The nodes again, null where one is covered as a whole. Document order says nothing about it: Android
 * sorts children by place. What counts is `drawing-order` within a window, and the order of windows
 * where the phone gives the front one first.
 */
export function hideCovered(
  { nodes, frontFirst }: ParsedNodes,
  visible: readonly (VisibleNode | null)[],
  acts: (node: UiNode) => boolean,
): readonly (VisibleNode | null)[] {
  const covers = findCovers(nodes, visible, frontFirst, acts)
  if (covers.length === 0) return visible
  let steps = 0
  /** The cover of each node that is hidden; what stands in a hidden node goes with it. */
  const coverOf: (Cover | undefined)[] = []
  return visible.map((node, index) => {
    const around = coverOf[node?.parent ?? -1]
    coverOf.push(around)
    if (!node) return null
    if (around && isInside(node.visible, around.area)) return null
    const touchable = acts(node)
    const cover = covers.find(({ index: at, area, opaque }) => {
      if (at === index || (!touchable && !opaque) || !isInside(node.visible, area)) return false
      if (steps > maxSteps || isTapLayer(visible[at], node)) return false
      const { over, walked } = isDrawnOver(nodes, at, index, frontFirst)
      steps += walked
      return over
    })
    coverOf[index] = cover
    return cover ? null : node
  })
}

function findCovers(
  nodes: readonly UiNode[],
  visible: readonly (VisibleNode | null)[],
  frontFirst: boolean,
  acts: (node: UiNode) => boolean,
): Cover[] {
  const roots = nodes.filter(({ parent }) => parent < 0)
  const windows = frontFirst && roots.length > 1
  if (!windows && !nodes.some(({ drawingOrder }) => drawingOrder > 0)) return []
  const covers: Cover[] = []
  for (const node of visible) {
    if (node?.clickable) covers.push({ index: node.index, area: node.visible, opaque: false })
  }
  if (!windows) return largest(covers)
  for (const [place, { index }] of roots.entries()) {
    const root = visible[index]
    const end = roots[place + 1]?.index ?? nodes.length
    // A window as large as the screen may let touches through; a dialog or a keyboard does not.
    if (!root || root.page || !visible.slice(index, end).some((node) => node && acts(node))) continue
    covers.push({ index, area: root.visible, opaque: true })
  }
  return largest(covers)
}

const largest = (covers: Cover[]): Cover[] =>
  covers.sort((a, b) => areaOf(b.area) - areaOf(a.area)).slice(0, maxCovers)

const isInside = (inner: Bounds, outer: Bounds): boolean =>
  outer[0] <= inner[0] && outer[1] <= inner[1] && outer[2] >= inner[2] && outer[3] >= inner[3]

/** A wordless view just over another one is how some apps let that one be tapped: the words stay. */
const isTapLayer = (over: VisibleNode | null | undefined, under: VisibleNode): boolean =>
  over !== null &&
  over !== undefined &&
  over.parent === under.parent &&
  areaOf(over.visible) === areaOf(under.visible) &&
  !hasWords(over.text) &&
  !hasWords(over.desc)

function isDrawnOver(
  nodes: readonly UiNode[],
  over: number,
  under: number,
  frontFirst: boolean,
): { over: boolean; walked: number } {
  let [a, b, branchA, branchB, walked] = [over, under, over, under, 0]
  // Parents come before their children: the later of the two is never around the other.
  while (a !== b) {
    walked += 1
    if (a > b) {
      branchA = a
      a = nodes[a]?.parent ?? -1
    } else {
      branchB = b
      b = nodes[b]?.parent ?? -1
    }
  }
  if (a === over || a === under) return { over: false, walked }
  if (a < 0) return { over: frontFirst && branchA < branchB, walked }
  const [upper, lower] = [nodes[branchA]?.drawingOrder ?? 0, nodes[branchB]?.drawingOrder ?? 0]
  return { over: lower > 0 && upper > lower, walked }
}
