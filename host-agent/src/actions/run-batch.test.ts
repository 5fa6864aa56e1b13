import { ApiError, ownNow, Progress, type ActionResult } from '@phonerack/shared'
import { describe, expect, it } from 'vitest'
import { DeviceGone, TextMethodUnavailable, type TextMethod } from '../adb/device/device.js'
import { Looks, settleTimes } from '../screen/looks.js'
import {
  oneMethod,
  simulatedPhone,
  methodOf,
  type SimulatedPhone,
  type SimulatedView,
} from '../testing/simulated-phone.js'
import { run } from '../testing/simulated-batch.js'

const button = (text: string, top: number, onTap?: () => void): SimulatedView => ({
  class: 'android.widget.Button',
  text,
  flags: ['clickable'],
  bounds: [0, top, 1080, top + 100],
  ...(onTap ? { onTap } : {}),
})
const field = (top: number, more: Partial<SimulatedView> = {}): SimulatedView => ({
  class: 'android.widget.EditText',
  id: `com.example.app:id/field${top}`,
  flags: ['clickable', 'focusable'],
  bounds: [0, top, 1080, top + 100],
  ...more,
})
const only = (result: { results: ActionResult[] }): ActionResult => {
  expect(result.results).toHaveLength(1)
  return result.results[0] as ActionResult
}

