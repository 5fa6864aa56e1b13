/**
 * Reduces the elements of a shown screen to numbers, by which they are recognised on later screens. No text of a screen stays
 * in memory. Pure.
 */
import { limits } from '@phonerack/shared'
import type { ScreenElement, ScreenTree } from '../elements.js'
import { wholeScreen, type Bounds } from '../geometry.js'
import { containerClass } from '../kinds.js'
import type { UiNode } from '../nodes.js'
import { hasVisibleText } from '../visible-text.js'
import { hashOf } from './hash.js'

export interface Trace {
  ref: number
  /** Position in the document. */
  index: number
  /**
   * Hash of app, class and ID. The app is included because the tree of one app may be read with the window of another
   * app.
   */
  kind: number
  /** Hash of app, class, ID, text and description. */
  name: number
  /** Hash of the classes and IDs of the ancestors. */
  path: number
  /** Hash of the texts in the list row or dialog around the element; 0 when there is no row, dialog or text. */
  row: number
  /** The index of this row or dialog; -1 when there is no row or dialog. */
  inRow: number
  hasText: boolean
  hasId: boolean
  isField: boolean
  bounds: Bounds
  /** Indexes of the ancestors, the nearest first. */
  around: readonly number[]
  /** Indexes of the scrolling ancestors, the nearest first. */
  scrollers: readonly number[]
  /** Hash of everything in the nearest scroller, with places; 0 when there is no scroller. */
  area: number
}

/** Limits far beyond real trees. An app can nest more, which must cost neither time nor memory. */
const most = { ancestors: 150, scrollers: 8 }

/** Traces of the listed elements, with their refs, in the order of the document. */
export function traceOf(tree: ScreenTree): Trace[] {
  const { nodes } = tree
  const kinds = nodes.map(({ package: app, className, id }) => hashOf(app, className, id))
  const paths: number[] = []
  for (const { index, parent } of nodes) paths.push(hashOf(paths[parent] ?? 0, kinds[index] ?? 0))
  const rows = rowsOf(tree, kinds)
  const rowTexts = textsOf(tree, rows)
  const listed = tree.elements
    .slice(0, limits.elements.max)
    .sort((a, b) => a.node.index - b.node.index)
    .map((element): Trace => {
      const { node, text, desc, id } = element
      const around = ancestorsOf(node, nodes)
      return {
        ref: element.ref,
        index: node.index,
        kind: kinds[node.index] ?? 0,
        name: nameOf(element),
        path: paths[node.parent] ?? 0,
        row: rowTexts.get(rows[node.parent] ?? -1) ?? 0,
        inRow: rows[node.parent] ?? -1,
        hasText: text !== null || desc !== null,
        hasId: id !== null,
        isField: node.editable,
        bounds: element.bounds,
        around,
        scrollers: around.filter((index) => nodes[index]?.scrollable).slice(0, most.scrollers),
        area: 0,
      }
    })
  const areas = new Map<number, number>()
  for (const { scrollers, name, bounds } of listed)
    for (const scroller of scrollers) areas.set(scroller, hashOf(areas.get(scroller) ?? 0, name, ...bounds))
  return listed.map((trace) => ({ ...trace, area: areas.get(trace.scrollers[0] ?? -1) ?? 0 }))
}

const nameOf = ({ node, className, id, text, desc }: ScreenElement): number =>
  hashOf(node.package, className, id ?? '', shortened(text), shortened(desc))

const shortened = (text: string | null): string => (text ?? '\0').slice(0, limits.elements.text)

function ancestorsOf({ parent }: UiNode, nodes: readonly UiNode[]): number[] {
  const found: number[] = []
  for (let at = parent; at >= 0 && found.length < most.ancestors; at = nodes[at]?.parent ?? -1) found.push(at)
  return found
}

/**
 * Returns for each node the nearest list row or dialog that contains the node or is the node; -1 when there is none.
 * Siblings of one kind that hold other nodes are rows, and so are the children of a list.
 */
function rowsOf({ nodes, screen }: ScreenTree, kinds: readonly number[]): number[] {
  const counts = new Map<number, number>()
  const sibling = ({ index, parent }: UiNode): number => hashOf(parent, kinds[index] ?? 0)
  const isParent = new Set(nodes.map(({ parent }) => parent))
  for (const node of nodes) counts.set(sibling(node), (counts.get(sibling(node)) ?? 0) + 1)
  const isRow = (node: UiNode): boolean => {
    const parent = nodes[node.parent]
    if (!parent) return !isWhole(node, wholeScreen(screen))
    if (!isParent.has(node.index)) return false
    const isInList = containerClass.test(parent.className) && !parent.className.endsWith('ScrollView')
    return isInList || (counts.get(sibling(node)) ?? 0) > 1
  }
  const rows: number[] = []
  for (const node of nodes) rows.push(isRow(node) ? node.index : (rows[node.parent] ?? -1))
  return rows
}

/**
 * Whether the node is a whole app window: as wide as the screen and at least three quarters as high. A dialog is
 * smaller.
 */
const isWhole = ({ bounds }: UiNode, [, , width, height]: Bounds): boolean =>
  bounds === null || (bounds[2] - bounds[0] >= width && (bounds[3] - bounds[1]) * 4 >= height * 3)

/**
 * Returns hashes of the texts in each row, including the texts of nested rows. Omits typed text. Reads each text once.
 */
function textsOf({ nodes, visible }: ScreenTree, rows: readonly number[]): ReadonlyMap<number, number> {
  const texts = new Map<number, number>()
  const add = (row: number, text: string | number): void => {
    if (row >= 0) texts.set(row, hashOf(texts.get(row) ?? 0, text))
  }
  for (const node of nodes) {
    if (node.editable || (visible[node.index] === null && !node.shown)) continue
    for (const text of [node.text, node.desc]) if (hasVisibleText(text)) add(rows[node.index] ?? -1, text)
  }
  // Nested rows come after their outer row in the document.
  for (const { index, parent } of nodes.toReversed()) {
    const inside = rows[index] === index ? texts.get(index) : undefined
    if (inside !== undefined) add(rows[parent] ?? -1, inside)
  }
  return texts
}
