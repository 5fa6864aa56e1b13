/** Batch answers in special cases: a dark screen, text only, the next step, scrolls. */
import { ApiError, type ActionResult, type Observation } from '@phonerack/shared'
import { describe, expect, it } from 'vitest'
import { run } from '../testing/simulated-batch.js'
import { simulatedPhone, type SimulatedPhone, type SimulatedView } from '../testing/simulated-phone.js'

const button = (text: string, top: number): SimulatedView => ({
  class: 'android.widget.Button',
  text,
  flags: ['clickable'],
  bounds: [0, top, 1080, top + 100],
})
const wakeKey = 'key 224'
const codeOf = (results: readonly ActionResult[]) => results.at(-1)?.error?.code

/** A phone whose screen is dark. The screen turns on after the wake key, after the given number of checks. */
function sleeping(looks = 0): SimulatedPhone {
  const phone = simulatedPhone([button('Go', 100)])
  phone.screenOn = false
  let left = looks
  phone.before = (line) => {
    if (line === wakeKey && left === 0) phone.screenOn = true
  }
  phone.device.power.isOn = () => {
    phone.log.push('power')
    if (phone.log.includes(wakeKey) && left-- <= 0) phone.screenOn = true
    return Promise.resolve(phone.screenOn)
  }
  return phone
}

describe.concurrent('a phone whose screen is off', () => {
  it.each([
    { type: 'tap', target: { x: 5, y: 5 } },
    { type: 'tap', target: { text: 'Go' } },
    { type: 'double_tap', target: { x: 5, y: 5 } },
    { type: 'long_press', target: { x: 5, y: 5 } },
    { type: 'swipe', from: { x: 5, y: 5 }, to: { x: 9, y: 9 } },
    { type: 'drag', from: { x: 5, y: 5 }, to: { x: 9, y: 9 } },
    { type: 'pinch', target: { x: 5, y: 5 }, scale: 2 },
    { type: 'scroll', direction: 'down' },
    { type: 'scroll_to', target: { text: 'Go' } },
    { type: 'type', text: 'x' },
    { type: 'clear' },
  ])(
    'is sent no $type, and the answer names the wake key and shows the dark screen [32.17]',
    async (action) => {
      const phone = sleeping()
      const { results, observation } = await run(phone, [action])
      expect(results[0]?.error).toMatchObject({ code: 'phone_screen_off', retryable: false })
      expect(results[0]?.error?.next).toContain('"wake"')
      expect(phone.log.some((line) => /^tap|>|type|key/.test(line))).toBe(false)
      expect(observation).toMatchObject({ elements: [], truncated: false, screen: { on: false } })
      expect((observation as Observation).text).toContain('\nscreen 1080x2400 off')
    },
  )

  it('accepts keys, waits and apps, and a touch once it is awake', async () => {
    const phone = sleeping()
    const { completed, results } = await run(phone, [
      { type: 'key', key: 'volume_up' },
      { type: 'wait', ms: 1 },
      { type: 'open_app', package: 'com.example.app' },
      { type: 'key', key: 'wake' },
      { type: 'tap', target: { text: 'Go' } },
    ])
    expect([completed, codeOf(results)]).toEqual([5, undefined])
    expect(phone.log).toContain('tap 540,150')
  })

  it('gets two seconds to turn on after the wake key, and no touch is sent before', async () => {
    const slow = sleeping(3)
    const wakeAndTap = [
      { type: 'key', key: 'wake' },
      { type: 'tap', target: { x: 5, y: 5 } },
    ]
    expect((await run(slow, wakeAndTap)).completed).toBe(2)
    const never = sleeping(1000)
    expect(codeOf((await run(never, wakeAndTap)).results)).toBe('phone_screen_off')
    expect(never.log.some((line) => line.startsWith('tap'))).toBe(false)
  })

  it('is checked again only where its state may have changed', async () => {
    const phone = sleeping()
    phone.screenOn = true
    const taps = [1, 2, 3].map((x) => ({ type: 'tap', target: { x, y: 1 } }))
    expect((await run(phone, taps)).completed).toBe(3)
    expect(phone.log.filter((line) => line === 'power')).toHaveLength(1)
    phone.before = (line) => {
      if (line === 'key 223') phone.screenOn = false
    }
    const { results } = await run(phone, [{ type: 'key', key: 'sleep' }, ...taps])
    expect([results.length, codeOf(results)]).toEqual([2, 'phone_screen_off'])
    // The cached state of the screen is cleared by the key.
    expect(phone.log.indexOf('forget power')).toBeGreaterThan(phone.log.indexOf('key 223'))
    // A screen whose state the phone does not report counts as on.
    const silent = simulatedPhone([])
    silent.device.power.isOn = () => Promise.resolve(null)
    expect((await run(silent, taps)).completed).toBe(3)
  })
})