describe.concurrent('a batch', () => {
  it('runs in order, reports progress, and counts', async () => {
    const phone = simulatedPhone([button('Go', 100)])
    const { results, completed, observation, streamed } = await run(phone, [
      { type: 'tap', target: { text: 'Go' } },
      { type: 'long_press', target: { x: 5, y: 6 }, duration_ms: 300 },
      { type: 'key', key: 'enter', modifiers: ['shift'] },
      { type: 'home' },
    ])
    expect(phone.log).toEqual([
      'size',
      // The slowest read is requested first.
      'tree',
      'size',
      'windows',
      'tap 540,150',
      'tap 5,6',
      'key 66 65',
      'key 3',
    ])
    expect(results.map(({ index, type, ok, resolved }) => [index, type, ok, resolved])).toEqual([
      [0, 'tap', true, { center: [540, 150], ref: 1 }],
      [1, 'long_press', true, { center: [5, 6] }],
      [2, 'key', true, undefined],
      [3, 'home', true, undefined],
    ])
    expect([completed, observation]).toEqual([4, undefined])
    expect(streamed).toEqual([0, results[0], 1, results[1], 2, results[2], 3, results[3]])
  })

  it('avoids a button in the middle of the element, and reports what may take the touch [32.12]', async () => {
    const tapped: string[] = []
    const view = (
      desc: string,
      bounds: SimulatedView['bounds'],
      more: Partial<SimulatedView> = {},
    ): SimulatedView => ({ desc, bounds, flags: ['clickable'], onTap: () => tapped.push(desc), ...more })
    const phone = simulatedPhone([
      view('Dismiss', [0, 0, 1080, 2400]),
      view('English', [200, 900, 880, 1500]),
      view('Later', [0, 2300, 1080, 2400], { attributes: { enabled: 'false' } }),
    ])
    const { results } = await run(phone, [
      { type: 'tap', target: { desc: 'Dismiss' } },
      { type: 'tap', target: { desc: 'English' } },
      { type: 'tap', target: { desc: 'Later' } },
    ])
    expect(tapped).toEqual(['Dismiss', 'English', 'Later'])
    expect(results.map(({ resolved }) => resolved)).toEqual([
      { center: [540, 1524], ref: expect.any(Number) as number },
      { center: [540, 1200], ref: expect.any(Number) as number },
      { center: [540, 2350], ref: expect.any(Number) as number, disabled: true },
    ])
  })

  it('taps coordinates without reading the tree', async () => {
    const phone = simulatedPhone([])
    const taps = Array.from({ length: 20 }, (_, index) => ({ type: 'tap', target: { x: index, y: 9 } }))
    const { completed } = await run(phone, taps)
    expect(completed).toBe(20)
    expect(phone.log).toEqual(['size', ...taps.map(({ target }) => `tap ${target.x},9`)])
  })

  it('stops at the first failure, and shows the screen with the candidates on it', async () => {
    const phone = simulatedPhone([button('Delete', 100), button('Delete', 300)])
    const { results, completed, observation } = await run(phone, [
      { type: 'tap', target: { x: 1, y: 1 } },
      { type: 'tap', target: { text: 'delete' } },
      { type: 'home' },
    ])
    expect([results.length, completed]).toEqual([2, 1])
    if (!observation || !('elements' in observation)) throw new Error('no element list')
    expect(results[1]?.error).toMatchObject({
      code: 'ambiguous_target',
      retryable: false,
      details: {
        target: { text: 'delete' },
        snapshot_id: observation.snapshot_id,
        candidates: [
          { ref: 1, type: 'Button', text: 'Delete', desc: null, id: null, center: [540, 150] },
          { ref: 2, type: 'Button', text: 'Delete', desc: null, id: null, center: [540, 350] },
        ],
      },
    })
    expect(phone.log).not.toContain('key 3')
  })

  it('keeps the original refs, without a snapshot, when a candidate has gone', async () => {
    const phone = simulatedPhone([button('Delete', 100), button('Delete', 300)])
    phone.before = () => {
      if (phone.log.filter((line) => line === 'tree').length === 2) phone.views = [button('Delete', 100)]
    }
    const { results } = await run(phone, [{ type: 'tap', target: { text: 'Delete' } }])
    const details = results[0]?.error?.details
    expect(details?.['candidates']).toHaveLength(2)
    expect(details).not.toHaveProperty('snapshot_id')
  })

  it.each([
    ['none', true, false, false],
    ['ui', true, true, false],
    ['screenshot', true, false, true],
    ['both', true, true, true],
    ['none', false, true, false],
    ['ui', false, true, false],
    ['screenshot', false, true, true],
    ['both', false, true, true],
  ] as const)('observes %s after a batch that completed: %s', async (mode, completes, list, picture) => {
    const target = completes ? { x: 1, y: 1 } : { x: -1, y: 1 }
    const { observation } = await run(simulatedPhone([button('Go', 100)]), [{ type: 'tap', target }], mode)
    expect(observation !== undefined && 'elements' in observation).toBe(list)
    const screenshot = observation && 'screenshot' in observation ? observation.screenshot : undefined
    expect(screenshot !== undefined).toBe(picture)
    if (screenshot)
      expect([screenshot.format, screenshot.width, screenshot.height]).toEqual(['jpeg', 720, 1600])
    if (picture && !list)
      expect(Object.keys(observation ?? {})).toEqual(['taken_at', 'settled', 'screenshot'])
  })

  it('starts no action after 90 seconds, and then shows the screen [20.6, 30.14]', async () => {
    let time = 0
    const phone = simulatedPhone([])
    phone.before = (line) => {
      if (line.startsWith('tap')) time += 60_000
    }
    const taps = [1, 2, 3].map((x) => ({ type: 'tap', target: { x, y: 1 } }))
    const { results, completed, observation } = await run(phone, taps, 'none', {
      looks: new Looks(() => time),
    })
    expect([results.length, completed, results[1]?.ok]).toEqual([2, 2, true])
    expect(results[0]?.ms).toBe(60_000)
    expect(observation).toBeDefined()
  })
})

