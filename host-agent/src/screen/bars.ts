/**
 * Removes the status and navigation bars from a screen's nodes, and all of a keyboard except its area, so that the
 * keyboard covers the elements behind it. Otherwise an app's button "Back" or "Search" would appear twice. Used by
 * `buildTree`.
 */
import type { Bounds } from './geometry.js'
import { isKeyboard } from './keyboard.js'
import type { ParsedNodes, UiNode } from './nodes.js'

/** A bar is as long as a side of the screen, and thinner than the longer side of the screen divided by this number. */
const thin = 8

/**
 * Changes the given nodes and numbers them again. `keyboard`: the package of the phone's keyboard; null when unknown;
 * empty when no window is a keyboard.
 */
export function withoutBars(parsed: ParsedNodes, keyboard: string | null): ParsedNodes {
  const roots = parsed.nodes.filter(({ parent }) => parent < 0)
  if (roots.length < 2) return parsed
  const [right, bottom] = [2, 3].map((side) => Math.max(0, ...roots.map(({ bounds }) => bounds?.[side] ?? 0)))
  const isBar = ({ bounds, package: name }: UiNode): boolean => {
    if (name !== 'com.android.systemui' || bounds === null) return false
    const [width, height] = [bounds[2] - bounds[0], bounds[3] - bounds[1]]
    const isLong = width === right || height === bottom
    return isLong && Math.min(width, height) * thin < Math.max(right ?? 0, bottom ?? 0)
  }
  // A screen that has only bars keeps its bars.
  if (roots.every(isBar)) return parsed
  const nodes: UiNode[] = []
  const keyboards = new Set<number>()
  for (const [at, root] of roots.entries()) {
    if (isBar(root)) continue
    const window = parsed.nodes.slice(root.index, roots[at + 1]?.index)
    const shift = nodes.length - root.index
    const hasKeys = isKeyboard(root.package, keyboard)
    if (hasKeys) keyboards.add(nodes.length)
    for (const node of hasKeys ? [emptied(window)] : window) {
      node.index += shift
      if (node.parent >= 0) node.parent += shift
      nodes.push(node)
    }
  }
  return { ...parsed, nodes, keyboards }
}

/**
 * Returns the window without text and actions, with the area of its keys: some keyboards' windows are as large as the
 * screen, and pass touches above their keys through (`InputMethodService.onComputeInsets`).
 */
function emptied([root, ...inside]: UiNode[]): UiNode {
  if (!root) throw new RangeError('a window without a node')
  const keys = inside.flatMap(({ clickable, bounds }) => (clickable && bounds ? [bounds] : []))
  const area = keys.reduce<Bounds | null>(
    (all, [left, top, right, bottom]) =>
      all
        ? [Math.min(all[0], left), Math.min(all[1], top), Math.max(all[2], right), Math.max(all[3], bottom)]
        : [left, top, right, bottom],
    null,
  )
  return {
    ...root,
    bounds: area ?? root.bounds,
    text: '',
    desc: '',
    clickable: false,
    longClickable: false,
    scrollable: false,
    focusable: false,
  }
}
