import { expect, it } from 'vitest'
import { Listening } from './sweep.js'

it('trusts the silence of hosts only after listening as long without interruption', () => {
  const listening = new Listening()
  const looks: [number, boolean][] = [
    [1000, true],
    [3000, true],
    [6000, true],
    [7000, false],
    [8000, true],
    [12_000, true],
    [13_000, true],
    [60_000, true],
    [63_000, true],
    [65_000, true],
  ]
  const believed = looks.map(([now, connected]) => listening.isLongEnough(now, connected, 5000))
  expect(believed).toEqual([false, false, true, false, false, false, true, false, false, true])
})
