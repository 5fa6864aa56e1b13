/** The timestamps that a subscriber gets, for any behaviour of the phone's clock. */
import { createLogger } from '@phonerack/shared'
import { beforeAll, expect, it } from 'vitest'
import { makeFilm, type Film } from '../testing/film.js'
import { Viewer } from '../testing/viewer.js'
import { createFanOut } from './fan-out.js'

const log = createLogger('test')
log.level = 'silent'
let film: Film
beforeAll(async () => {
  film = await makeFilm(160, 320, 1)
})

/**
 * Sends a picture at each of the phone's times (ms) when the agent's clock shows the
 * paired time; returns the received times.
 */
function timesOf(shown: readonly { phone: number; ours: number }[]): number[] {
  let clock = 0
  const fan = createFanOut(log, () => clock)
  const viewer = new Viewer()
  fan.add(viewer)
  fan.parameterSets(film.config.parameterSets)
  for (const { phone, ours } of shown) {
    clock = ours
    fan.packet(film.units[0] ?? Buffer.alloc(0), BigInt(phone) * 1000n, true)
  }
  return viewer.packets.map(({ ptsUs }) => Number(ptsUs) / 1000)
}

it('are those of the phone', () => {
  expect(
    timesOf([
      { phone: 5000, ours: 100 },
      { phone: 5033, ours: 180 },
      { phone: 9000, ours: 4100 },
    ]),
  ).toEqual([5000, 5033, 9000])
})

it("continue when the phone restarts: by the agent's clock across the restart, by the phone's clock after it", () => {
  expect(
    timesOf([
      { phone: 90_000, ours: 1000 },
      { phone: 20_000, ours: 31_000 },
      { phone: 20_500, ours: 31_600 },
      { phone: 25_000, ours: 36_000 },
    ]),
  ).toEqual([90_000, 120_000, 120_500, 125_000])
})

it("always increase, also when a new encoder's times are slightly early", () => {
  expect(
    timesOf([
      { phone: 5000, ours: 0 },
      { phone: 4980, ours: 10 },
      { phone: 5000, ours: 20 },
      { phone: 5033, ours: 50 },
    ]),
  ).toEqual([5000, 5000.001, 5000.002, 5033])
})
