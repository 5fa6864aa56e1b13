/** Resolves a target on a screen. Pure. */
import {
  folded,
  limits,
  mostSimilar,
  showsTypedText,
  type SearchTarget,
  type Target,
} from '@phonerack/shared'
import type { Point, Size } from '../adb/device/device.js'
import { inScreenOrder, type ScreenElement, type ScreenTree, type VisibleNode } from '../screen/elements.js'
import { centerOf, contains, wholeScreen, type Bounds } from '../screen/geometry.js'
import { identityOf, isSame } from '../screen/identity.js'
import { isButton } from '../screen/kinds.js'
import { cutText } from '../screen/observation.js'
import type { Snapshot } from '../screen/snapshots.js'
import { touchPointOf } from '../screen/touch-point.js'
import { hasVisibleText } from '../screen/visible-text.js'

/** A location on the screen that an action can aim at. */
export interface Place {
  center: Point
  /** Null for bare coordinates. */
  bounds: Bounds | null
  node: VisibleNode | null
  element: ScreenElement | null
  /** The ref in the client's snapshot, or on the current screen. */
  ref: number | null
  /** The whole name that the target matched, when the text of the target is only a part of the name. Otherwise null. */
  matched: string | null
}

/** A place, with the point at which to touch it. */
export interface Aim extends Place {
  /**
   * A point of the element that no other touchable node covers, preferably the centre. The centre when `covered` is
   * true.
   */
  touchPoint: Point
  /** Whether other touchable nodes cover every point of the element. */
  covered: boolean
}

export interface Miss {
  code: 'target_not_found' | 'ambiguous_target' | 'stale_snapshot'
  target: Target
  /** Elements of the tree that the action read; at most 10. */
  candidates: readonly ScreenElement[]
  /** Added to the error's details. */
  facts: Readonly<Record<string, unknown>>
}

export type Match = { found: true; place: Aim } | { found: false; miss: Miss }

export const isPoint = (target: Target): target is { x: number; y: number } => 'x' in target
const isRef = (target: Target): target is { ref: number; snapshot_id: string } => 'ref' in target

const maxCandidates = 10
/**
 * The characters of names that one search folds, since an app can choose long names. The longest screens have a
 * twentieth of them.
 */
const maxFolded = 1_000_000
/** The number of elements that are compared with a name that was not found, in screen order. */
const maxCompared = 1000

/** Matches coordinates, for which no tree is needed. */
export function matchPoint(target: { x: number; y: number }, screen: Size): Match {
  const center = { x: target.x, y: target.y }
  if (contains(wholeScreen(screen), center))
    return found({ center, bounds: null, node: null, element: null, ref: null, matched: null }, null)
  const facts = { screen: { width: screen.width, height: screen.height } }
  return miss('target_not_found', target, [], facts)
}

/** `lookUp` returns a snapshot, or null when the snapshot has expired, is unknown, or belongs to another assignment. */
export function matchTarget(
  target: Target,
  tree: ScreenTree,
  lookUp: (snapshotId: string) => Snapshot | null,
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
  return miss('target_not_found', target, nearTo(wordsOf(target), tree), {})
}

/** Returns the elements that the client may have meant. */
const nearTo = (words: string, tree: ScreenTree): ScreenElement[] =>
  mostSimilar(
    words,
    tree.elements.slice(0, maxCompared),
    ({ text, desc, id }) => [text ?? '', desc ?? '', id?.split(':id/').at(-1) ?? ''],
    { count: maxCandidates },
  )

function matchRef(
  target: { ref: number; snapshot_id: string },
  tree: ScreenTree,
  lookUp: (snapshotId: string) => Snapshot | null,
): Match {
  const snapshot = lookUp(target.snapshot_id)
  const before = snapshot?.elements.find(({ ref }) => ref === target.ref)
  if (!snapshot || !before) return miss('stale_snapshot', target, [], { reason: 'unknown' })
  const element = snapshot.window === tree.window && tree.elements.find(({ ref }) => ref === target.ref)
  if (element && isSame(before, identityOf(element))) return found(elementPlace(element), tree)
  const words = before.text ?? before.desc ?? before.id ?? ''
  return miss('stale_snapshot', target, nearTo(words, tree), { reason: 'changed' })
}

/** Returns all matching places, in screen order. */
export function matchAll(target: SearchTarget, tree: ScreenTree): Place[] {
  const { nodes, isPart } = matchNodes(target, tree)
  const places = toPlaces(nodes, tree)
  return isPart ? places.map((place) => ({ ...place, matched: shownName(place, 'desc' in target) })) : places
}

/** Returns the name that the screen shows. Null for a field with typed text, which records of steps omit. */
function shownName({ element, node }: Place, byDesc: boolean): string | null {
  if (element && showsTypedText(element)) return null
  const name = (byDesc ? null : element?.text) ?? element?.desc ?? (byDesc ? node?.desc : node?.text)
  return name ? cutText(name) : null
}

interface Matched {
  nodes: VisibleNode[]
  /** Whether the text of the target is only a part of the name. */
  isPart: boolean
}

