/**
 * The screen as the server searches it: a snapshot of the windows' nodes in
 * document order, each with a name that lasts for its view's lifetime. Pure.
 */
import { createHash } from 'node:crypto'
import type { AccessibilityNode, AccessibilityWindow, ScreenRect } from '../android/accessibility.js'

export interface TreeNode {
  readonly info: AccessibilityNode
  readonly window: AccessibilityWindow
  readonly parent: TreeNode | null
  readonly children: TreeNode[]
  /** The ID has Android's form: window and source node. */
  readonly id: string
}

export interface Tree {
  roots: readonly TreeNode[]
  /** The nodes, parents before their children. */
  nodes: readonly TreeNode[]
}

interface TreeOptions {
  /** All windows, as the setting `enableMultiWindows` requests. Otherwise only the active window. */
  multiWindows: boolean
  /** Includes views outside the screen: the setting `allowInvisibleElements`. */
  invisible: boolean
}

export function buildTree(
  windows: readonly AccessibilityWindow[],
  { multiWindows, invisible }: TreeOptions,
): Tree {
  const nodes: TreeNode[] = []
  const roots = windows
    .filter((window) => multiWindows || window.active)
    .map((window) => {
      const counts = new Map<string, number>()
      countIds(window.root, counts)
      return addNode({ info: window.root, window, parent: null, key: '', counts, nodes, invisible })
    })
  return { roots, nodes }
}

/** Returns the node and its descendants, parents first. */
export function* descend(node: TreeNode): Generator<TreeNode> {
  yield node
  for (const child of node.children) yield* descend(child)
}

export const centerOf = ({ left, top, right, bottom }: ScreenRect): { x: number; y: number } => ({
  x: Math.floor((left + right) / 2),
  y: Math.floor((top + bottom) / 2),
})

interface Adding {
  info: AccessibilityNode
  window: AccessibilityWindow
  parent: TreeNode | null
  key: string
  counts: ReadonlyMap<string, number>
  nodes: TreeNode[]
  invisible: boolean
}

function addNode({ info, window, parent, key, counts, nodes, invisible }: Adding): TreeNode {
  const node: TreeNode = { info, window, parent, children: [], id: idOf(window.id, key) }
  nodes.push(node)
  for (const child of info.children) {
    if (!child.visible && !invisible) continue
    const step = child.row === null ? `${child.className}.${child.index}` : `row.${child.row}`
    const named = child.row === null && counts.get(child.resourceId) === 1
    const childKey = named ? `#${child.resourceId}` : `${key}/${step}`
    node.children.push(
      addNode({ info: child, window, parent: node, key: childKey, counts, nodes, invisible }),
    )
  }
  return node
}

/** Counts how often a window contains each resource name, since a unique name identifies its view. */
function countIds(info: AccessibilityNode, counts: Map<string, number>): void {
  if (info.resourceId !== '') counts.set(info.resourceId, (counts.get(info.resourceId) ?? 0) + 1)
  for (const child of info.children) countIds(child, counts)
}

function idOf(windowId: number, key: string): string {
  const window = windowId.toString(16).padStart(16, '0')
  const source = createHash('sha256').update(key).digest('hex').slice(0, 16)
  return `${window.slice(0, 8)}-${window.slice(8, 12)}-${window.slice(12)}-${source.slice(0, 4)}-${source.slice(4)}`
}
