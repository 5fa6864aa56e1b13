/** The retention of uploads: the pure rule, and with an advanced clock. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeApk } from '../../testing/apk.js'
import { storedFiles, uploadClient, type UploadClient } from '../../testing/uploads.js'
import { eventually, startWorld, type Plane, type World } from '../../testing/world.js'
import { expireUploads } from './expiry.js'
import { expiryOf, isNewer } from './retention.js'

const [hour, day] = [3_600_000, 86_400_000]
const times = { awaitingMs: hour, lifeMs: 7 * day, supersededMs: day }
const at = (ms: number) => new Date(ms)

describe('the rule', () => {
  const createdAt = at(0)
  it.each([
    ['without a file an hour', { keptFrom: null, lastInstallAt: null }, hour],
    ['seven days after the file', { keptFrom: at(5), lastInstallAt: null }, 5 + 7 * day],
    ['seven days after the last install', { keptFrom: at(5), lastInstallAt: at(9) }, 9 + 7 * day],
    ['seven days after an equal file', { keptFrom: at(9), lastInstallAt: at(5) }, 9 + 7 * day],
  ])('%s', (_what, change, expected) => {
    const upload = { createdAt, isSuperseded: false, ...change }
    expect(expiryOf(upload, times).getTime()).toBe(expected)
  })

  it('with a newer build it ends a day after the last install; one never installed keeps its time', () => {
    const upload = { createdAt, keptFrom: at(5), isSuperseded: true }
    expect(expiryOf({ ...upload, lastInstallAt: at(9) }, times).getTime()).toBe(9 + day)
    expect(expiryOf({ ...upload, lastInstallAt: null }, times).getTime()).toBe(5 + 7 * day)
  })

  it('exactly one of two builds is newer', () => {
    const build = fc.record({
      versionCode: fc.bigInt({ min: 0n, max: 3n }),
      createdAt: fc.integer({ min: 0, max: 3 }).map(at),
    })
    fc.assert(
      fc.property(build, build, (one, other) => {
        const isSame =
          one.versionCode === other.versionCode && one.createdAt.getTime() === other.createdAt.getTime()
        expect([isNewer(one, other), isNewer(other, one)].filter(Boolean)).toHaveLength(isSame ? 0 : 1)
      }),
    )
  })
})

describe('with an advanced clock', () => {
  let world: World
  let plane: Plane
  let client: UploadClient
  let ahead = 0
  /** Milliseconds since the epoch, while the clock is fixed. */
  let still: number | null = null
  const clock = { now: () => new Date(still ?? Date.now() + ahead) }
  beforeAll(async () => {
    world = startWorld()
    plane = await world.start({ clock })
    client = await uploadClient(plane, await plane.tenant())
  })
  afterAll(() => world.stop())

  const statusOf = async (id: string): Promise<string> => (await client.get(id)).status
  const expire = () => expireUploads(plane.app.uploads)
  const row = (id: string) => plane.app.core.db.upload.findUniqueOrThrow({ where: { id } })

  it('an upload without a file is deleted after an hour, with anything it received [3.39, 4.38, 20.39]', async () => {
    const [empty, sent] = [await client.create(), await client.create()]
    const { body } = await client.send(sent, makeApk())
    ahead += hour - 60_000
    await expire()
    expect([await statusOf(empty.id), await statusOf(sent.id)]).toEqual(['awaiting_file', 'awaiting_file'])
    ahead += 61_000
    // Every reader immediately sees the upload as deleted.
    expect([await statusOf(empty.id), await statusOf(sent.id)]).toEqual(['deleted', 'deleted'])
    expect((await client.complete(sent.id, body.storageId)).status).toBe(400)
    await expire()
    expect((await row(sent.id)).status).toBe('deleted')
    await eventually(async () => !(await storedFiles(plane)).includes(body.storageId))
  })

  it('a ready one is kept for seven days, and seven more by an equal file [3.40, 20.40]', async () => {
    const bytes = makeApk({ package: 'com.example.kept' })
    const upload = await client.upload(bytes)
    ahead += 6 * day
    expect((await client.upload(bytes)).id).toBe(upload.id)
    ahead += 6 * day
    await expire()
    expect(await statusOf(upload.id)).toBe('ready')
    ahead += day + 60_000
    expect(await statusOf(upload.id)).toBe('deleted')
    // The upload expired before any sweep, so an equal file is not its duplicate.
    const again = await client.upload(bytes)
    expect([again.status, again.id === upload.id]).toEqual(['ready', false])
    await expire()
    const { storageId } = await row(upload.id)
    await eventually(async () => !(await storedFiles(plane)).includes(storageId ?? ''))
    expect(await storedFiles(plane)).toContain((await row(again.id)).storageId)
  })

  it('an installed one ends a day after its last install once a newer build is ready, but not for one of another project [3.42, 20.41]', async () => {
    const apk = (versionCode: number) => makeApk({ package: 'com.example.builds', versionCode })
    const old = await client.upload(apk(1))
    const installed = clock.now()
    await plane.app.core.db.upload.update({ where: { id: old.id }, data: { lastInstallAt: installed } })
    const other = await uploadClient(plane, await plane.tenant())
    await other.upload(apk(3))
    expect((await row(old.id)).expiresAt.getTime()).toBeGreaterThan(installed.getTime() + 6 * day)
    const newer = await client.upload(apk(2))
    expect((await row(old.id)).expiresAt.getTime()).toBe(installed.getTime() + day)
    // Without the newer build, the older build is kept for seven days again.
    await client.request('DELETE', `/v1/apps/uploads/${newer.id}`)
    expect((await row(old.id)).expiresAt.getTime()).toBe(installed.getTime() + 7 * day)
    const newest = await client.upload(apk(4))
    ahead += day + 60_000
    await expire()
    expect([await statusOf(old.id), await statusOf(newest.id)]).toEqual(['deleted', 'ready'])
    // A deleted upload stays deleted, even when the newer build is deleted.
    await client.request('DELETE', `/v1/apps/uploads/${newest.id}`)
    expect(await statusOf(old.id)).toBe('deleted')
  })

  it('to the millisecond: an hour without a file, a day once superseded, otherwise seven days', async () => {
    const apk = (versionCode: number) => makeApk({ package: 'com.example.edges', versionCode })
    const old = await client.upload(apk(1))
    const lastInstallAt = clock.now()
    await plane.app.core.db.upload.update({ where: { id: old.id }, data: { lastInstallAt } })
    const newer = await client.upload(apk(2))
    const { arrivedAt } = await row(newer.id)
    const empty = await client.create()
    const { createdAt } = await row(empty.id)
    for (const [id, due, until] of [
      [empty.id, createdAt.getTime() + hour, 'awaiting_file'],
      [old.id, lastInstallAt.getTime() + day, 'ready'],
      [newer.id, (arrivedAt?.getTime() ?? 0) + 7 * day, 'ready'],
    ] as const) {
      still = due - 1
      await expire()
      expect([await statusOf(id), (await row(id)).status]).toEqual([until, until])
      still = due
      expect([await statusOf(id), (await row(id)).status]).toEqual(['deleted', until])
      await expire()
      expect((await row(id)).status).toBe('deleted')
    }
  })
})