describe.concurrent('failures', () => {
  const gone = () => {
    throw new DeviceGone('paper')
  }

  it('throws when the phone cannot be reached before the first action [30.36]', async () => {
    const phone = simulatedPhone([])
    phone.before = gone
    await expect(run(phone, [{ type: 'home' }])).rejects.toMatchObject({ code: 'phone_unavailable' })
    expect(phone.log).toEqual(['size'])
  })

  it('throws when the phone does not answer before the first action [30.39]', async () => {
    const phone = simulatedPhone([])
    phone.device.screen.size = (progress) => progress.sleep(60_000).then(() => ({ width: 1, height: 1 }))
    const late = run(phone, [{ type: 'home' }], 'none', { progress: Progress.for(50) })
    await expect(late).rejects.toMatchObject({ code: 'provider_error', retryable: true })
  })

  it('reports an unknown outcome when the phone disconnects during a write, and a known one during a read', async () => {
    const writing = simulatedPhone([])
    writing.before = (line) => line.startsWith('tap') && gone()
    const unknown = await run(writing, [{ type: 'home' }, { type: 'tap', target: { x: 1, y: 1 } }])
    expect(unknown.results.map(({ error }) => error?.code)).toEqual([undefined, 'action_outcome_unknown'])

    const reading = simulatedPhone([])
    reading.before = (line) => line === 'tree' && gone()
    const known = await run(reading, [{ type: 'home' }, { type: 'tap', target: { text: 'x' } }])
    expect(known.results.map(({ error }) => error?.code)).toEqual([undefined, 'phone_unavailable'])
    expect(known.observation).toBeUndefined()
  })

  it('ends the running action when the batch is aborted', async () => {
    const abort = new AbortController()
    const phone = simulatedPhone([])
    const running = run(phone, [{ type: 'home' }, { type: 'wait', ms: 60_000 }, { type: 'home' }], 'ui', {
      progress: Progress.for(100_000, abort.signal),
      onStarted: (index) => index === 1 && queueMicrotask(() => abort.abort()),
    })
    const { results, observation } = await running
    expect(results.map(({ ok, error }) => [ok, error?.code])).toEqual([
      [true, undefined],
      [false, 'action_outcome_unknown'],
    ])
    expect(observation).toBeUndefined()
  })

  it("passes on the phone's refusals, and hides internal faults", async () => {
    const phone = simulatedPhone([])
    const broken = only(await run(phone, [{ type: 'open_app', package: 'com.example.broken' }]))
    expect(broken.error?.code).toBe('app_not_found')
    phone.before = (line) => {
      if (line === 'key 3') throw new TypeError('secret detail')
    }
    const bug = only(await run(phone, [{ type: 'home' }]))
    expect(bug.error?.code).toBe('internal_error')
    expect(JSON.stringify(bug)).not.toContain('secret detail')
  })

  it('keeps the results when the screen cannot be read afterwards [30.27]', async () => {
    const phone = simulatedPhone([])
    phone.device.ui.source = () => Promise.resolve('ERROR: null root node')
    const { results, observation } = await run(phone, [{ type: 'back' }], 'both')
    expect([results[0]?.ok, observation]).toEqual([true, undefined])
  })
})

describe.concurrent('apps', () => {
  it('opens, closes and browses', async () => {
    const phone = simulatedPhone([])
    const { completed } = await run(phone, [
      { type: 'open_app', package: 'com.example.notes', activity: '.Main' },
      { type: 'close_app', package: 'com.example.notes' },
      { type: 'open_url', url: 'https://example.com/a b?q="x"' },
    ])
    expect(completed).toBe(3)
    expect(phone.log.slice(1)).toEqual([
      'installed com.example.notes',
      'open com.example.notes .Main',
      'installed com.example.notes',
      'stop com.example.notes',
      'url https://example.com/a%20b?q=%22x%22',
    ])
  })

  it.each(['open_app', 'close_app'])('%s of an unknown package sends nothing', async (type) => {
    const phone = simulatedPhone([])
    const { error } = only(await run(phone, [{ type, package: 'org.unknown.app' }]))
    expect([error?.code, error?.details]).toEqual(['app_not_found', { package: 'org.unknown.app' }])
    expect(phone.log.slice(1, 2)).toEqual(['installed org.unknown.app'])
  })

  it('presses back only while a keyboard is shown', async () => {
    const phone = simulatedPhone([])
    await run(phone, [{ type: 'hide_keyboard' }])
    expect(phone.log).not.toContain('key 4')
    phone.keyboardVisible = true
    expect(only(await run(phone, [{ type: 'hide_keyboard' }])).ok).toBe(true)
    expect(phone.keyboardVisible).toBe(false)
  })
})

