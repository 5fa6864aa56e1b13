import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type World } from '../../android/world.js'
import { SCREENS, worldOn } from '../../testing/ui-screens.js'
import { tapAt, treeOf } from '../../testing/ui-tree.js'

const x = fc.integer({ min: -20, max: 2420 })
const y = x
const step: fc.Arbitrary<(world: World) => void> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(x, y).map(
      ([px, py]) =>
        (w: World) =>
          tapAt(w, px, py),
    ),
  },
  {
    weight: 3,
    arbitrary: fc.nat().map((n) => (w: World) => {
      const nodes = treeOf(w).filter((node) => node.attributes['clickable'] === 'true')
      const node = nodes[n % Math.max(1, nodes.length)]
      if (node)
        tapAt(w, (node.bounds.left + node.bounds.right) / 2, (node.bounds.top + node.bounds.bottom) / 2)
    }),
  },
  fc
    .tuple(fc.constantFrom('down', 'move', 'up', 'cancel'), fc.nat({ max: 3 }), x, y)
    .map(([action, id, px, py]) => (w: World) => {
      w.touch(action, id, px, py)
    }),
  fc
    .tuple(
      fc.oneof(
        fc.constantFrom(
          3,
          4,
          19,
          20,
          21,
          22,
          23,
          26,
          61,
          62,
          66,
          67,
          92,
          93,
          112,
          122,
          123,
          187,
          223,
          224,
          277,
          278,
          279,
        ),
        fc.integer({ min: 0, max: 300 }),
      ),
      fc.constantFrom(0, 1, 0x1000, 0x1001),
    )
    .map(([code, meta]) => (w: World) => {
      w.key('down', code, meta)
    }),
  fc.string({ unit: 'binary', maxLength: 40 }).map((text) => (w: World) => {
    w.commitText(text)
  }),
  fc
    .tuple(x, y, fc.integer({ min: -5, max: 5 }), fc.integer({ min: -5, max: 5 }))
    .map(([px, py, h, v]) => (w: World) => {
      w.scroll(px, py, h, v)
    }),
  fc.integer({ min: 0, max: 3 }).map((rotation) => (w: World) => {
    w.setRotation(rotation)
  }),
  fc.constantFrom(
    (w: World) => {
      w.wake()
    },
    (w: World) => {
      w.expandNotifications()
    },
    (w: World) => {
      w.collapsePanels()
    },
    (w: World) => {
      w.reboot(JSON.parse(JSON.stringify(w.exportState())))
    },
  ),
)

it('any input on any screen keeps the tree valid, within the screen and drawable', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...Object.keys(SCREENS)),
      fc.array(step, { minLength: 1, maxLength: 25 }),
      async (screen, steps) => {
        const world = worldOn(screen)
        try {
          for (const act of steps) {
            act(world)
            const { width, height } = world.display
            for (const { bounds } of treeOf(world)) {
              expect(
                bounds.left >= 0 && bounds.top >= 0 && bounds.right <= width && bounds.bottom <= height,
              ).toBe(true)
              expect(bounds.left < bounds.right && bounds.top < bounds.bottom).toBe(true)
            }
            if (world.inputMethod.shown) expect(world.inputMethod.served).toBe(true)
          }
          const { width, height } = world.display
          expect((await world.screenshotRgba()).length).toBe(width * height * 4)
        } finally {
          world.close()
        }
      },
    ),
    { numRuns: 60 },
  )
})
