/** Resolves a target on a screen. Pure. docs/decisions/0021. */
import { folded, type SearchTarget, type Target } from '@phonerack/shared'
import type { Point, Size } from '../device/device.js'
import { inScreenOrder, type ScreenElement, type ScreenTree, type VisibleNode } from '../screen/elements.js'
import { centerOf, contains, wholeScreen, type Bounds } from '../screen/geometry.js'
import { findAgain } from '../screen/identity.js'
import { isButton } from '../screen/kinds.js'
import type { SnapshotElement } from '../screen/snapshots.js'
import { touchPointOf } from '../screen/touch-point.js'
import { mostSimilar } from './similar.js'

/** A location on the screen that an action can aim at. */
export interface Place {
  center: Point
  /** Null for bare coordinates. */
  bounds: Bounds | null
  node: VisibleNode | null
  element: ScreenElement | null
  /** The ref in the client's snapshot, or on the current screen. */
  ref: number | null
}

/** A place, with the point at which to touch it. */
export interface Aim extends Place {
  /** The centre when it is free, else a point that no other touchable node covers, unless `covered`. */
  touchPoint: Point
  /** Other touchable nodes cover every point of the element. */
  covered: boolean
}

export interface Miss {
  code: 'target_not_found' | 'ambiguous_target' | 'stale_snapshot'
  target: Target
  /** From the tree that the action read; at most 10. */
  candidates: readonly ScreenElement[]
  /** Added to the error's details. */
  facts: Readonly<Record<string, unknown>>
}

export type Match = { found: true; place: Aim } | { found: false; miss: Miss }

export const isPoint = (target: Target): target is { x: number; y: number } => 'x' in target
const isRef = (target: Target): target is { ref: number; snapshot_id: string } => 'ref' in target

const maxCandidates = 10

/** Coordinates need no tree. */
export function matchPoint(target: { x: number; y: number }, screen: Size): Match {
  const center = { x: target.x, y: target.y }
  if (contains(wholeScreen(screen), center))
    return found({ center, bounds: null, node: null, element: null, ref: null }, null)
  const facts = { screen: { width: screen.width, height: screen.height } }
  return miss('target_not_found', target, [], facts)
}

/**
 * `lookUp` returns the element behind a ref in its snapshot; null: expired, unknown, or
 * of another assignment.
 */
export function matchTarget(
  target: Target,
  tree: ScreenTree,
  lookUp: (snapshotId: string, ref: number) => SnapshotElement | null,
): Match {
  if (isPoint(target)) return matchPoint(target, tree.screen)
  if (isRef(target)) return matchRef(target, tree, lookUp)
  const places = matchAll(target, tree)
  const nth = 'text' in target ? target.nth : undefined
  if (nth === undefined && places.length > 1)
    return miss('ambiguous_target', target, elementsOf(places), { matches: places.length })
  const place = places[nth ?? 0]
  if (place) return found(place, tree)
  if (places.length > 0)
    return miss('target_not_found', target, elementsOf(places), { matches: places.length })
  return miss('target_not_found', target, mostSimilar(wordsOf(target), tree.elements, maxCandidates), {})
}

function matchRef(
  target: { ref: number; snapshot_id: string },
  tree: ScreenTree,
  lookUp: (snapshotId: string, ref: number) => SnapshotElement | null,
): Match {
  const before = lookUp(target.snapshot_id, target.ref)
  if (!before) return miss('stale_snapshot', target, [], { reason: 'unknown' })
  const element = findAgain(before, tree.elements)
  if (element) return found({ ...elementPlace(element), ref: target.ref }, tree)
  const words = before.text ?? before.desc ?? before.id ?? ''
  return miss('stale_snapshot', target, mostSimilar(words, tree.elements, maxCandidates), {
    reason: 'changed',
  })
}

/** All matching places, in screen order. */
export function matchAll(target: SearchTarget, tree: ScreenTree): Place[] {
  return toPlaces(matchNodes(target, tree), tree)
}