describe.concurrent('typing', () => {
  it('taps the target, clears, types, reads back and submits', async () => {
    const phone = simulatedPhone([
      field(100, { text: 'old' }),
      field(300, { text: 'other', flags: ['focusable', 'focused'] }),
    ])
    const action = { type: 'type', text: 'Grüße 🙂', target: { id: 'field100' }, clear: true, submit: true }
    expect(only(await run(phone, [action])).ok).toBe(true)
    expect(phone.views.map(({ text }) => text)).toEqual(['Grüße 🙂', 'other'])
    expect(phone.log.filter((line) => !/^(tree|size|windows)/.test(line))).toEqual([
      'tap 540,150',
      'key 29 12288',
      'key 67',
      'type',
      'key 66',
    ])
  })

  it('appends at the cursor without clear', async () => {
    const phone = simulatedPhone([field(100, { text: 'a', flags: ['focusable', 'focused'] })])
    expect(only(await run(phone, [{ type: 'type', text: 'b' }])).ok).toBe(true)
    expect(phone.views[0]?.text).toBe('ab')
  })

  it('finds no field, and types nothing', async () => {
    const phone = simulatedPhone([field(100), button('Go', 300)])
    for (const action of [
      { type: 'type', text: 'x' },
      { type: 'clear' },
      { type: 'type', text: 'x', target: { text: 'Go' } },
    ]) {
      expect(only(await run(phone, [action])).error?.code).toBe('no_focused_field')
    }
    expect(phone.log).not.toContain('type')
  })

  it('does not type into a field that already had the focus', async () => {
    const phone = simulatedPhone([field(100), field(300, { flags: ['focusable', 'focused'] })])
    phone.device.input.gesture = () => Promise.resolve()
    const { error } = only(await run(phone, [{ type: 'type', text: 'x', target: { id: 'field100' } }]))
    expect(error?.code).toBe('no_focused_field')
    expect(phone.log).not.toContain('type')
  })

  it('types where only the keyboard shows that text is accepted', async () => {
    const phone = simulatedPhone([button('Terminal', 100)])
    phone.keyboardVisible = true
    expect(only(await run(phone, [{ type: 'type', text: 'ls' }])).ok).toBe(true)
    expect(phone.log).toContain('type')
  })

  it('reports that the field holds something else, without the texts', async () => {
    const phone = simulatedPhone([
      field(100, { flags: ['focusable', 'focused'], rewrite: (text) => text.slice(0, 4) }),
    ])
    const { error } = only(await run(phone, [{ type: 'type', text: 'hunter2' }]))
    expect([error?.code, error?.details]).toEqual([
      'provider_error',
      { reason: 'text_differs', typed_length: 7, field_length: 4 },
    ])
    expect(JSON.stringify(error)).not.toContain('hunt')
  })

  it('accepts text that the app rewrites or extends', async () => {
    const rewriting = simulatedPhone([
      field(100, {
        flags: ['focusable', 'focused'],
        rewrite: (text) => text.replace(/^(\d{3})(\d{3})$/, '($1) $2'),
      }),
    ])
    expect(only(await run(rewriting, [{ type: 'type', text: '555123' }])).ok).toBe(true)
    const leaving = simulatedPhone([field(100, { flags: ['focusable', 'focused'] })])
    leaving.before = (line) => {
      if (line === 'type') leaving.views = [button('Result', 100)]
    }
    expect(only(await run(leaving, [{ type: 'type', text: 'cat' }])).ok).toBe(true)
  })

  it('waits while a long text arrives in parts', async () => {
    const phone = simulatedPhone([field(100, { flags: ['focusable', 'focused'] })])
    const type = (text: string): Promise<void> => {
      const grow = (length: number): void => {
        phone.views[0] = { ...field(100, { flags: ['focusable', 'focused'] }), text: text.slice(0, length) }
        if (length < text.length) setTimeout(() => grow(length + 1), 500)
      }
      grow(0)
      return Promise.resolve()
    }
    const device = { ...phone.device, text: oneMethod(type) }
    expect(only(await run({ ...phone, device }, [{ type: 'type', text: 'slowly' }])).ok).toBe(true)
    expect(phone.views[0]?.text).toBe('slowly')
  })

  it('does not count a process pause as the end of a text', async () => {
    const phone = simulatedPhone([field(100, { flags: ['focusable', 'focused'] })])
    const type = (text: string): Promise<void> => {
      setTimeout(() => {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2300)
        const arrives = () => (phone.views[0] = { ...field(100, { flags: ['focusable', 'focused'] }), text })
        setTimeout(arrives, 600)
      }, 100)
      return Promise.resolve()
    }
    const device = { ...phone.device, text: oneMethod(type) }
    expect(only(await run({ ...phone, device }, [{ type: 'type', text: 'late' }])).ok).toBe(true)
  })

  it('verifies a password by its length', async () => {
    const password = (rewrite: (text: string) => string) =>
      simulatedPhone([field(100, { flags: ['focusable', 'focused', 'password'], rewrite })])
    const whole = password((text) => '•'.repeat(text.length))
    expect(only(await run(whole, [{ type: 'type', text: 'hunter2' }])).ok).toBe(true)
    const short = password((text) => '•'.repeat(Math.min(4, text.length)))
    expect(only(await run(short, [{ type: 'type', text: 'hunter2' }])).error?.details).toEqual({
      reason: 'text_differs',
      typed_length: 7,
      field_length: 4,
    })
    const silent = password(() => '')
    expect(only(await run(silent, [{ type: 'type', text: 'hunter2' }])).error?.code).toBe(
      'action_outcome_unknown',
    )
  })

  it('clears, even where select-all has no effect, and recognises a hint', async () => {
    const clears = async (phone: SimulatedPhone) => only(await run(phone, [{ type: 'clear' }])).ok
    const easy = simulatedPhone([field(100, { text: 'abc', flags: ['focusable', 'focused'] })])
    expect([await clears(easy), easy.views[0]?.text]).toEqual([true, ''])
    const hard = simulatedPhone([
      field(100, { text: 'abc', flags: ['focusable', 'focused'], rewrite: (text) => text }),
    ])
    hard.selectAllWorks = false
    expect([await clears(hard), hard.views[0]?.text]).toEqual([true, ''])
    const hint = simulatedPhone([
      field(100, { text: 'Search', flags: ['focusable', 'focused'], rewrite: () => 'Search' }),
    ])
    expect(await clears(hint)).toBe(true)
    const told = simulatedPhone([
      field(100, { text: 'Search', flags: ['focusable', 'focused'], attributes: { 'showing-hint': 'true' } }),
    ])
    expect(await clears(told)).toBe(true)
    expect(told.log).not.toContain('key 67')
  })

  describe('by another method', () => {
    const name = (text: string, flags: string[] = []) =>
      field(100, { text, flags: ['focusable', 'focused', ...flags] })
    /** Puts the text into the field as this method does, and counts. */
    const method = (
      phone: SimulatedPhone,
      part: Partial<TextMethod>,
      put: (held: string, text: string) => string,
    ) => {
      const made = {
        ...methodOf((text) => {
          phone.log.push(`method ${made.name}`)
          const view = phone.views[0] ?? name('')
          phone.views[0] = { ...view, text: put(view.text ?? '', text) }
          return Promise.resolve()
        }),
        ...part,
      }
      return made
    }
    const losing = (held: string, text: string) => held + text.replace(/[^a-z]/g, '')
    const exact = (held: string, text: string) => held + text
    const whole = (_held: string, text: string) => text
    const typing = async (phone: SimulatedPhone, methods: TextMethod[], action: object) => {
      const device = { ...phone.device, text: { methods, focused: null } }
      const result = only(await run({ ...phone, device }, [{ type: 'type', ...action }]))
      return {
        result,
        methods: phone.log.filter((line) => line.startsWith('method')),
        held: phone.views[0]?.text,
      }
    }

    it('replaces text that arrived in part', async () => {
      const phone = simulatedPhone([name('')])
      const methods = [method(phone, {}, losing), method(phone, { name: 'set-text', mode: 'replace' }, whole)]
      const { result, held } = await typing(phone, methods, { text: 'a漢b' })
      expect([result.ok, held]).toEqual([true, 'a漢b'])
    })

    it('clears text that arrived in part, and verifies that, before it types again', async () => {
      const phone = simulatedPhone([name('old')])
      phone.device.input.key = (code) => {
        if (code === 67 && phone.views[0]) phone.views[0].text = ''
        return Promise.resolve()
      }
      const methods = [method(phone, {}, losing), method(phone, { name: 'paste' }, exact)]
      const { result, held } = await typing(phone, methods, { text: 'a漢b', clear: true })
      expect([result.ok, held]).toEqual([true, 'a漢b'])
    })

    it("does not type again when the field's content is uncertain", async () => {
      const stays = simulatedPhone([name('old')])
      stays.selectAllWorks = false
      const methods = [method(stays, {}, losing), method(stays, { name: 'paste' }, exact)]
      const kept = await typing(stays, methods, { text: 'a漢b', clear: true })
      expect([kept.result.error?.details['reason'], kept.methods]).toEqual(['text_differs', ['method keys']])

      const part = simulatedPhone([name('old')])
      const more = [method(part, {}, losing), method(part, { name: 'paste' }, exact)]
      const added = await typing(part, more, { text: 'a漢b' })
      expect([added.result.ok, added.methods]).toEqual([false, ['method keys']])

      const broken = simulatedPhone([name('')])
      const unsure = method(broken, { name: 'set-text', mode: 'replace' }, () => '')
      const send: TextMethod['send'] = async (...args) => ({ ...(await unsure.send(...args)), sure: false })
      const unknown = await typing(broken, [{ ...unsure, send }, method(broken, { name: 'paste' }, exact)], {
        text: '漢',
      })
      expect([unknown.result.error?.code, unknown.methods]).toEqual([
        'action_outcome_unknown',
        ['method set-text'],
      ])
    })

    it('appends to a text that the first method left unchanged', async () => {
      const phone = simulatedPhone([name('old')])
      const methods = [method(phone, {}, (held) => held), method(phone, { name: 'paste' }, exact)]
      const { result, held } = await typing(phone, methods, { text: '漢' })
      expect([result.ok, held]).toEqual([true, 'old漢'])
    })

    it('continues immediately when a method is unavailable, and releases a method that was used', async () => {
      const phone = simulatedPhone([name('')])
      let released = 0
      const refusing = method(phone, { name: 'set-text', mode: 'replace' }, whole)
      refusing.send = () => Promise.reject(new TextMethodUnavailable('no'))
      const lending = method(phone, { name: 'paste' }, losing)
      const { send } = lending
      lending.send = async (...args) => ({
        ...(await send(...args)),
        release: () => Promise.resolve().then(() => void (released += 1)),
      })
      const { result, methods } = await typing(phone, [refusing, lending], { text: '漢a' })
      expect([result.ok, methods, released]).toEqual([false, ['method paste'], 1])
      const none = await typing(simulatedPhone([name('')]), [refusing], { text: 'a' })
      expect(none.result.error?.code).toBe('feature_unavailable')
    })

    it('uses a replacing method only when it knows the whole text', async () => {
      const phone = simulatedPhone([name('old')])
      const methods = [method(phone, { name: 'set-text', mode: 'replace' }, whole), method(phone, {}, exact)]
      expect((await typing(phone, methods, { text: 'x' })).held).toBe('oldx')
      expect((await typing(phone, methods, { text: 'y', clear: true })).held).toBe('y')
    })
  })

  it('reads only once the screen has settled after an earlier batch', async () => {
    const phone = simulatedPhone([button('Go', 100)])
    const looks = new Looks()
    const seen: number[] = []
    phone.before = (line) => {
      if (line === 'tree') seen.push(ownNow())
    }
    await run(phone, [{ type: 'tap', target: { x: 5, y: 6 } }], 'none', { looks })
    // A new write, since the wait after the first batch may be over on a busy machine.
    const endedAt = ownNow()
    looks.wrote({ kind: 'navigation', beganAt: endedAt, endedAt })
    await run(phone, [{ type: 'tap', target: { text: 'Go' } }], 'none', { looks })
    // Timers drop the fraction of a millisecond, and may fire a millisecond early.
    expect(seen[0]).toBeGreaterThanOrEqual(endedAt + settleTimes.navigation.fixed - 5)
  })

  it('names the feature that a phone lacks', async () => {
    const phone = simulatedPhone([])
    const device = { ...phone.device, text: null }
    const { error } = only(await run({ ...phone, device }, [{ type: 'type', text: 'x' }]))
    expect([error?.code, error?.details]).toEqual(['feature_unavailable', { feature: 'text_input' }])
  })
})

