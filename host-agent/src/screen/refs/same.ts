/**
 * Finds the elements of an earlier screen on a later screen of the same window. When elements and their rows have the
 * same content, only an element at the place where the content moved is the same; in doubt, the element is new. Takes
 * time in proportion to the elements, and `mostComparisons` for equal elements under one parent. Pure.
 */
import type { Bounds } from '../geometry.js'
import type { Trace } from './trace.js'

/** Pixels by which rounding may move an element. */
const tolerance = 2
/** The number of comparisons of equal elements under one parent, since an app can draw 500. The other elements are new. */
const mostComparisons = 50_000

/**
 * Returns for each element of `now` the same element of `before`, or null. Both lists are in document order. `isLast`:
 * whether no other screen was shown in between, so that an element whose text changed can be recognised by its place.
 */
export function findSame(before: readonly Trace[], now: readonly Trace[], isLast: boolean): (Trace | null)[] {
  const same = new Map<Trace, Trace>()
  const taken = new Map<Trace, Trace>()
  // Ancestors that are the same: earlier → later, and back.
  const later = new Map<number, number>()
  const earlier = new Map<number, number>()
  const link = (was: Trace, is: Trace): void => {
    same.set(is, was)
    taken.set(was, is)
    for (const [level, from] of was.around.entries()) {
      const to = is.around[level]
      if (to === undefined || later.has(from) || earlier.has(to)) break
      later.set(from, to)
      earlier.set(to, from)
    }
  }
  const anchors = anchorsOf(before, now)
  for (const { was, is } of anchors) link(was, is)
  const shifts = shiftsOf(anchors)

  const places = new Set(now.map(placeOf))
  const fixed = before.filter(({ scrollers }) => scrollers.length === 0)
  const isMostlyStill = fixed.filter((was) => places.has(placeOf(was))).length * 2 >= fixed.length

  const [aroundWas, aroundIs] = [new Map<Trace, Neighbours>(), new Map<Trace, Neighbours>()]
  const findNeighbours = (): void => {
    neighboursOf(before, (was) => (taken.has(was) ? was : null), aroundWas)
    neighboursOf(now, (is) => same.get(is) ?? null, aroundIs)
  }
  /** Whether the elements before and after it in its list are the same, and moved as it did. */
  const isBetween = (was: Trace): ((is: Trace) => boolean) => {
    const [first, last] = aroundWas.get(was) ?? []
    if (!first || !last) return () => false
    const [a, b] = [first, last].map((each) => shiftOf(each, taken.get(each) ?? each))
    if (!a || a.join() !== b?.join()) return () => false
    return (is) => {
      const [firstNow, lastNow] = aroundIs.get(is) ?? []
      return first === firstNow && last === lastNow && isAt(was.bounds, is.bounds, a)
    }
  }

  /** Links the remaining elements that have the same ancestor, path and `key`. */
  const pass = (
    key: (trace: Trace) => number,
    isSure: (was: Trace, under: Under) => boolean,
    sameAs: (was: Trace) => (is: Trace) => boolean,
  ): void => {
    findNeighbours()
    const groups = new Map<string, { was: [Trace, Under][]; is: Trace[] }>()
    const groupOf = (trace: Trace, under: number) => {
      const name = `${under} ${trace.path} ${key(trace)}`
      const group = groups.get(name) ?? { was: [], is: [] }
      groups.set(name, group)
      return group
    }
    for (const was of before) {
      if (taken.has(was)) continue
      const under = nearestIn(was, later)
      groupOf(was, later.get(under.ancestor) ?? -1).was.push([was, under])
    }
    for (const is of now) if (!same.has(is)) groupOf(is, nearestIn(is, earlier).ancestor).is.push(is)
    for (const group of groups.values()) {
      const isOnly = group.was.length === 1 && group.is.length === 1
      const open = new Set(group.is)
      let comparisons = 0
      for (const [was, under] of group.was) {
        const isSame = isOnly && isSure(was, under) ? () => true : sameAs(was)
        for (const is of open) {
          if ((comparisons += 1) > mostComparisons) break
          if (!isSame(is)) continue
          link(was, is)
          open.delete(is)
          break
        }
      }
    }
  }

  const names = [before, now].map(uniqueNames)
  const isClear = (trace: Trace): boolean =>
    isLast && trace.hasText && names.every((unique) => unique.has(nameOf(trace)))
  const byName = (): void =>
    pass(
      ({ name }) => name,
      (was, { isInRow }) => (isInAny(was) ? isInRow : was.hasId),
      (was) => {
        const shift =
          was.scrollers.length === 0 ? still : was.scrollers.map((each) => shifts.get(each)).find(Boolean)
        if (!shift) return (is) => was.area === is.area && isAt(was.bounds, is.bounds, still)
        const isInGap = isLast ? isBetween(was) : () => false
        const hasOwnName = isClear(was)
        return (is) =>
          isInGap(is) || ((was.row === is.row || hasOwnName) && isAt(was.bounds, is.bounds, shift))
      },
    )
  byName()
  // Finds the other parts of rows that the first pass has found.
  byName()
  if (isLast)
    pass(
      ({ kind }) => kind,
      (was, { isInRow }) => (isInAny(was) && !was.isField ? isInRow : was.hasId),
      (was) => (isInAny(was) ? isBetween(was) : (is) => isMostlyStill && isAt(was.bounds, is.bounds, still)),
    )
  return now.map((is) => same.get(is) ?? null)
}

