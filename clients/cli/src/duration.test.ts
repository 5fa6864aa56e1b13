/** Durations and times for people. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { durationMs, durationSeconds, humanMs, relative } from './duration.js'

it.each([
  ['500ms', 500],
  ['10', 10_000],
  ['10s', 10_000],
  ['1.5m', 90_000],
  ['1h', 3_600_000],
])('reads %s', (text, ms) => expect(durationMs(text, '--for')).toBe(ms))

it.each(['', 's', '-1', '1d', '1e3', '10 s', '99999999999'])('refuses "%s"', (text) => {
  expect(() => durationMs(text, '--for')).toThrow('`--for` must be a duration')
})

it.each(['600h', '2147483.648s', '2147484s', '999999999h'])('refuses %s, which no timer can wait', (text) => {
  expect(() => durationMs(text, '--for')).toThrow('`--for` must be at most 24 days.')
})

it('refuses parts of a second where the API takes whole ones', () => {
  expect(() => durationSeconds('1500ms', '--expires')).toThrow('`--expires` must be whole seconds.')
  expect(durationSeconds('5m', '--expires')).toBe(300)
})

it('reads back all whole seconds', () => {
  fc.assert(
    fc.property(fc.nat(2_147_483), (n) => {
      expect(durationSeconds(`${n}s`, '--for')).toBe(n)
    }),
  )
})

it('says times in the largest unit that fits', () => {
  expect([1000, 89_000, 90_000, 7_200_000, 172_800_000].map(humanMs)).toEqual([
    '1 s',
    '89 s',
    '2 min',
    '2 h',
    '2 d',
  ])
  const now = Date.parse('2026-11-21T12:00:00.000Z')
  expect(relative('2026-11-21T12:05:00.000Z', now)).toBe('in 5 min')
  expect(relative('2026-11-21T11:55:00.000Z', now)).toBe('5 min ago')
  expect([relative(null, now), relative('no time', now)]).toEqual([null, null])
})