describe.concurrent('waiting and scrolling', () => {
  const appearing = (after: number): SimulatedPhone => {
    const phone = simulatedPhone([])
    phone.before = () => {
      if (phone.log.filter((line) => line === 'tree').length === after) phone.views = [button('Done', 100)]
    }
    return phone
  }

  it('waits for a target to appear and to disappear', async () => {
    const coming = appearing(3)
    expect(only(await run(coming, [{ type: 'wait_for', target: { text: 'Done' } }])).ok).toBe(true)
    expect(coming.log.filter((line) => line === 'tree')).toHaveLength(3)
    const there = simulatedPhone([button('Done', 100), button('Done', 300)])
    expect(only(await run(there, [{ type: 'wait_for', target: { text: 'Done' }, timeout_ms: 100 }])).ok).toBe(
      true,
    )
    const going = simulatedPhone([button('Busy', 100)])
    going.before = () => {
      if (going.log.filter((line) => line === 'tree').length === 2) going.views = []
    }
    expect(only(await run(going, [{ type: 'wait_for', target: { text: 'Busy' }, state: 'gone' }])).ok).toBe(
      true,
    )
  })

  it('does not call a target absent when the screen could not be read', async () => {
    const phone = simulatedPhone([button('Download done', 100)])
    phone.before = (line) => {
      if (line === 'tree') throw new ApiError('provider_error', { message: 'could not get idle state' })
    }
    const { error } = only(
      await run(phone, [{ type: 'wait_for', target: { text: 'Download done' }, timeout_ms: 300 }]),
    )
    expect(error?.code).toBe('wait_timeout')
    expect(error?.message).toContain('could not be read')
  })

  it('fails within the deadline, and reports what is there', async () => {
    const phone = simulatedPhone([button('Downloading', 100)])
    const { error, ms } = only(
      await run(phone, [{ type: 'wait_for', target: { text: 'Download done' }, timeout_ms: 400 }]),
    )
    expect([error?.code, error?.retryable]).toEqual(['wait_timeout', true])
    expect(error?.details).toMatchObject({
      target: { text: 'Download done' },
      candidates: [{ ref: 1, text: 'Downloading' }],
    })
    expect(ms >= 400 && ms < 4000).toBe(true)
  })

  it('continues through unreadable screens', async () => {
    const phone = appearing(2)
    const source = phone.device.ui.source.bind(phone.device.ui)
    let broken = 4
    phone.device.ui.source = (progress) => (broken-- > 0 ? Promise.resolve('<hier') : source(progress))
    expect(only(await run(phone, [{ type: 'wait_for', target: { text: 'Done' } }])).ok).toBe(true)
  })

  it('does not wait for a ref of an unknown snapshot', async () => {
    const target = { ref: 1, snapshot_id: 'snp_aaaaaaaaaaaa' }
    const { error } = only(await run(simulatedPhone([]), [{ type: 'wait_for', target, state: 'gone' }]))
    expect(error?.code).toBe('stale_snapshot')
  })

  it('waits until the screen is still', async () => {
    const moving = simulatedPhone([button('0', 100)])
    let reads = 0
    moving.before = (line) => {
      if (line === 'tree') moving.views = [button(String(Math.min(3, reads++)), 100)]
    }
    expect(only(await run(moving, [{ type: 'wait_idle' }])).ok).toBe(true)
    expect(reads).toBe(5)
    const restless = simulatedPhone([])
    restless.before = (line) => {
      if (line === 'tree') restless.views = [button(String(reads++), 100)]
    }
    expect(only(await run(restless, [{ type: 'wait_idle', timeout_ms: 500 }])).error?.code).toBe(
      'wait_timeout',
    )
  })

  it('acts on a target that appears a moment after the previous tap', async () => {
    const phone = simulatedPhone([])
    phone.views = [button('Open', 100, () => setTimeout(() => (phone.views = [button('Opened', 500)]), 600))]
    const { completed } = await run(phone, [
      { type: 'tap', target: { text: 'Open' } },
      { type: 'tap', target: { text: 'Opened' } },
    ])
    expect(completed).toBe(2)
  })

  it('scrolls the scrollable container, with or without a target', async () => {
    const list: SimulatedView = {
      class: 'android.widget.ScrollView',
      flags: ['scrollable'],
      bounds: [0, 400, 1080, 1400],
    }
    const phone = simulatedPhone([list, { text: 'In it', bounds: [0, 500, 500, 600] }])
    await run(phone, [
      { type: 'scroll', direction: 'down', amount: 0.5 },
      { type: 'scroll', direction: 'up', amount: 0.1, target: { x: 5, y: 500 } },
    ])
    const strokes = phone.log.filter((line) => line.includes('>'))
    expect(strokes).toEqual(['540,1150>540,650', '540,850>540,950'])
  })

  it('scrolls until the target appears, the list ends, or the limit is reached', async () => {
    const list = (rows: number, last: number) => {
      const phone = simulatedPhone([])
      let page = 0
      const show = () => {
        phone.views = [
          { class: 'android.widget.ListView', flags: ['scrollable'], bounds: [0, 0, 1080, 2400] },
          ...Array.from({ length: rows }, (_, index) => button(`Row ${page * rows + index}`, index * 100)),
        ]
      }
      show()
      phone.device.input.gesture = () => {
        page = Math.min(page + 1, last)
        show()
        return Promise.resolve()
      }
      return phone
    }
    const scrollTo = async (text: string, max_scrolls: number) =>
      only(await run(list(5, 3), [{ type: 'scroll_to', target: { text }, max_scrolls }]))
    expect((await scrollTo('Row 12', 10)).ok).toBe(true)
    const ended = await scrollTo('Row 99', 10)
    expect([ended.error?.code, ended.error?.details['scrolls']]).toEqual(['target_not_found', 4])
    const enough = await scrollTo('Row 19', 2)
    expect([enough.error?.code, enough.error?.details['scrolls']]).toEqual(['target_not_found', 2])
  })
})

it('taps twice in one gesture, or separately where a phone has one finger', async () => {
  const phone = simulatedPhone([])
  const twice = { type: 'double_tap', target: { x: 1, y: 2 } }
  expect(only(await run(phone, [twice])).ok).toBe(true)
  phone.before = (line) => {
    if (line === 'tap 1,2 tap 1,2') throw new ApiError('feature_unavailable')
  }
  expect(only(await run(phone, [twice])).resolved).toEqual({ center: [1, 2] })
  expect(phone.log).toEqual(['size', 'tap 1,2 tap 1,2', 'size', 'tap 1,2 tap 1,2', 'tap 1,2', 'tap 1,2'])
})

it('resolves both ends of a swipe before it sends anything', async () => {
  const phone = simulatedPhone([button('A', 100)])
  const error = only(await run(phone, [{ type: 'drag', from: { text: 'A' }, to: { text: 'B' } }])).error
  expect(error).toMatchObject({ code: 'target_not_found', details: { target: { text: 'B' } } })
  expect(phone.log.some((line) => /tap|>/.test(line))).toBe(false)
})