function matchNodes(target: SearchTarget, tree: ScreenTree): VisibleNode[] {
  const nodes = tree.visible.filter((node) => node !== null)
  if ('id' in target) {
    const { id } = target
    return nodes.filter((node) => node.id !== '' && (node.id === id || node.id.endsWith(`:id/${id}`)))
  }
  const wanted = 'text' in target ? target.text : target.desc
  const said = nodes.map((node) => ('text' in target ? textsOf(node, tree) : [node.desc]))
  const matching = (test: (words: string) => boolean): VisibleNode[] =>
    nodes.filter((_, index) => said[index]?.some((words) => words !== '' && test(words)))
  const sought = folded(wanted)
  const steps = [
    (words: string) => words === wanted,
    (words: string) => sought !== '' && folded(words) === sought,
    (words: string) => sought !== '' && folded(words).includes(sought),
  ]
  for (const step of steps) {
    const matches = matching(step)
    if (matches.length > 0) return matches
  }
  return []
}

/** Its own text and the text taken from its children, which the client saw as its text. */
function textsOf(node: VisibleNode, tree: ScreenTree): string[] {
  const element = tree.elementOf[node.index]
  const taken = element?.node.index === node.index ? (element.text ?? '') : ''
  return [node.text, taken]
}

/** Maps nodes to their elements; several inside one button become that button. */
function toPlaces(nodes: readonly VisibleNode[], tree: ScreenTree): Place[] {
  const lifted = new Map<number, Place>()
  for (const node of nodes) {
    const place = placeOf(node, tree)
    lifted.set(place.node?.index ?? node.index, place)
  }
  const byButton = new Map<number, Place[]>()
  for (const [index, place] of lifted) {
    const key = buttonsAround(index, tree)[0] ?? index
    byButton.set(key, [...(byButton.get(key) ?? []), place])
  }
  const merged = new Map<number, Place>()
  for (const [button, places] of byButton) {
    const [only] = places
    const element = tree.elementOf[button]
    const place = places.length > 1 && element ? elementPlace(element) : only
    if (place) merged.set(place.node?.index ?? button, place)
  }
  const outermost = [...merged].filter(
    ([index]) => !buttonsAround(index, tree).some((button) => button !== index && merged.has(button)),
  )
  return inScreenOrder(outermost.sort(([a], [b]) => a - b).map(([, place]) => place))
}

/** Indexes of the buttons around the node, itself included, innermost first. */
function buttonsAround(index: number, tree: ScreenTree): number[] {
  const buttons: number[] = []
  for (let at = index; at >= 0; at = tree.nodes[at]?.parent ?? -1) {
    const node = tree.visible[at]
    if (node && isButton(node)) buttons.push(at)
  }
  return buttons
}

function placeOf(node: VisibleNode, tree: ScreenTree): Place {
  const element = tree.elementOf[node.index]
  if (element) return elementPlace(element)
  return { center: centerOf(node.visible), bounds: node.visible, node, element: null, ref: null }
}

const elementPlace = (element: ScreenElement): Place => ({
  center: element.center,
  bounds: element.bounds,
  node: element.node,
  element,
  ref: element.ref,
})

function found(place: Place, tree: ScreenTree | null): Match {
  const { point, covered } =
    place.node && tree ? touchPointOf(place.node, tree) : { point: place.center, covered: false }
  return { found: true, place: { ...place, touchPoint: point, covered } }
}

const wordsOf = (target: SearchTarget): string =>
  'id' in target ? target.id : 'text' in target ? target.text : target.desc

const elementsOf = (places: readonly Place[]): ScreenElement[] =>
  places.map((place) => place.element).filter((element) => element !== null)

const miss = (
  code: Miss['code'],
  target: Target,
  candidates: readonly ScreenElement[],
  facts: Record<string, unknown>,
): Match => ({ found: false, miss: { code, target, candidates: candidates.slice(0, maxCandidates), facts } })
