/** The answer of a batch on a phone that is unplugged, or never answers, with or without the fast way. */
import { type Observation } from '@phonerack/shared'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { System } from '../system/system.js'
import { eventually } from '../system/tenant.js'
import { act, fresh, look, rent, run, tap, within, type Rented } from './rented.js'

const dialogs = 'com.phonerack.dialogs'
const tapsOn = (seen: Observation): number => Number(/Tapped (\d+) times/.exec(seen.text)?.[1])

/** @param fast whether the phone of `system` has scrcpy, the UI server and the settings app */
export const cutActionsOn = (system: System, fast: boolean): void => {
  let phone: Rented
  beforeAll(async () => {
    phone = await rent(system)
  }, 100_000)
  afterAll(() => phone.api.delete(phone.path))
  const answers = async () => (await phone.api.get(`${phone.path}/observe`)).status === 200

  it('are cut off by an unplugged phone: the answer lists the actions that ran, the next is unknown, and nothing is sent twice [30.47, 39.7]', async () => {
    const taps = tapsOn(await act(phone, ...fresh(dialogs)))
    const before = await phone.faults.counters()
    const held = { type: 'long_press', target: { x: 540, y: 2300 }, duration_ms: fast ? 10_000 : 5000 }
    const answer = run(phone, [tap({ id: 'counter' }), held, tap({ id: 'counter' })])
    await expect
      .poll(async () => (await phone.faults.counters()).touches - before.touches, { timeout: 150_000 })
      .toBe(2)
    await phone.faults.unplug()
    const { results, completed } = await within(15_000, answer)
    expect(completed).toBe(1)
    expect(results.map(({ type, ok, error }) => [type, ok, error?.code])).toEqual([
      ['tap', true, undefined],
      ['long_press', false, 'action_outcome_unknown'],
    ])
    await phone.faults.replug()
    await eventually('the phone to be back', 150_000, answers)
    const seen = await look(phone)
    expect(tapsOn(seen)).toBe(taps + 1)
    expect((await phone.faults.counters()).touches - before.touches).toBe(2)
    expect(tapsOn(await act(phone, tap({ id: 'counter' })))).toBe(taps + 2)
  }, 90_000)

  if (fast) return

  it('are unknown when the phone accepts one and never answers, and are not sent again [39.2]', async () => {
    const { hung } = await phone.faults.counters()
    await phone.faults.hangEvery(1, 'input tap')
    try {
      const batch = run(phone, [tap({ x: 540, y: 2300 }), { type: 'back' }], 'ui')
      const { results, observation } = await within(30_000, batch)
      expect(results.map(({ type, error }) => [type, error?.code])).toEqual([
        ['tap', 'action_outcome_unknown'],
      ])
      // Other parts of the phone answer.
      expect(observation?.screen).toEqual({ width: 1080, height: 2400 })
      expect((await phone.faults.counters()).hung).toBe(hung + 1)
    } finally {
      await phone.faults.heal()
    }
    await eventually('the phone to be back', 150_000, answers)
  }, 90_000)
}
