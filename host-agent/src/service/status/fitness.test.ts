/** The state of the host itself: when it refuses work, which reason it reports, and that it recovers. */
import { createLogger, DeadlineExceeded } from '@phonerack/shared'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { later } from '../../base/later.js'
import { until } from '../../testing/until.js'
import { judge, watchFitness, type Fitness, type Reading } from './fitness.js'

const needs = { dataDir: '/data', minFree: 500_000_000 }
const healthy: Reading = { freeBytes: 10e9, freeFiles: 1e6, writeError: null, adbTrouble: null }
const errno = (code: string, syscall = 'open') => Object.assign(new Error(code), { code, syscall })

describe('judge', () => {
  it('names the cause, the value and the next step', () => {
    expect(judge(healthy, needs, null)).toBeNull()
    expect(judge({ ...healthy, freeBytes: null, freeFiles: null }, needs, null)).toBeNull()
    const full = judge({ ...healthy, freeBytes: 12_345_678 }, needs, null)
    expect(full).toMatchObject({ kind: 'disk_full' })
    expect(full?.reason).toMatch(/\/data has 12 MB free.*needs 500 MB \(`min_free_bytes`\)\. Delete files/)
    expect(judge({ ...healthy, freeFiles: 3 }, needs, null)?.reason).toMatch(/only 3 more files/)
    expect(judge({ ...healthy, writeError: errno('EDQUOT') }, needs, null)).toMatchObject({
      kind: 'disk_full',
    })
    for (const code of ['EACCES', 'EROFS', 'EMFILE']) {
      const found = judge({ ...healthy, writeError: errno(code) }, needs, null)
      expect(found).toMatchObject({ kind: 'own_fault' })
      expect(found?.reason).toContain(code)
    }
    const hung = judge({ ...healthy, freeBytes: null, writeError: new DeadlineExceeded('x') }, needs, null)
    expect(hung).toMatchObject({
      kind: 'own_fault',
      reason: expect.stringContaining('does not answer') as string,
    })
    expect(judge({ ...healthy, adbTrouble: 'adb could not be started' }, needs, null)).toMatchObject({
      kind: 'own_fault',
    })
  })

  it('refuses below the limit, takes work above the limit with a margin, and keeps its verdict in between', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1e9 }),
        fc.double({ min: 0, max: 3, noNaN: true }),
        fc.boolean(),
        (minFree, share, refused) => {
          const before = refused ? ({ kind: 'disk_full', reason: '' } as const) : null
          const after = judge({ ...healthy, freeBytes: minFree * share }, { ...needs, minFree }, before)
          if (share < 1) expect(after?.kind).toBe('disk_full')
          else if (share > 1.11) expect(after).toBeNull()
          else if (share < 1.09) expect(after !== null).toBe(refused)
        },
      ),
    )
  })
})

describe('watch', () => {
  let fitness: Fitness | undefined
  afterEach(() => fitness?.stop())
  const log = createLogger('test')
  log.level = 'silent'

  it('reports each change once, and tolerates a short break of the adb server', async () => {
    let reading = { ...healthy, freeBytes: 10 as number | null }
    let adbTrouble: string | null = null
    let changes = 0
    let full = 0
    let looks = 0
    fitness = await watchFitness({
      ...needs,
      adbTrouble: () => adbTrouble,
      onFull: () => (full += 1),
      onChange: () => (changes += 1),
      log,
      everyMs: 1_000_000,
      look: () => {
        looks += 1
        return Promise.resolve(reading)
      },
    })
    const watched = fitness
    const look = async () => {
      const before = looks
      watched.suspect()
      await until(() => looks > before)
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(fitness.refusal).toMatchObject({ kind: 'disk_full' })
    await look()
    expect(changes).toBe(1)
    // The check runs after each call, since one call can free too little.
    expect(full).toBe(2)
    reading = healthy
    await look()
    expect(fitness.refusal).toBeNull()
    adbTrouble = 'ended with code 1'
    await look()
    expect(fitness.refusal).toBeNull()
    await look()
    expect(fitness.refusal).toMatchObject({ kind: 'own_fault' })
    adbTrouble = null
    await look()
    expect(fitness.refusal).toBeNull()
    expect(changes).toBe(4)
    expect(full).toBe(2)
  })

  const watchHung = (lookMs: number, look: () => Promise<Reading>) =>
    watchFitness({
      ...needs,
      adbTrouble: () => null,
      onFull: () => undefined,
      onChange: () => undefined,
      log,
      everyMs: 1_000_000,
      look,
      lookMs,
    })

  it('refuses work while the disk does not answer, with one check at a time, until it answers', async () => {
    const disk = later<Reading>()
    let looks = 0
    fitness = await watchHung(1, () => {
      looks += 1
      return looks === 1 ? disk.promise : Promise.resolve(healthy)
    })
    const watched = fitness
    expect(watched.refusal).toMatchObject({ kind: 'own_fault' })
    watched.suspect()
    expect(looks).toBe(1)
    disk.resolve(healthy)
    await until(() => {
      watched.suspect()
      return watched.refusal === null
    })
  })

  it('stops while a check hangs', async () => {
    let looks = 0
    fitness = await watchHung(1_000_000, () =>
      looks++ === 0 ? Promise.resolve(healthy) : new Promise(() => undefined),
    )
    fitness.suspect()
    expect(looks).toBe(2)
    await fitness.stop()
    expect(fitness.refusal).toBeNull()
  })
})