function matchNodes(target: SearchTarget, tree: ScreenTree): Matched {
  const nodes = tree.visible.filter((node) => node !== null)
  if ('id' in target) {
    // The text form of a screen shows IDs with `#`.
    const ids = [target.id, target.id.replace(/^#/, '')]
    const isIt = ({ id }: VisibleNode): boolean =>
      id !== '' && ids.some((each) => id === each || (each !== '' && id.endsWith(`:id/${each}`)))
    return { nodes: nodes.filter(isIt), isPart: false }
  }
  const wanted = 'text' in target ? target.text : target.desc
  // A text in a step comes before a description in the same step.
  const kinds = 'text' in target ? [textsOf, (node: VisibleNode) => nameOf(node, tree)] : [descOf]
  const said = kinds.map((kind) => nodes.map((node) => kind(node, tree).filter((words) => words !== '')))
  const sought = folded(wanted)
  const known = new Map<string, string>()
  let left = maxFolded
  const asRead = (words: string): string => {
    const before = known.get(words)
    if (before !== undefined) return before
    const start = words.slice(0, limits.elements.text)
    left -= start.length
    const read = left < 0 ? '' : folded(start)
    known.set(words, read)
    return read
  }
  const parts = new Map<string, boolean>()
  const has = (read: string): boolean => {
    const found = parts.get(read) ?? hasPart(read, sought)
    parts.set(read, found)
    return found
  }
  const steps = [
    (words: string) => words === wanted,
    (words: string) => sought !== '' && asRead(words) === sought,
    (words: string) => sought !== '' && has(asRead(words)),
  ]
  for (const [step, test] of steps.entries())
    for (const names of said) {
      const matches = nodes.filter((_, index) => names[index]?.some(test))
      if (matches.length > 0) return { nodes: matches, isPart: step === 2 }
    }
  return { nodes: [], isPart: false }
}

/**
 * Returns the text of the node, and the text of its element, which can include texts of the node's children. The client
 * saw the element's text.
 */
function textsOf(node: VisibleNode, tree: ScreenTree): string[] {
  const element = tree.elementOf[node.index]
  const taken = element?.node.index === node.index ? (element.text ?? '') : ''
  return [node.text, taken]
}

const descOf = ({ desc }: VisibleNode): string[] => [desc]

/** The name of a node without a text is its description, which the screen shows in place of the text. */
const nameOf = (node: VisibleNode, tree: ScreenTree): string[] =>
  textsOf(node, tree).some(hasVisibleText) ? [] : descOf(node)

/** Texts of at most this many characters match whole words only: `OK` does not match `Bookmarks`. */
const shortLength = 3
const wordsOfText = new Intl.Segmenter('en', { granularity: 'word' })

/** Expects folded texts. */
function hasPart(words: string, sought: string): boolean {
  if (!words.includes(sought)) return false
  if (Array.from(sought).length > shortLength) return true
  const ends = new Set([0])
  for (const { index, segment } of wordsOfText.segment(words)) ends.add(index + segment.length)
  for (let at = words.indexOf(sought); at >= 0; at = words.indexOf(sought, at + 1))
    if (ends.has(at) && ends.has(at + sought.length)) return true
  return false
}

/** Maps nodes to their elements. Several nodes inside one button become that button. */
function toPlaces(nodes: readonly VisibleNode[], tree: ScreenTree): Place[] {
  const lifted = new Map<number, Place>()
  for (const node of nodes) {
    const place = placeOf(node, tree)
    lifted.set(place.node?.index ?? node.index, place)
  }
  const buttons = buttonsAround(tree)
  const byButton = new Map<number, Place[]>()
  for (const [index, place] of lifted) {
    const button = buttons[index] ?? -1
    const key = button >= 0 ? button : index
    const list = byButton.get(key)
    if (list) list.push(place)
    else byButton.set(key, [place])
  }
  const merged = new Map<number, Place>()
  for (const [button, places] of byButton) {
    const [only] = places
    const element = tree.elementOf[button]
    const place = places.length > 1 && element ? elementPlace(element) : only
    if (place) merged.set(place.node?.index ?? button, place)
  }
  const isInside: boolean[] = []
  for (const { parent } of tree.nodes)
    isInside.push(isInside[parent] === true || (buttons[parent] === parent && merged.has(parent)))
  const outermost = [...merged].filter(([index]) => !isInside[index])
  return inScreenOrder(outermost.sort(([a], [b]) => a - b).map(([, place]) => place))
}

/** Returns for each node the innermost button that the node is or is in; -1 when there is none. */
function buttonsAround({ nodes, visible }: ScreenTree): number[] {
  const buttons: number[] = []
  for (const { index, parent } of nodes) {
    const node = visible[index]
    buttons.push(node && isButton(node) ? index : (buttons[parent] ?? -1))
  }
  return buttons
}

function placeOf(node: VisibleNode, tree: ScreenTree): Place {
  const element = tree.elementOf[node.index]
  if (element) return elementPlace(element)
  return {
    center: centerOf(node.visible),
    bounds: node.visible,
    node,
    element: null,
    ref: null,
    matched: null,
  }
}

const elementPlace = (element: ScreenElement): Place => ({
  center: element.center,
  bounds: element.bounds,
  node: element.node,
  element,
  ref: element.ref,
  matched: null,
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
