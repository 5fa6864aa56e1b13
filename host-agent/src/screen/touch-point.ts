/**
 * Selects the point at which to touch a node, where no other node receives the touch.
 * Used by `actions/target.ts`. Pure.
 */
import type { Point } from '../adb/device/device.js'
import { areaOf, centerOf, intersect, isInside, type Bounds } from './geometry.js'
import { coveringWindows } from './covered.js'
import { drawnOverEach, type Drawn } from './drawing.js'
import type { ScreenTree } from './elements.js'
import { freePoint } from './free-point.js'
import { canBeActedOn } from './kinds.js'
import type { UiNode } from './nodes.js'
import type { VisibleNode } from './visible.js'

export interface TouchPoint {
  point: Point
  /** Other touchable nodes cover every point of the node: the point is its centre. */
  covered: boolean
}

/** The covers' grid grows with the square of their number; a real node has fewer than 40. */
const maxCovers = 500

/**
 * Whether a view consumes a touch, even while the view is disabled (Android's `View.onTouchEvent`). A list consumes
 * only moves.
 */
export const takesTouches = (node: UiNode): boolean =>
  node.clickable || node.longClickable || (node.editable && node.focusable)

export function touchPointOf(node: VisibleNode, tree: ScreenTree): TouchPoint {
  const covers = coversOf(node, tree)
  const point = freePoint(node.visible, covers)
  return { point: point ?? centerOf(node.visible), covered: point === null }
}

/** Returns the areas of the nodes that may receive a touch on this node. */
export function coversOf(node: VisibleNode, tree: ScreenTree): Bounds[] {
  const drawn = drawnOverEach(tree, node.index)
  const covers: Bounds[] = (coveringWindows(tree, canBeActedOn) ?? [])
    .filter(({ index }) => drawn[index] === 'over')
    .map(({ area }) => area)
  for (const other of tree.visible) {
    if (!other || other.index === node.index || !takesTouches(other)) continue
    if (!intersect(other.visible, node.visible)) continue
    if (mayTake(other, node, drawn[other.index])) covers.push(other.visible)
  }
  return covers.sort((a, b) => areaOf(b) - areaOf(a)).slice(0, maxCovers)
}

function mayTake(other: VisibleNode, node: VisibleNode, order: Drawn | undefined): boolean {
  if (order === 'inside' || order === 'over') return true
  // Where the phone does not report the order, a node that contains this node counts as behind this node.
  return order === 'unknown' && !isInside(node.visible, other.visible)
}
