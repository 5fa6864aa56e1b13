/** Writes that fail, and are repeated. */
import { createLogger, Counters } from '@phonerack/shared'
import { describe, expect, it } from 'vitest'
import { createStepWriter, type StepWriter } from './writer.js'

const log = createLogger('test')
log.level = 'silent'
const coreOf = () => ({ log, counters: new Counters() })
const write = (writer: StepWriter, run: () => Promise<void>, waitMs: number, bytes = 1): Promise<void> =>
  writer.write({ bytes, run }, waitMs)

it('keeps the step of an answered batch while Postgres fails [43.29]', async () => {
  const core = coreOf()
  const writer = createStepWriter(core)
  let isAway = true
  const written: number[] = []
  const record = (number: number) =>
    write(
      writer,
      () => {
        if (isAway) return Promise.reject(new Error('no connection to Postgres'))
        written.push(number)
        return Promise.resolve()
      },
      50,
    )
  await record(1)
  await record(2)
  expect(written).toEqual([])
  isAway = false
  await expect.poll(() => written, { timeout: 10_000 }).toEqual([1, 2])
  expect(core.counters.read('step_write_failures')).toBeGreaterThanOrEqual(2)
  expect(core.counters.read('step_rows_lost')).toBe(0)
  await writer.close()
})

it('waits for a write up to its limit, and the write continues', async () => {
  const writer = createStepWriter(coreOf())
  let end = (): void => undefined
  const done: string[] = []
  const began = performance.now()
  const run = async (): Promise<void> => {
    await new Promise<void>((resolve) => (end = resolve))
    done.push('written')
  }
  await write(writer, run, 20)
  expect(performance.now() - began).toBeLessThan(10_000)
  expect(done).toEqual([])
  end()
  await writer.close()
  expect(done).toEqual(['written'])
})

it('writes the waiting steps when it closes, and counts the steps that the database refuses', async () => {
  const core = coreOf()
  const writer = createStepWriter(core)
  let tries = 0
  const run = (): Promise<void> => {
    tries += 1
    return tries === 1 ? Promise.reject(new Error('away')) : Promise.resolve()
  }
  await write(writer, run, 50)
  await write(writer, () => Promise.reject(Object.assign(new Error('refused'), { code: '22021' })), 50)
  await writer.close()
  expect(tries).toBe(2)
  expect(core.counters.read('step_rows_lost')).toBe(1)
})

describe('while Postgres does not answer', () => {
  it('drops the oldest writes above its limit of bytes', async () => {
    const core = coreOf()
    const writer = createStepWriter(core, { bytes: 10, waiting: 1000, running: 100 })
    let isAway = true
    const written: number[] = []
    for (let number = 1; number <= 4; number += 1)
      await write(
        writer,
        () => {
          if (isAway) return Promise.reject(new Error('away'))
          written.push(number)
          return Promise.resolve()
        },
        50,
        4,
      )
    isAway = false
    await writer.close()
    expect(written).toEqual([3, 4])
    expect(core.counters.read('step_rows_lost')).toBe(2)
  })

  it('drops a write that exceeds the limit together with the running writes', async () => {
    const core = coreOf()
    const writer = createStepWriter(core, { bytes: 10, waiting: 1000, running: 100 })
    const written: string[] = []
    let end = (): void => undefined
    const slow = async (): Promise<void> => {
      await new Promise<void>((resolve) => (end = resolve))
      written.push('slow')
    }
    await write(writer, slow, 10, 8)
    await write(writer, () => Promise.resolve(void written.push('refused')), 10, 8)
    end()
    await expect.poll(() => written, { timeout: 10_000 }).toEqual(['slow'])
    await write(writer, () => Promise.resolve(void written.push('next')), 10, 8)
    await writer.close()
    expect(written).toEqual(['slow', 'next'])
    expect(core.counters.read('step_rows_lost')).toBe(1)
  })

  it('runs a limited number of writes at a time, and answers the others immediately', async () => {
    const writer = createStepWriter(coreOf(), { bytes: 1000, waiting: 1000, running: 2 })
    const ends: (() => void)[] = []
    const run = (): Promise<void> => new Promise((resolve) => ends.push(resolve))
    for (let each = 0; each < 2; each += 1) await write(writer, run, 10)
    const third: string[] = []
    const answered = write(writer, () => Promise.resolve(void third.push('written')), 600_000)
    expect(third).toEqual([])
    await answered
    expect(ends).toHaveLength(2)
    for (const end of ends) end()
    await expect.poll(() => third, { timeout: 10_000 }).toEqual(['written'])
    await writer.close()
  })

  it('drops the oldest writes above its limit of number, even while it repeats others', async () => {
    const core = coreOf()
    const writer = createStepWriter(core, { bytes: 1000, waiting: 3, running: 100 })
    const away = (): Promise<void> => Promise.reject(new Error('away'))
    let hangs = false
    const releases: (() => void)[] = []
    const hanging = (): Promise<void> =>
      hangs ? new Promise((_, reject) => releases.push(() => reject(new Error('away')))) : away()
    for (let each = 0; each < 3; each += 1) await write(writer, hanging, 50)
    hangs = true
    await expect.poll(() => releases.length, { timeout: 10_000 }).toBe(1)
    // One write is repeated, and two wait.
    for (let each = 0; each < 3; each += 1) await write(writer, away, 50)
    expect(core.counters.read('step_rows_lost')).toBe(2)
    hangs = false
    releases[0]?.()
    await writer.close()
  })
})