interface Pair {
  was: Trace
  is: Trace
}
type Shift = readonly [x: number, y: number]
const still: Shift = [0, 0]

/** Returns the elements that are recognised by their texts, or, outside lists, by an ID. They keep their order. */
function anchorsOf(before: readonly Trace[], now: readonly Trace[]): Pair[] {
  const [was, is] = [uniqueByContent(before), uniqueByContent(now)]
  const all = [...is].flatMap(([content, each]): Pair[] => {
    const found = was.get(content)
    return each && found ? [{ was: found, is: each }] : []
  })
  const inPlace = all.filter((pair) => isAt(pair.was.bounds, pair.is.bounds, still)).length
  const isSameScreen = inPlace * 2 >= Math.min(before.length, now.length)
  // Another screen of the window may have a button with the same text.
  const known = all.filter(
    (pair) =>
      pair.is.scrollers.length > 0 ||
      pair.is.hasId ||
      isSameScreen ||
      isAt(pair.was.bounds, pair.is.bounds, still),
  )
  return inOrder(known)
}

/** Maps each content to its element. Null when several elements have the same content. */
function uniqueByContent(traces: readonly Trace[]): Map<string, Trace | null> {
  const found = new Map<string, Trace | null>()
  for (const trace of traces) {
    const isKnown = trace.hasText || trace.row !== 0 || (trace.hasId && trace.scrollers.length === 0)
    if (!isKnown) continue
    const content = `${trace.name} ${trace.path} ${trace.row}`
    found.set(content, found.has(content) ? null : trace)
  }
  return found
}

/**
 * Returns the largest set of pairs whose elements have the same order on both screens. A pair in another order may be
 * two rows with the same texts. @param pairs in the order of `is`
 */
function inOrder(pairs: readonly Pair[]): Pair[] {
  // For each length: the pair that ends a sequence of this length with the lowest index.
  const ends: Pair[] = []
  const previous = new Map<Pair, Pair | undefined>()
  for (const pair of pairs) {
    let [low, high] = [0, ends.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((ends[middle]?.was.index ?? 0) < pair.was.index) low = middle + 1
      else high = middle
    }
    previous.set(pair, ends[low - 1])
    ends[low] = pair
  }
  const kept: Pair[] = []
  for (let pair = ends.at(-1); pair; pair = previous.get(pair)) kept.push(pair)
  return kept.reverse()
}

