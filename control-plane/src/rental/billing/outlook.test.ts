// How long the credit of a project lasts, at a price of 1000 micro-dollars a second.
import { expect, it } from 'vitest'
import { outlookOf } from './outlook.js'

const price = { perSecondMicros: 1000n, minimumSeconds: 60 }
const money = (balance: bigint, reserved = 0n) => ({ balanceMicros: balance, reservedMicros: reserved })
const idle = { open: 0, openSeconds: 0, lastDayMicros: 0n }
/** The cost of a phone for a day. */
const day = 86_400_000n

it.each([
  ['nothing is spent', money(day), idle, 'ok', 0n, null],
  ['two phones run for more than a day', money(2n * day), { ...idle, open: 2 }, 'ok', 2n * day, 86_400],
  ['a second less than a day', money(day - 1000n), { ...idle, open: 1 }, 'low', day, 86_399],
  ['open sessions have used it', money(day), { ...idle, open: 1, openSeconds: 10 }, 'low', day, 86_390],
  [
    'the last day cost more',
    money(2n * day),
    { ...idle, open: 1, lastDayMicros: 4n * day },
    'low',
    4n * day,
    43_200,
  ],
  ['all of it is reserved', money(day, day), { ...idle, open: 1 }, 'empty', day, 86_400],
  ['the shortest session costs more', money(59_999n), idle, 'empty', 0n, null],
  ['it is below zero', money(-day), { ...idle, open: 1 }, 'empty', day, 0],
] as const)('%s', (_name, balance, pace, state, perDayMicros, lastsSeconds) => {
  expect(outlookOf(price, balance, pace)).toEqual({ state, perDayMicros, lastsSeconds })
})
