/** The actions `scroll` and `scroll_to`. */
import type { ActionOf } from '@phonerack/shared'
import type { ScreenTree, VisibleNode } from '../screen/elements.js'
import type { Point } from '../adb/device/device.js'
import { areaOf, contains, sizeOf, wholeScreen } from '../screen/geometry.js'
import { TargetMiss, type ActionContext } from './context.js'
import { scroll, type Direction } from './gestures.js'
import { scrollOutcome, type ScrollOutcome } from './scroll-outcome.js'
import type { Place } from './target.js'

export async function scrollOnce(action: ActionOf<'scroll'>, context: ActionContext): Promise<ScrollOutcome> {
  const place = action.target ? await context.resolve(action.target) : null
  return move(await context.tree(), place, action.direction, action.amount, context)
}

/**
 * The share of a container is below 1, so that an item cut off at the container's edge comes fully into view with the
 * next scroll.
 */
const searchAmount = 0.6

export async function scrollTo(
  action: ActionOf<'scroll_to'>,
  context: ActionContext,
): Promise<ScrollOutcome> {
  const all: ScrollOutcome = { moved: false, at_end: null }
  let canMove = true
  for (let scrolls = 0; ; scrolls += 1) {
    const tree = await context.tree()
    const match = context.match(action.target, tree)
    // Several matches count as one: the target is on the screen.
    if (match.found || match.miss.code === 'ambiguous_target') return all
    if (!canMove || scrolls === action.max_scrolls)
      throw new TargetMiss({ ...match.miss, facts: { ...match.miss.facts, scrolls, ...all } })
    const { moved, at_end } = await move(tree, null, action.direction, searchAmount, context)
    canMove = moved
    all.moved ||= moved
    all.at_end = at_end
  }
}

async function move(
  tree: ScreenTree,
  place: Place | null,
  direction: Direction,
  amount: number,
  context: ActionContext,
): Promise<ScrollOutcome> {
  const scroller = containerFor(tree, place, direction)
  const container = scroller?.visible ?? place?.bounds ?? wholeScreen(tree.screen)
  const strokes = scroll(container, direction, amount, tree.screen)
  for (const stroke of strokes) await context.gesture([stroke])
  const distance = strokes.reduce((sum, { points }) => sum + lengthOf(points[0], points.at(-1)), 0)
  const after = await context.currentTree()
  const scrolled = { direction, container, scrollable: scroller !== null, count: strokes.length, distance }
  return scrollOutcome(tree, after, scrolled)
}

const lengthOf = (from: Point | undefined, to: Point | undefined): number =>
  from && to ? Math.abs(to.x - from.x) + Math.abs(to.y - from.y) : 0

/**
 * Returns the scrollable container around the place. Without a place, returns the largest container that scrolls in
 * that direction. Null when there is no such container. Pure.
 */
export function containerFor(
  tree: ScreenTree,
  place: Place | null,
  direction: Direction,
): VisibleNode | null {
  if (place?.node) return scrollerAround(tree, place.node)
  const scrollers = tree.visible
    .filter((node) => node !== null && node.scrollable)
    .filter((node) => node !== null)
  if (place) {
    const around = scrollers.filter((node) => contains(node.visible, place.center))
    return around.toSorted((a, b) => areaOf(a.visible) - areaOf(b.visible))[0] ?? null
  }
  const sideways = direction === 'left' || direction === 'right'
  const fitting = scrollers.filter((node) => looksSideways(node) === sideways)
  const largest = (fitting.length > 0 ? fitting : scrollers).toSorted(
    (a, b) => areaOf(b.visible) - areaOf(a.visible),
  )[0]
  return largest ?? null
}

function scrollerAround(tree: ScreenTree, node: VisibleNode): VisibleNode | null {
  for (let at = node.index; at >= 0; at = tree.nodes[at]?.parent ?? -1) {
    const around = tree.visible[at]
    if (around?.scrollable) return around
  }
  return null
}

/** Android does not report a view's scroll axis; its class and shape indicate it. */
function looksSideways(node: VisibleNode): boolean {
  const { width, height } = sizeOf(node.visible)
  return /Horizontal|ViewPager/.test(node.className) || width >= 2 * height
}
