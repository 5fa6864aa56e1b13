/** A person's input on a slow phone, in order and in device pixels. */
import { WatchTouch_Phase as Phase } from '@phonerack/proto'
import { createLogger, Progress } from '@phonerack/shared'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Device, LiveInput } from '../../adb/device/device.js'
import { oneMethod, simulatedPhone } from '../../testing/simulated-phone.js'
import { until } from '../../testing/until.js'
import { ViewerInput, inOrientationOf, type InputEvent } from './viewer-input.js'
import { watch, watchTimes } from './watch.js'

const log = createLogger('test')
log.level = 'silent'

/** A phone that records its calls, and answers them once the test releases it. */
function slowPhone() {
  const told: string[] = []
  let open: () => void = () => undefined
  const gate = new Promise<void>((resolve) => (open = resolve))
  const tell = async (line: string) => {
    await gate
    told.push(line)
  }
  const liveInput: LiveInput = {
    touch: (phase, pointer, { x, y }) => tell(`${phase} ${pointer % 10} ${x},${y}`),
    key: (down, keyCode) => tell(`${down ? 'press' : 'release'} ${keyCode}`),
    scroll: ({ x, y }, horizontal, vertical) => tell(`scroll ${x},${y} ${horizontal},${vertical}`),
    rotate: () => tell('rotate'),
  }
  const device: Device = {
    ...simulatedPhone([]).device,
    liveInput,
    text: oneMethod((text) => tell(`text ${text}`)),
  }
  return { told, open, device }
}

const touch = (phase: Phase, x: number, y: number, pointer = 0): InputEvent => ({
  $case: 'touch',
  value: { phase, pointer, x, y },
})
const text = (words: string): InputEvent => ({ $case: 'text', value: { text: words } })
const key = (down: boolean): InputEvent => ({
  $case: 'key',
  value: { down, keyCode: 66, metaState: 0, repeat: 0 },
})

describe('live input', () => {
  it('runs in order, merges waiting events, and lifts pressed fingers and keys', async () => {
    const { told, open, device } = slowPhone()
    const input = new ViewerInput(
      () => Promise.resolve(device),
      Progress.for(60_000),
      log,
      () => undefined,
    )
    input.setPicture({ width: 1280, height: 576 })
    const events = [
      touch(Phase.PHASE_MOVE, 0.9, 0.9),
      touch(Phase.PHASE_DOWN, 0, 0),
      touch(Phase.PHASE_MOVE, 0.1, 0.1),
      touch(Phase.PHASE_MOVE, 0.5, 0.5),
      touch(Phase.PHASE_DOWN, 1, 1, 3),
      touch(Phase.PHASE_UP, 1, 1, 3),
      text('é'),
      text('漢'),
      key(true),
      text('x'),
    ]
    for (const event of events) expect(input.add(event)).toBe(true)
    open()
    await until(() => told.length === 7, 60_000, 'seven things')
    await input.leave()
    // The 1080 by 2400 screen in the picture's orientation.
    expect(told).toEqual([
      'down 0 0,0',
      'move 0 1200,540',
      'down 3 2399,1079',
      'up 3 2399,1079',
      'text é漢',
      'press 66',
      'text x',
      'cancel 0 1200,540',
      'release 66',
    ])
  })

  it('requests a pause when many events wait, and reports free space', async () => {
    const { told, open, device } = slowPhone()
    let room = 0
    const input = new ViewerInput(
      () => Promise.resolve(device),
      Progress.for(60_000),
      log,
      () => (room += 1),
    )
    let taken = 0
    while (input.add(key(true)) && input.add(key(false))) taken += 2
    expect(taken).toBeGreaterThan(200)
    expect(room).toBe(0)
    open()
    await until(() => told.length > taken, 60_000, 'all keys')
    expect(room).toBeGreaterThan(0)
    await input.leave()
  })

  it.each([
    ['a point outside', touch(Phase.PHASE_DOWN, 1.01, 0)],
    ['no number', touch(Phase.PHASE_DOWN, Number.NaN, 0)],
    ['an eleventh finger', touch(Phase.PHASE_DOWN, 0, 0, 10)],
    ['too long a text', text('x'.repeat(10_001))],
  ])('refuses %s', (_name, event) => {
    const { device } = slowPhone()
    const input = new ViewerInput(
      () => Promise.resolve(device),
      Progress.for(1000),
      log,
      () => undefined,
    )
    expect(() => input.add(event)).toThrow(expect.objectContaining({ code: 'validation_failed' }))
  })

  it("uses the screen in the picture's orientation", () => {
    const side = fc.integer({ min: 1, max: 4000 })
    const size = fc.record({ width: side, height: side })
    fc.assert(
      fc.property(size, size, (screen, picture) => {
        const turned = inOrientationOf(screen, picture)
        expect([turned.width, turned.height].toSorted()).toEqual([screen.width, screen.height].toSorted())
        expect(inOrientationOf(screen, null)).toBe(screen)
        if (screen.width !== screen.height && picture.width !== picture.height)
          expect(turned.width > turned.height).toBe(picture.width > picture.height)
      }),
    )
  })
})

it('is refused on a phone without video', async () => {
  const { device } = slowPhone()
  const view = watch({
    device: () => Promise.resolve(device),
    control: false,
    outlet: { send: () => Promise.resolve() },
    inlet: { onEvent: () => undefined, pause: () => undefined, resume: () => undefined },
    onTyped: () => undefined,
    times: watchTimes,
    progress: Progress.for(60_000),
    log,
  })
  await expect(view).rejects.toMatchObject({ code: 'feature_unavailable', details: { feature: 'live' } })
})