describe.concurrent('text-only answer', () => {
  it.each([
    ['that completed', { x: 1, y: 1 }, 1],
    ['that stopped', { text: 'Nowhere' }, 0],
  ])('is the only observation of a batch %s [32.14]', async (_, target, done) => {
    const { observation, completed } = await run(
      simulatedPhone([button('Go', 100)]),
      [{ type: 'tap', target }],
      'text',
    )
    expect(completed).toBe(done)
    expect(Object.keys(observation ?? {}).toSorted()).toEqual(
      ['app', 'keyboard', 'screen', 'settled', 'snapshot_id', 'taken_at', 'text', 'truncated'].toSorted(),
    )
    expect(observation && 'text' in observation && observation.text).toContain('[1] Button "Go" clickable')
  })

  it('comes with the places of its elements, and whether their words are a description or typed', async () => {
    const { observation, elementBounds = Buffer.alloc(0) } = await run(
      simulatedPhone([
        button('Go', 100),
        { ...button('', 300), desc: 'More' },
        { ...button('Jane', 500), flags: ['editable'] },
      ]),
      [{ type: 'tap', target: { x: 1, y: 1 } }],
      'text',
    )
    const lines = observation && 'text' in observation ? observation.text.split('\n').slice(3) : []
    const numbers = Array.from({ length: elementBounds.length / 4 }, (_, at) =>
      elementBounds.readInt32LE(4 * at),
    )
    expect(numbers).toHaveLength(5 * lines.length)
    lines.forEach((line, at) => {
      const [left = 0, top = 0, right = 0, bottom = 0, flags] = numbers.slice(5 * at, 5 * at + 5)
      expect(line).toContain(`(${Math.floor((left + right) / 2)},${Math.floor((top + bottom) / 2)})`)
      expect(flags).toBe(line.includes('"More"') ? 1 : line.includes('"Jane"') ? 2 : 0)
    })
    const whole = await run(simulatedPhone([button('Go', 100)]), [{ type: 'wait', ms: 1 }], 'ui')
    expect(whole).not.toHaveProperty('elementBounds')
  })

  it('gives candidates the refs of the text', async () => {
    const phone = simulatedPhone([button('Above', 0), button('Delete', 100), button('Delete', 300)])
    const { results, observation } = await run(phone, [{ type: 'tap', target: { text: 'Delete' } }], 'text')
    expect(results[0]?.error?.details).toMatchObject({
      candidates: [{ ref: 2 }, { ref: 3 }],
      snapshot_id: observation && 'snapshot_id' in observation ? observation.snapshot_id : 'none',
    })
  })
})

describe.concurrent('next step', () => {
  const nextOf = async (phone: SimulatedPhone, action: object): Promise<(string | null | undefined)[]> => {
    const { results, streamed } = await run(phone, [action])
    const told = streamed.filter((entry) => typeof entry !== 'number')
    return [results[0]?.error?.next, told[0]?.error?.next]
  }

  it.each([
    ['a target that is not there', { type: 'tap', target: { text: 'Nowhere' } }],
    ['an old snapshot', { type: 'tap', target: { ref: 1, snapshot_id: 'snp_aaaaaaaaaaaa' } }],
    ['a target twice', { type: 'tap', target: { text: 'Delete' } }],
    ['a wait in vain', { type: 'wait_for', target: { text: 'Nowhere' }, timeout_ms: 100 }],
    ['an unknown outcome', { type: 'tap', target: { x: 1, y: 1 } }],
  ])(
    'after %s refers to the screen in the answer, and without one to an observe call [32.23]',
    async (_, action) => {
      const made = () => {
        const phone = simulatedPhone([button('Delete', 100), button('Delete', 300)])
        phone.device.input.gesture = (__, progress) => progress.within(20).sleep(60_000)
        return phone
      }
      const [next, streamed] = await nextOf(made(), action)
      expect(next).toMatch(/`observation`|`details\.candidates`/)
      expect(next).not.toMatch(/^Observe|observe/)
      // A client has only the streamed results when the rest of the answer is lost.
      expect(streamed).toMatch(/^Observe the screen/)
      const blind = made()
      let reads = 0
      const source = blind.device.ui.source.bind(blind.device.ui)
      blind.device.ui.source = (progress) =>
        reads++ > 0 || action.type === 'tap'
          ? Promise.reject(new ApiError('phone_unavailable'))
          : source(progress)
      blind.device.windows.read = () => Promise.reject(new ApiError('phone_unavailable'))
      const { results, observation } = await run(blind, [action])
      expect(observation).toBeUndefined()
      expect(results[0]?.error?.next ?? 'Observe').not.toContain('`observation`')
    },
  )

  it('names the candidates only where their refs exist in the observation', async () => {
    const phone = simulatedPhone([button('Delete', 100), button('Delete', 300)])
    const action = { type: 'tap', target: { text: 'Delete' } }
    expect((await nextOf(phone, action))[0]).toContain('`details.snapshot_id`, or add `nth`')
    phone.before = () => {
      if (phone.log.filter((line) => line === 'tree').length === 4) phone.views = [button('Delete', 100)]
    }
    expect((await nextOf(phone, action))[0]).toBe(
      'Target one of the elements of `observation` by its ref, or add `nth`.',
    )
  })
})

