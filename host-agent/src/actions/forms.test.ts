/**
 * Typing into forms without ids. Forms: an address form of Flutter 3 (`android.widget.EditText` without id, the hint as
 * description), Compose (`android.widget.EditText` with the label as a sibling) and React Native, as uia2 lists them.
 */
import { describe, expect, it } from 'vitest'
import { buildTree, type ScreenTree } from '../screen/elements.js'
import { parseNodes } from '../screen/nodes.js'
import { run } from '../testing/simulated-batch.js'
import { dumpXml, type Draft } from '../testing/screen-xml.js'
import {
  screen,
  simulatedPhone,
  type SimulatedPhone,
  type SimulatedView,
} from '../testing/simulated-phone.js'
import { fieldAgain, originOf } from './field.js'

const field = (top: number, more: Omit<Draft, 'bounds'> = {}): SimulatedView => ({
  class: 'android.widget.EditText',
  bounds: [60, top, 1020, top + 120] as const,
  ...more,
  flags: ['clickable', 'focusable', ...(more.flags ?? [])],
})
const label = (text: string, top: number) => ({
  class: 'android.widget.TextView',
  text,
  bounds: [60, top, 1020, top + 40] as const,
})

describe.concurrent('typing', () => {
  /** The second field refuses the focus, which stays in the first. */
  function form(isCovered = false): SimulatedPhone {
    const first = field(300, { flags: ['focused'] })
    const second = field(600, { desc: 'Password' })
    const phone = simulatedPhone([first, second])
    second.onTap = () => {
      second.flags = ['clickable', 'focusable']
      first.flags = ['clickable', 'focusable', 'focused']
      if (isCovered) phone.views = [first]
    }
    return phone
  }

  it.each([
    ['named by its description', { desc: 'Password' }, false],
    ['named by coordinates', { x: 540, y: 660 }, false],
    ['behind the keyboard', { desc: 'Password' }, true],
  ])('types nothing when a field %s does not take the focus', async (_, target, isCovered) => {
    const phone = form(isCovered)
    const { results } = await run(phone, [{ type: 'type', text: 'secret', target }])
    expect(results[0]?.error?.code).toBe('no_focused_field')
    expect(phone.log).not.toContain('type')
  })
})

describe('a field is found again', () => {
  const build = (...drafts: Draft[]): ScreenTree => buildTree(parseNodes(dumpXml(...drafts)), screen)
  const names = ['Street', 'Town', 'Country']
  const tops = [300, 600, 900]
  /** The form, moved by the keyboard, without the views that are then above `top` or below `bottom`. */
  const form = (by: number, focused: number, [top, bottom]: readonly [number, number] = [0, 2400]) =>
    build(
      label('Address', 100),
      ...names
        .flatMap((name, at) => [
          label(name, (tops[at] ?? 0) + by - 60),
          field((tops[at] ?? 0) + by, { flags: at === focused ? ['focused'] : [] }),
        ])
        .filter(({ bounds }) => bounds[1] >= top && bounds[3] <= bottom),
    )
  const fields = (tree: ScreenTree) =>
    tree.visible.filter((node) => node !== null).filter((node) => node.editable)
  const before = form(0, 0)

  it.each([
    ['in place', 0, [0, 2400]],
    ['moved up', -200, [0, 2400]],
    ['moved up by the distance of two fields', -300, [0, 2400]],
    ['moved up, the first one out of the screen', -300, [200, 2400]],
    ['in place, the last one behind the keyboard', 0, [0, 800]],
    ['moved up, the last one behind the keyboard', -200, [0, 600]],
  ] as const)('%s', (_name, by, range) => {
    for (const focused of [0, 1, 2]) {
      const after = form(by, focused, range)
      const node = fields(after).find((each) => each.focused)
      if (node) expect(originOf({ node, tree: after }, before), names[focused]).toBe(fields(before)[focused])
    }
  })

  it('not as the field that has the focus, and null when it is gone', () => {
    const [, second = fields(before)[0]] = fields(before)
    if (!second) throw new Error('no field')
    const aimed = { node: second, tree: before }
    expect(fieldAgain(form(0, 0), aimed)?.focused).toBe(false)
    expect(fieldAgain(form(0, 0, [0, 500]), aimed)).toBeNull()
  })

  it('in place only, among more fields than are compared', () => {
    const list = (by: number) => build(...Array.from({ length: 60 }, (_, at) => field(35 * at + 20 + by)))
    const [before, same, moved] = [list(0), list(0), list(-10)]
    const node = fields(same)[30]
    const gone = fields(moved)[30]
    if (!node || !gone) throw new Error('no field')
    expect(originOf({ node, tree: same }, before)).toBe(fields(before)[30])
    expect(originOf({ node: gone, tree: moved }, before)).toBeNull()
  })
})
