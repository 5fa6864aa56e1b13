import { describe, expect, it } from 'vitest'
import { displayList } from '../toolkit/display-list.js'
import { isEmpty } from '../toolkit/geometry.js'
import { hit } from '../toolkit/hit.js'
import { shownText, walk, type View } from '../toolkit/view.js'
import { SCREENS, worldOn } from '../../testing/ui-screens.js'
import { parseTree } from '../../testing/ui-tree.js'
import { type PhoneWorld } from './world.js'

/** Returns the target of a touch at a point, over all windows. */
function landing(world: PhoneWorld, x: number, y: number): View | null {
  for (const layer of [...world.windowsNow().layers].reverse()) {
    const found = hit(layer.root, x, y)
    if (found) return found
  }
  return null
}

const isBelow = (v: View | null, ancestor: View): boolean =>
  v !== null && (v === ancestor || isBelow(v.parent, ancestor))

describe.each(Object.keys(SCREENS))('%s', (screen) => {
  it.each([0, 1])('draws, dumps and touches the same layout, at rotation %i', (rotation) => {
    const world = worldOn(screen)
    world.setRotation(rotation)
    const nodes = parseTree(world.hierarchyXml())
    const { active, layers } = world.windowsNow()
    const { width, height } = world.display
    expect(nodes.length).toBeGreaterThan(3)
    for (const { bounds: b } of nodes) {
      expect(
        b.left >= 0 &&
          b.top >= 0 &&
          b.right <= width &&
          b.bottom <= height &&
          b.left < b.right &&
          b.top < b.bottom,
      ).toBe(true)
    }

    // The tree's nodes are the visible views of the active window, with their bounds.
    const visible = [...walk(active.dumpRoot)].filter((v) => !isEmpty(v.visible))
    expect(nodes.map((n) => n.bounds)).toEqual(visible.map((v) => v.visible))

    // A tap on the middle of a clickable view reaches it, its descendant, or a view that covers it.
    for (const v of visible.filter((candidate) => candidate.clickable)) {
      const x = Math.floor((v.visible.left + v.visible.right) / 2)
      const y = Math.floor((v.visible.top + v.visible.bottom) / 2)
      const found = landing(world, x, y)
      const floating = found?.className.includes('FloatingActionButton') ?? false
      const above = layers.slice(layers.indexOf(active) + 1).some((layer) => hit(layer.root, x, y) !== null)
      expect(
        isBelow(found, v) || floating || above,
        `${v.className} ${v.text}${v.description} at ${x},${y}`,
      ).toBe(true)
    }

    // The tree contains all drawn text of the window.
    const shown = visible.map((v) => shownText(v).replace(/\s+/g, ''))
    const drawn = displayList(active.dumpRoot, { density: 2.625, fontScale: 1 }).flatMap((step) =>
      step.kind === 'text' ? [step.text] : [],
    )
    for (const text of drawn) {
      const plain = text.replace(/…$/, '').replace(/\s+/g, '')
      expect(
        shown.some((known) => known.includes(plain)),
        `drawn but not in the tree: ${text}`,
      ).toBe(true)
    }
    for (const v of visible.filter((candidate) => candidate.style && shownText(candidate).trim() !== '')) {
      const first = v.block?.lines.find((line) => line.text !== '')?.text
      const inside = v.visible.bottom - v.visible.top > (v.block?.lineHeight ?? 0)
      if (inside) expect(drawn).toContain(first)
    }
    world.close()
  })
})
