/** Tests of looks with a signal of drawings and a clock that the test controls. */
import { Progress, systemClock } from '@phonerack/shared'
import { describe, expect, it, vi } from 'vitest'
import type { Drawings, Motion } from '../adb/device/motion.js'
import { run } from '../testing/simulated-batch.js'
import { simulatedPhone, type SimulatedPhone } from '../testing/simulated-phone.js'
import { observe } from './index.js'
import { Looks, settleTimes } from './looks.js'
import { createSnapshotStore } from './snapshots.js'

/** `onNext` runs in each wait for a drawing, which otherwise lasts until its end. */
function filmed(onNext: (ms: number) => void = () => undefined) {
  const phone: SimulatedPhone = simulatedPhone([{ text: 'Done', bounds: [0, 0, 100, 100] }])
  const film = { time: 10_000, drawings: { knownSince: 0, drawnAt: 0 } as Drawings | null, phone }
  const motion: Motion = {
    act: () => undefined,
    read: () => film.drawings,
    next(ms) {
      const before = film.time
      onNext(ms)
      if (film.time === before) film.time += ms
      return Promise.resolve()
    },
    distrust: () => undefined,
  }
  Object.assign(phone.device, { motion })
  return Object.assign(film, { looks: new Looks(() => film.time) })
}
const draw = (film: ReturnType<typeof filmed>) => {
  film.drawings = { knownSince: 0, drawnAt: film.time }
}

describe('settled', () => {
  it('is true for a screen that was drawn for the last time while `wait_for` read it', async () => {
    const film = filmed()
    let reads = 0
    film.phone.before = (line) => {
      if (line !== 'tree') return
      reads += 1
      film.time += 5
      if (reads === 1) draw(film)
      film.time += 15
    }
    const actions = [{ type: 'wait_for', target: { text: 'Done' } }]
    const { observation } = await run(film.phone, actions, 'ui', { looks: film.looks })
    expect([observation?.settled, reads]).toEqual([true, 2])
  })

  it.each(['ui', 'screenshot'] as const)(
    'is true right after the last drawing, with observe %s',
    async (mode) => {
      const film = filmed()
      draw(film)
      film.time += 10
      const { observation } = await run(film.phone, [{ type: 'wait', ms: 1 }], mode, { looks: film.looks })
      expect(observation?.settled).toBe(true)
    },
  )

  it('is false for a screen that keeps moving, without a longer wait', async () => {
    let waits = 0
    const film = filmed(() => {
      waits += 1
      film.time += 50
      draw(film)
    })
    draw(film)
    const shown = { snapshots: createSnapshotStore(systemClock).of(owner), looks: film.looks }
    const { observation } = await observe(film.phone.device, shown, {}, Progress.for(10_000))
    expect([observation.settled, waits]).toEqual([false, 2])
  })
})
const owner = { phoneId: 'ph_a', fencingNumber: 1n }

describe('a signal that ends while a write settles', () => {
  const { fixed } = settleTimes.touch

  it.each([
    ['waits for the rest of the fixed time', 30, [fixed + 10 - 30]],
    ['waits no longer when the fixed time is over', fixed + 20, []],
  ])('%s', async (_, diesAt, sleeps) => {
    const film = filmed(() => {
      film.time = 10_000 + diesAt
      film.drawings = null
    })
    film.looks.wrote({ kind: 'touch', beganAt: 10_000, endedAt: 10_010 })
    const progress = Progress.for(10_000)
    const sleep = vi.spyOn(progress, 'sleep')
    await film.looks.settle(film.phone.device, progress)
    expect(sleep.mock.calls.map(([ms]) => ms)).toEqual(sleeps)
  })
})