describe.concurrent('waiting for a still screen', () => {
  it.each([100, 200])('succeeds with a timeout of %i ms [32.22]', async (timeoutMs) => {
    const { results } = await run(simulatedPhone([button('Go', 100)]), [
      { type: 'wait_idle', timeout_ms: timeoutMs },
    ])
    expect(results[0]).toMatchObject({ ok: true })
  })

  it('fails after two reads of a changing screen with a timeout of 100 ms', async () => {
    const phone = simulatedPhone([])
    let reads = 0
    phone.before = (line) => {
      if (line === 'tree') phone.views = [button(String(reads++), 100)]
    }
    const { results } = await run(phone, [{ type: 'wait_idle', timeout_ms: 100 }])
    expect(codeOf(results)).toBe('wait_timeout')
    // The third read is for the observation of the answer.
    expect(reads).toBe(3)
  })
})

describe.concurrent('a scroll', () => {
  /** 30 rows of 200 pixels; the offset selects those on the screen. */
  function list(offset = 0): SimulatedPhone {
    const phone = simulatedPhone([])
    const [top, bottom, end] = [100, 2300, 30 * 200 - 2200]
    let at = offset
    const show = () => {
      phone.views = [
        { class: 'android.widget.ListView', flags: ['scrollable'], bounds: [0, top, 1080, bottom] },
        { text: '12:00', bounds: [0, 0, 200, 90] },
        ...Array.from({ length: 30 }, (_, row): SimulatedView => {
          const y = top + row * 200 - at
          return {
            ...button(`Row ${row}`, 0),
            bounds: [0, Math.max(top, y), 1080, Math.min(bottom, y + 200)],
          }
        }).filter(({ bounds: [, from, , to] }) => from < to),
      ]
    }
    show()
    phone.device.input.gesture = (strokes) => {
      const points = strokes[0]?.points ?? []
      at = Math.max(0, Math.min(end, at + (points[0]?.y ?? 0) - (points.at(-1)?.y ?? 0)))
      show()
      return Promise.resolve()
    }
    return phone
  }
  const said = async (phone: SimulatedPhone, action: object) => {
    const [result] = (await run(phone, [action])).results
    return { ok: result?.ok, moved: result?.moved, at_end: result?.at_end }
  }

  it('reports whether the content moved, and whether it ends there [32.6]', async () => {
    const down = { type: 'scroll', direction: 'down' }
    expect(await said(list(50), down)).toEqual({ ok: true, moved: true, at_end: false })
    // No row is cut off at an edge, so the end is unknown.
    expect(await said(list(0), { ...down, amount: 1000 / 2200 })).toEqual({
      ok: true,
      moved: true,
      at_end: null,
    })
    expect(await said(list(3700), down)).toEqual({ ok: true, moved: true, at_end: true })
    expect(await said(list(3800), down)).toEqual({ ok: true, moved: false, at_end: true })
    expect(await said(list(0), { type: 'scroll', direction: 'up' })).toEqual({
      ok: true,
      moved: false,
      at_end: true,
    })
    expect(await said(simulatedPhone([button('Go', 100)]), down)).toEqual({
      ok: true,
      moved: false,
      at_end: null,
    })
  })

  it('ignores a changing clock and fixed elements over the content', async () => {
    const phone = list(3800)
    let time = 0
    phone.before = (line) => {
      if (line !== 'tree') return
      phone.views = phone.views.map((view) =>
        view.text?.includes(':') ? { ...view, text: `12:0${time++}` } : view,
      )
    }
    expect(await said(phone, { type: 'scroll', direction: 'down' })).toMatchObject({ moved: false })
  })

  it('to a target reports the same along the way, and in its error [32.7]', async () => {
    const to = (text: string, max_scrolls = 10) => ({ type: 'scroll_to', target: { text }, max_scrolls })
    expect(await said(list(0), to('Row 3'))).toEqual({ ok: true, moved: false, at_end: null })
    expect(await said(list(0), to('Row 25'))).toMatchObject({ ok: true, moved: true })
    expect(await said(list(200), to('Row 29'))).toEqual({ ok: true, moved: true, at_end: true })
    const { results } = await run(list(0), [to('Row 99')])
    expect(results[0]?.error).toMatchObject({
      code: 'target_not_found',
      details: { moved: true, at_end: true, scrolls: 4 },
    })
  })
})
