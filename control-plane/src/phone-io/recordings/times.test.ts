import { expect, it } from 'vitest'
import { possibleTimes } from './times.js'

const at = (seconds: number): Date => new Date(Date.UTC(2026, 0, 1) + seconds * 1000)

it('accepts times of the host’s clock only within possible bounds', () => {
  const read = (startedAt?: Date, endedAt?: Date) => possibleTimes(at(0), { startedAt, endedAt }, at(60))
  expect(read(at(1), at(30))).toEqual({ startedAt: at(1), endedAt: at(30) })
  expect(read()).toEqual({ startedAt: at(0), endedAt: null })
  expect(read(at(-3600), at(-3000))).toEqual({ startedAt: at(0), endedAt: at(0) })
  expect(read(new Date('9999-01-01'), new Date('9999-01-02'))).toEqual({ startedAt: at(60), endedAt: at(60) })
  expect(read(at(10), at(5))).toEqual({ startedAt: at(10), endedAt: at(10) })
})
