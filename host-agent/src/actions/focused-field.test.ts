/** Typing on a simulated phone that finds its focused field without a tree. `ui-server.test.ts` has the real search. */
import { describe, expect, it } from 'vitest'
import { run } from '../testing/simulated-batch.js'
import { simulatedPhone, type SimulatedPhone, type SimulatedView } from '../testing/simulated-phone.js'

const field = (more: Partial<SimulatedView> = {}): SimulatedView => ({
  class: 'android.widget.EditText',
  id: 'com.example.app:id/name',
  text: '',
  flags: ['clickable', 'focusable'],
  bounds: [0, 100, 1080, 200],
  ...more,
})
const hint = { 'showing-hint': 'true' }

/** `searches` counts the searches for the focused field. */
function finding(...views: SimulatedView[]): SimulatedPhone & { searches: number } {
  const phone = Object.assign(simulatedPhone(views), { searches: 0 })
  const methods = phone.device.text?.methods ?? []
  const focused = () => {
    phone.searches += 1
    const view = phone.views.find(({ flags }) => flags?.includes('focused'))
    if (!view) return Promise.resolve(null)
    return Promise.resolve({
      className: view.class ?? '',
      id: view.id ?? '',
      password: view.flags?.includes('password') === true,
      text: view.text ?? '',
      again: () => Promise.resolve(view.text ?? ''),
    })
  }
  // A second way of typing, which is tried after the first.
  phone.device = { ...phone.device, text: { methods: [...methods, ...methods], focused } }
  return phone
}
const type = async (phone: SimulatedPhone, action: object, guarded = false) => {
  const target = { x: 540, y: 150 }
  const { results } = await run(phone, [{ type: 'type', target, ...action }], 'none', { guarded })
  return results[0] ?? expect.unreachable()
}
const trees = ({ log }: SimulatedPhone): number => log.filter((line) => line === 'tree').length

describe.concurrent('a field that has the focus', () => {
  it('is found and read back with one tree, where class and ID name it alone', async () => {
    const alone = finding(field(), field({ id: 'com.example.app:id/other', bounds: [0, 300, 1080, 400] }))
    expect((await type(alone, { text: 'Ada' })).ok).toBe(true)
    expect([alone.views[0]?.text, trees(alone), alone.searches]).toEqual(['Ada', 1, 1])
    for (const more of [{ id: '' }, { flags: ['clickable', 'focusable', 'password'] }]) {
      const other = finding(field(more))
      expect((await type(other, { text: 'Ada' })).ok).toBe(true)
      expect([other.searches, trees(other) > 1]).toEqual([0, true])
    }
    const twins = finding(field(), field({ bounds: [0, 300, 1080, 400] }))
    expect((await type(twins, { text: 'Ada' })).ok).toBe(true)
    expect([twins.searches, twins.views.map(({ text }) => text)]).toEqual([0, ['Ada', '']])
  })

  it('is looked for in the tree when another field got the focus, or its text changed', async () => {
    const moved = finding(field(), field({ id: 'com.example.app:id/other', bounds: [0, 300, 1080, 400] }))
    if (moved.views[0])
      moved.views[0].onTap = () => {
        const [first, second] = moved.views
        first?.flags?.pop()
        second?.flags?.push('focused')
      }
    expect((await type(moved, { text: 'Ada' })).error?.code).toBe('no_focused_field')
    expect(moved.views.map(({ text }) => text)).toEqual(['', ''])
  })

  it('is read from the tree for a guarded key, which the labels of the focused field can stop', async () => {
    const view = field()
    view.onTap = () => (view.desc = 'Card number')
    const phone = finding(view)
    expect((await type(phone, { text: '4111111111111111' }, true)).error?.code).toBe('handoff_required')
    expect([view.text, phone.searches]).toEqual(['', 0])
  })

  it('whose hint became its text is not taken for empty', async () => {
    const view = field({ text: '+44', attributes: hint })
    view.onTap = () => (view.attributes = { 'showing-hint': 'false' })
    const phone = finding(view)
    expect((await type(phone, { text: '207', clear: true })).ok).toBe(true)
    expect(view.text).toBe('207')
    const kept = field({ text: '+44', attributes: hint })
    kept.onTap = () => (kept.attributes = { 'showing-hint': 'false' })
    expect((await type(finding(kept), { text: '207' })).ok).toBe(true)
    expect(kept.text).toBe('+44207')
  })
})
