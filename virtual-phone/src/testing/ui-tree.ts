/** Reads the world's tree dump like a client, and acts on its elements. Used by the tests of `ui/`. */
import { SaxesParser } from 'saxes'
import { type World } from '../android/world.js'

export interface TreeNode {
  attributes: Record<string, string>
  bounds: { left: number; top: number; right: number; bottom: number }
  parent: TreeNode | null
}

/**
 * Returns every node, parents first.
 * @throws for XML that is not well-formed, or for invalid bounds
 */
export function parseTree(xml: string): TreeNode[] {
  const nodes: TreeNode[] = []
  const open: TreeNode[] = []
  const parser = new SaxesParser()
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', (tag) => {
    if (tag.name !== 'node') return
    const attributes = Object.fromEntries(
      Object.entries(tag.attributes).map(([name, value]) => [name, value]),
    )
    const match = /^\[(-?\d+),(-?\d+)\]\[(-?\d+),(-?\d+)\]$/.exec(attributes['bounds'] ?? '')
    if (!match) throw new Error(`Bounds ${attributes['bounds'] ?? 'missing'}`)
    const [left = 0, top = 0, right = 0, bottom = 0] = match.slice(1).map(Number)
    const node = { attributes, bounds: { left, top, right, bottom }, parent: open.at(-1) ?? null }
    nodes.push(node)
    open.push(node)
  })
  parser.on('closetag', (tag) => {
    if (tag.name === 'node') open.pop()
  })
  parser.write(xml).close()
  return nodes
}

export const treeOf = (world: World): TreeNode[] => parseTree(world.hierarchyXml())

/** Returns the first node with this text, description or ID (the part after `:id/`). */
export function find(world: World, wanted: string): TreeNode | undefined {
  return treeOf(world).find(
    ({ attributes: a }) =>
      a['text'] === wanted || a['content-desc'] === wanted || a['resource-id']?.endsWith(`:id/${wanted}`),
  )
}

export function get(world: World, wanted: string): TreeNode {
  const node = find(world, wanted)
  if (!node) throw new Error(`Nothing on the screen is ${wanted}`)
  return node
}

export const textOf = (world: World, id: string): string => get(world, id).attributes['text'] ?? ''

export function center(node: TreeNode): { x: number; y: number } {
  const { left, top, right, bottom } = node.bounds
  return { x: Math.floor((left + right) / 2), y: Math.floor((top + bottom) / 2) }
}

export function tapAt(world: World, x: number, y: number): void {
  world.touch('down', 0, x, y)
  world.touch('up', 0, x, y)
}

export function tap(world: World, wanted: string): void {
  const { x, y } = center(get(world, wanted))
  tapAt(world, x, y)
}

export function press(world: World, keyCode: number, metaState = 0): void {
  world.key('down', keyCode, metaState)
  world.key('up', keyCode, metaState)
}

/** Drags from point to point, in steps. */
export function drag(
  world: World,
  from: { x: number; y: number },
  to: { x: number; y: number },
  steps = 10,
): void {
  world.touch('down', 0, from.x, from.y)
  for (let i = 1; i <= steps; i++) {
    world.touch('move', 0, from.x + ((to.x - from.x) * i) / steps, from.y + ((to.y - from.y) * i) / steps)
  }
  world.touch('up', 0, to.x, to.y)
}

export function launch(world: World, packageName: string): void {
  const categories = ['android.intent.category.LAUNCHER']
  world.startActivity({ action: 'android.intent.action.MAIN', package: packageName, categories, extras: {} })
}