const shiftOf = (was: Trace, is: Trace): Shift => [is.bounds[0] - was.bounds[0], is.bounds[1] - was.bounds[1]]

/** The nearest recognised elements before and after an element in its scope, as they were on the earlier screen. */
type Neighbours = [before: Trace | null, after: Trace | null]

function neighboursOf(
  traces: readonly Trace[],
  known: (trace: Trace) => Trace | null,
  found: Map<Trace, Neighbours>,
): void {
  const last = new Map<number, Trace | null>()
  const visit = (trace: Trace, side: 0 | 1): void => {
    const neighbours = found.get(trace) ?? [null, null]
    neighbours[side] = last.get(scopeOf(trace)) ?? null
    found.set(trace, neighbours)
    last.set(scopeOf(trace), known(trace) ?? neighbours[side])
  }
  for (const trace of traces) visit(trace, 0)
  last.clear()
  for (const trace of traces.toReversed()) visit(trace, 1)
}

/** Returns for each scroller with anchors the distance by which most of its anchors moved. */
function shiftsOf(anchors: readonly Pair[]): ReadonlyMap<number, Shift> {
  const counts = new Map<number, Map<string, { count: number; shift: Shift }>>()
  for (const { was, is } of anchors) {
    const shift = shiftOf(was, is)
    for (const scroller of was.scrollers) {
      const moves = counts.get(scroller) ?? new Map<string, { count: number; shift: Shift }>()
      counts.set(scroller, moves)
      const count = (moves.get(shift.join()) ?? { count: 0 }).count + 1
      moves.set(shift.join(), { count, shift })
    }
  }
  return new Map(
    [...counts].map(([scroller, moves]) => {
      const [most] = [...moves.values()].sort((a, b) => b.count - a.count)
      return [scroller, most?.shift ?? still]
    }),
  )
}

/** Returns the nearest scroller of the element; -1 when there is none. */
const scopeOf = ({ scrollers }: Trace): number => scrollers[0] ?? -1
const isInAny = ({ scrollers, inRow }: Trace): boolean => scrollers.length > 0 || inRow >= 0
const placeOf = ({ name, path, bounds }: Trace): string => `${name} ${path} ${bounds.join()}`

const nameOf = ({ name, path }: Trace): string => `${name} ${path}`

/** Returns the names that exactly one element has. */
function uniqueNames(traces: readonly Trace[]): ReadonlySet<string> {
  const [once, again] = [new Set<string>(), new Set<string>()]
  for (const name of traces.map(nameOf)) (once.has(name) ? again : once).add(name)
  return new Set([...once].filter((name) => !again.has(name)))
}

/**
 * Whether the element moved by the shift. The top left corner, the bottom right corner or the centre must fit, since an
 * edge of a scroller may cut one side, and a longer text moves both sides.
 */
function isAt(was: Bounds, is: Bounds, [x, y]: Shift): boolean {
  const near = (a: number, b: number): boolean => Math.abs(a - b) <= tolerance
  const isNear = (from: Shift, to: Shift): boolean => near(from[0] + x, to[0]) && near(from[1] + y, to[1])
  return (
    isNear([was[0], was[1]], [is[0], is[1]]) ||
    isNear([was[2], was[3]], [is[2], is[3]]) ||
    isNear([(was[0] + was[2]) / 2, (was[1] + was[3]) / 2], [(is[0] + is[2]) / 2, (is[1] + is[3]) / 2])
  )
}

interface Under {
  /** The nearest ancestor that is on both screens; -1 when there is none. */
  ancestor: number
  /** Whether this ancestor is the row around the element, or inside that row. */
  isInRow: boolean
}

function nearestIn({ around, inRow }: Trace, known: ReadonlyMap<number, number>): Under {
  const level = around.findIndex((index) => known.has(index))
  return { ancestor: around[level] ?? -1, isInRow: level >= 0 && level <= around.indexOf(inRow) }
}
