/**
 * Batches on screens of a virtual phone that draw late: their answers with the signal of drawings, and with fixed times.
 */
import { ObserveMode } from '@phonerack/proto'
import type { ActionResult, Observation } from '@phonerack/shared'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { session, startPhoneAndHost, untilLink, type PhoneAndHost } from '../testing/phone.js'
import { until } from '../testing/until.js'

const app = 'com.phonerack.trouble'
const activity = `${app}.LateActivity`
type Actions = Parameters<ReturnType<typeof session>['run']>[0]

class Host {
  private constructor(
    readonly both: PhoneAndHost,
    private readonly number: bigint,
  ) {}

  static async start(options: Parameters<typeof startPhoneAndHost>[0]): Promise<Host> {
    const both = await startPhoneAndHost(options)
    const { serial } = both.phone
    await untilLink(both.host, serial, 'unenrolled')
    await both.host.control.enroll({ serial, fencingNumber: 1n }, 120_000)
    await session(both.host.control, serial, 2n).start()
    return new Host(both, 2n)
  }

  private get session() {
    return session(this.both.host.control, this.both.phone.serial, this.number)
  }

  async run(...actions: Actions): Promise<{ results: ActionResult[]; seen: Observation }> {
    const messages = await this.session.run(actions, ObserveMode.OBSERVE_MODE_UI)
    const ended = messages.at(-1)?.event
    if (ended?.$case !== 'ended') return expect.unreachable()
    const results = JSON.parse(Buffer.from(ended.value.resultsJson).toString()) as ActionResult[]
    return { results, seen: JSON.parse(Buffer.from(ended.value.observationJson).toString()) as Observation }
  }

  /** Opens the list of the late screens, with a signal if the host has one. */
  async open(): Promise<void> {
    const home = { type: 'open_app', package: app, activity } as const
    await this.run({ type: 'close_app', package: app }, home)
    await until(
      async () => (await this.run({ type: 'wait', ms: 1 })).seen.settled === (this.hasSignal ? true : null),
      20_000,
      'a signal',
    )
  }

  hasSignal = true
}

const textOf = ({ elements }: Observation, id: string): string | null =>
  elements.find((element) => element.id === `${app}:id/${id}`)?.text ?? null
const tap = (id: string) => ({ type: 'tap', target: { id } }) as const

let moved: Host
let fixed: Host
beforeAll(async () => {
  moved = await Host.start({})
  fixed = await Host.start({ withMotion: false })
  fixed.hasSignal = false
}, 240_000)
afterAll(async () => {
  await moved.both.stop()
  await fixed.both.stop()
})

describe('with the signal of drawings', { concurrent: false, timeout: 120_000 }, () => {
  it('shows the result of a tap that comes after 700 ms', async () => {
    await moved.open()
    const { results, seen } = await moved.run(tap('pause'))
    expect([textOf(seen, 'answer'), seen.settled, results[0]?.changed]).toEqual(['Answered', true, true])
  })

  it('says that a screen with a spinner has not settled, and waits for its end on request', async () => {
    await moved.open()
    const { seen } = await moved.run(tap('spinner'))
    expect([textOf(seen, 'loaded'), seen.settled]).toEqual([null, false])
    const waited = await moved.run({ type: 'wait_for', target: { text: 'Loaded' }, timeout_ms: 10_000 })
    expect([waited.results[0]?.ok, textOf(waited.seen, 'loaded')]).toEqual([true, 'Loaded'])
  })

  it('shows the end of an animation of 900 ms, or says that it has not settled', async () => {
    await moved.open()
    const { seen } = await moved.run(tap('animation'))
    if (seen.settled === true) expect(textOf(seen, 'card')).toBe('Arrived')
    else expect(seen.settled).toBe(false)
  })

  it('never says that a screen that always moves has settled', async () => {
    await moved.open()
    const { seen } = await moved.run(tap('never'))
    expect(seen.settled).toBe(false)
  })

  it('finds a row that a list loads while it is scrolled', async () => {
    await moved.open()
    const { results } = await moved.run(tap('list'), {
      type: 'scroll_to',
      target: { text: 'Row 35' },
      direction: 'down',
      max_scrolls: 10,
    })
    expect(results.map(({ ok }) => ok)).toEqual([true, true])
  })

  it('says nothing about a secure window', async () => {
    await moved.open()
    const { seen } = await moved.run(tap('secret'))
    expect([seen.settled, textOf(seen, 'secret')]).toEqual([null, expect.stringMatching(/locked/i)])
  })

  it('says that nothing was drawn, how often, and what to do', async () => {
    await moved.open()
    const point = { type: 'tap', target: { x: 540, y: 2000 } } as const
    const first = await moved.run(point)
    expect(first.results[0]).toMatchObject({ changed: false })
    const second = await moved.run(point)
    expect(second.results[0]).toMatchObject({
      changed: false,
      repeated: 2,
      next: expect.any(String) as string,
    })
  })

  it('reads the tree of a still screen once', async () => {
    await moved.open()
    // Each read of the tree is accompanied by a read of the keyboard.
    const trees = () =>
      moved.both.phone.proxy.opened.filter((service) => service.includes('input_method')).length
    const { seen } = await moved.run({ type: 'wait', ms: 300 })
    const before = trees()
    const again = await moved.run({ type: 'wait', ms: 1 })
    expect(trees()).toBe(before)
    expect(again.seen.settled).toBe(true)
    expect(again.seen.snapshot_id).not.toBe(seen.snapshot_id)
  })

  it('continues with fixed times when the video dies', async () => {
    await moved.open()
    moved.both.phone.inside.faults.killScrcpy()
    const { results } = await moved.run(tap('spinner'))
    expect(results[0]?.ok).toBe(true)
  })
})

describe('with fixed times', { concurrent: false, timeout: 120_000 }, () => {
  it('missed the result of a tap that comes after 700 ms', async () => {
    await fixed.open()
    const since = performance.now()
    const { seen } = await fixed.run(tap('pause'))
    expect(seen.settled).toBeNull()
    // A busy machine may need longer than the app.
    if (performance.now() - since < 700) expect(textOf(seen, 'answer')).toBe('No answer')
  })

  it('showed the middle of an animation and a spinner as if they were the end', async () => {
    await fixed.open()
    expect(textOf((await fixed.run(tap('animation'))).seen, 'card')).toBe('Moving')
    await fixed.open()
    const { seen } = await fixed.run(tap('spinner'))
    expect([textOf(seen, 'loaded'), seen.settled]).toEqual([null, null])
  })
})
