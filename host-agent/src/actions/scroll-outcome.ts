/** The effect of a scroll, computed from the screens before and after it. Pure. */
import type { ScreenTree, VisibleNode } from '../screen/elements.js'
import { isInside, type Bounds } from '../screen/geometry.js'
import { hasVisibleText } from '../screen/visible-text.js'
import type { Direction } from './gestures.js'

export interface ScrollOutcome {
  moved: boolean
  /** Whether the content ends here in that direction. Null when unknown. */
  at_end: boolean | null
}

export interface Scrolled {
  direction: Direction
  /** The scrolled container; the screen when nothing on it scrolls. */
  container: Bounds
  scrollable: boolean
  /** Number of successive gestures. */
  count: number
  /** Pixels that the finger moved, over all gestures. */
  distance: number
}

/**
 * Pixels at the start of each gesture that do not move the content: the touch slop
 * (`ViewConfiguration.getScaledTouchSlop`).
 */
const slop = 48
/** Below this share of the gesture, the content stopped before the finger did. */
const fullPart = 0.9
/** Above this share of new names, the content was replaced. */
const replacedPart = 0.3

export function scrollOutcome(before: ScreenTree, after: ScreenTree, scrolled: Scrolled): ScrollOutcome {
  const { direction, container, scrollable, count, distance } = scrolled
  const [then, now] = [contentOf(before, container), contentOf(after, container)]
  const shifts = shiftsOf(then, now, direction)
  const shift = Math.max(0, ...shifts)
  if (shift === 0 && !isReplaced(then, now, shifts.length))
    return { moved: false, at_end: scrollable ? true : null }
  if (shift > 0 && shift < distance * fullPart - slop * count) return { moved: true, at_end: true }
  return { moved: true, at_end: isCutOff(now, container, direction) ? false : null }
}

/** Returns the nodes inside the container, without nodes around the container. */
const contentOf = (tree: ScreenTree, container: Bounds): VisibleNode[] =>
  tree.visible
    .filter((node) => node !== null)
    .filter((node) => isInside(node.visible, container) && !isInside(container, node.visible))

/**
 * For each recognisable node: the pixels that it moved in the content's direction.
 * Moves of less than 2 pixels count as 0.
 */
function shiftsOf(then: readonly VisibleNode[], now: readonly VisibleNode[], direction: Direction): number[] {
  const places = uniqueByName(then)
  const shifts: number[] = []
  for (const [name, node] of uniqueByName(now)) {
    const was = places.get(name)
    if (!was) continue
    const shift = Math.max(...edgeShifts(was.visible, node.visible, direction))
    shifts.push(shift >= 2 ? shift : 0)
  }
  return shifts
}

/** Compares both edges: an edge at which the container clips the node does not move. */
function edgeShifts(was: Bounds, is: Bounds, direction: Direction): number[] {
  const vertical = direction === 'up' || direction === 'down'
  const sign = direction === 'down' || direction === 'right' ? 1 : -1
  const edges = vertical ? ([1, 3] as const) : ([0, 2] as const)
  return edges.map((edge) => sign * (was[edge] - is[edge]))
}

/** Returns the nodes by name, without nodes that share a name, since such nodes cannot be matched. */
function uniqueByName(nodes: readonly VisibleNode[]): Map<string, VisibleNode> {
  const found = new Map<string, VisibleNode | null>()
  for (const node of nodes) {
    if (!hasVisibleText(node.text) && !hasVisibleText(node.desc)) continue
    const name = nameOf(node)
    found.set(name, found.has(name) ? null : node)
  }
  return new Map([...found].filter((entry): entry is [string, VisibleNode] => entry[1] !== null))
}

const nameOf = (node: VisibleNode): string => JSON.stringify([node.className, node.id, node.text, node.desc])

/** Whether most of the content is new. When no recognisable node moved, the content is either new or unchanged. */
function isReplaced(then: readonly VisibleNode[], now: readonly VisibleNode[], known: number): boolean {
  const [names, newNames] = [new Set(then.map(nameOf)), new Set(now.map(nameOf))]
  const changed = [...names].filter((name) => !newNames.has(name)).length
  const added = [...newNames].filter((name) => !names.has(name)).length
  const all = new Set([...names, ...newNames]).size
  if (changed + added > all * replacedPart) return true
  // Images without names can be compared only by position.
  return known === 0 && placesOf(then) !== placesOf(now)
}

const placesOf = (nodes: readonly VisibleNode[]): string =>
  JSON.stringify(nodes.map((node) => [node.className, node.visible]))

/**
 * A node at the far edge is shorter than another of its kind: the container clips it,
 * so there is more content.
 */
function isCutOff(nodes: readonly VisibleNode[], container: Bounds, direction: Direction): boolean {
  const vertical = direction === 'up' || direction === 'down'
  const [first, last] = vertical ? ([1, 3] as const) : ([0, 2] as const)
  const far = direction === 'up' || direction === 'left' ? first : last
  const length = ({ visible }: VisibleNode): number => visible[last] - visible[first]
  const at = (node: VisibleNode, edge: typeof first | typeof last): boolean =>
    node.visible[edge] === container[edge]
  // For each kind, the shortest node that touches neither edge.
  const whole = new Map<string, number>()
  const kinds = kindsOf(nodes)
  for (const node of nodes) {
    if (at(node, first) || at(node, last)) continue
    const kind = kinds.get(node.index) ?? ''
    whole.set(kind, Math.min(whole.get(kind) ?? Infinity, length(node)))
  }
  return nodes.some((node) => at(node, far) && length(node) < (whole.get(kinds.get(node.index) ?? '') ?? 0))
}

/** Returns the kind of each node, by index: class, id, and depth in the container. */
function kindsOf(nodes: readonly VisibleNode[]): ReadonlyMap<number, string> {
  const depths = new Map<number, number>()
  return new Map(
    nodes.map((node) => {
      const depth = (depths.get(node.parent) ?? 0) + 1
      depths.set(node.index, depth)
      return [node.index, JSON.stringify([node.className, node.id, depth])]
    }),
  )
}
