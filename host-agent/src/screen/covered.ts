/**
 * Finds covered nodes: another node is drawn over them and receives their touches. Used by `buildTree`. Pure.
 */
import { drawnOver } from './drawing.js'
import { areaOf, isInside, type Bounds } from './geometry.js'
import type { ParsedNodes, UiNode } from './nodes.js'
import type { VisibleNode } from './visible.js'
import { hasVisibleText } from './visible-text.js'

/**
 * These limits bound the time: only the largest covers are checked, and after `maxSteps` steps up the tree all other
 * nodes count as not covered.
 */
const maxCovers = 200
const maxSteps = 1_000_000

interface Cover {
  index: number
  area: Bounds
  /** A separate window, which also hides nodes that cannot be touched. */
  opaque: boolean
}

interface JudgedCover extends Cover {
  /** The node of the cover if the node has no text, else null. */
  silent: VisibleNode | null
}

/**
 * Returns the nodes, with null for nodes that are completely covered. Document order does not matter, since Android
 * sorts children by position: `drawing-order` decides within a window, and the order of windows if the phone lists the
 * front window first.
 */
export function hideCovered(
  parsed: ParsedNodes,
  visible: readonly (VisibleNode | null)[],
  acts: (node: UiNode) => boolean,
): readonly (VisibleNode | null)[] {
  const covers = findCovers(parsed, visible, acts)
  if (covers.length === 0) return visible
  let steps = 0
  /** The cover of each hidden node, which also hides its descendants. */
  const coverOf: (JudgedCover | undefined)[] = []
  return visible.map((node, index) => {
    const around = coverOf[node?.parent ?? -1]
    coverOf.push(around)
    if (!node) return null
    if (around && isInside(node.visible, around.area)) return null
    const touchable = acts(node)
    const cover = covers.find(({ index: at, area, opaque, silent }) => {
      if (at === index || (!touchable && !opaque) || !isInside(node.visible, area)) return false
      if (steps > maxSteps || (silent && isTapLayer(silent, node))) return false
      return drawnOver(parsed, at, index, () => (steps += 1)) === 'over'
    })
    coverOf[index] = cover
    return cover ? null : node
  })
}

function findCovers(
  parsed: ParsedNodes,
  visible: readonly (VisibleNode | null)[],
  acts: (node: UiNode) => boolean,
): JudgedCover[] {
  const { nodes, frontFirst, keyboards } = parsed
  const windows = coveringWindows({ nodes, visible, frontFirst, keyboards }, acts)
  const ordered = windows !== null || nodes.some(({ drawingOrder }) => drawingOrder > 0)
  if (!ordered) return []
  const covers: Cover[] = []
  for (const node of visible) {
    if (node?.clickable) covers.push({ index: node.index, area: node.visible, opaque: false })
  }
  const all = [...covers, ...(windows ?? []).map((window) => ({ ...window, opaque: true }))]
  return largest(all).map((cover) => ({ ...cover, silent: silentAt(visible[cover.index]) }))
}

/** Reads the text of a cover once, since an app can choose a long text. */
const silentAt = (node: VisibleNode | null | undefined): VisibleNode | null =>
  node && !hasVisibleText(node.text) && !hasVisibleText(node.desc) ? node : null

/**
 * Returns the windows that receive every touch in their area: dialogs, menus, keyboards. Null when the order of windows is
 * unknown.
 */
export function coveringWindows(
  {
    nodes,
    visible,
    frontFirst,
    keyboards,
  }: {
    nodes: readonly UiNode[]
    visible: readonly (VisibleNode | null)[]
    frontFirst: boolean
    keyboards: ReadonlySet<number>
  },
  acts: (node: UiNode) => boolean,
): { index: number; area: Bounds }[] | null {
  const roots = nodes.filter(({ parent }) => parent < 0)
  if ((!frontFirst && keyboards.size === 0) || roots.length < 2) return null
  const windows: { index: number; area: Bounds }[] = []
  for (const [place, { index }] of roots.entries()) {
    const root = visible[index]
    const end = roots[place + 1]?.index ?? nodes.length
    // A window as large as the screen may pass touches through.
    if (!root || root.page) continue
    // `withoutBars` removed the keys of the keyboard, so the keyboard has no node that acts.
    if (keyboards.has(index)) windows.push({ index, area: root.visible })
    if (keyboards.has(index) || !frontFirst) continue
    if (!visible.slice(index, end).some((node) => node && acts(node))) continue
    windows.push({ index, area: root.visible })
  }
  return windows
}

const largest = (covers: Cover[]): Cover[] =>
  covers.sort((a, b) => areaOf(b.area) - areaOf(a.area)).slice(0, maxCovers)

/** Some apps make a node tappable by a view without text over it: the node below stays in the tree. */
const isTapLayer = (silent: VisibleNode, under: VisibleNode): boolean =>
  silent.parent === under.parent && areaOf(silent.visible) === areaOf(under.visible)
