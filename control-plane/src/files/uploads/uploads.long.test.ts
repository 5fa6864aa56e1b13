/**
 * Uploads from create to delete, over HTTP, with real Postgres and real files; the parser runs in
 * its own process.
 */
import { readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  createdUploadSchema,
  uploadPageSchema,
  uploadSchema,
  type UploadJson,
} from '../../api/routes/apps/schemas.js'
import { makeApk } from '../../testing/apk.js'
import {
  limitedKey,
  sha256,
  storedFiles,
  uploadClient,
  type Created,
  type UploadClient,
} from '../../testing/uploads.js'
import { createBody, eventually, useWorld, type Plane, type Tenant } from '../../testing/world.js'
import { processUploadJob } from './process.js'
import { changeProject } from '../../testing/operator.js'

const world = useWorld()
let plane: Plane
let tenant: Tenant
let client: UploadClient
beforeAll(async () => {
  plane = await world.start()
  tenant = await plane.tenant()
  client = await uploadClient(plane, tenant)
})

const settingsApk = readFileSync(
  fileURLToPath(
    new URL('../../../../node_modules/io.appium.settings/apks/settings_apk-debug.apk', import.meta.url),
  ),
)
const day = 86_400_000
let packages = 0
/** A unique APK. */
const newApk = (settings: Parameters<typeof makeApk>[0] = {}, by?: null): Buffer =>
  makeApk({ package: `com.example.app${(packages += 1)}`, ...settings }, by)

/** Changes bytes in the entry `a.txt` of the APK. */
function tampered(apk: Buffer): Buffer {
  apk.write('two', apk.indexOf('a.txt') + 'a.txt'.length)
  return apk
}

describe('an upload', () => {
  it('goes from its URL to ready, and is deleted with its file [2.16, 3.36, 3.37, 3.38, 4.31, 12.2, 12.3, 12.12, 12.13, 12.17, 12.25]', async () => {
    const before = plane.app.core.clock.now().getTime()
    const answer = await client.request<Created>('POST', '/v1/apps/uploads', {})
    expect(answer.status).toBe(201)
    const created = createdUploadSchema.strict().parse(answer.body)
    expect(answer.headers.get('location')).toBe(`/v1/apps/uploads/${created.id}`)
    expect(created).toMatchObject({
      object: 'upload',
      status: 'awaiting_file',
      package: null,
      version_code: null,
      size_bytes: null,
      sha256: null,
      error: null,
      upload_method: 'POST',
      upload_headers: { 'Content-Type': 'application/vnd.android.package-archive' },
      max_bytes: 524_288_000,
    })
    expect(created.upload_url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/uploads\/pru_[A-Za-z0-9_-]{43}$/)
    expect(Date.parse(created.expires_at) - Date.parse(created.created_at)).toBe(3_600_000)

    const sent = await client.send(created, settingsApk)
    expect([sent.status, Object.keys(sent.body)]).toEqual([200, ['storageId']])
    expect((await client.get(created.id)).status).toBe('awaiting_file')
    const completed = await client.request<UploadJson>(
      'POST',
      `/v1/apps/uploads/${created.id}/complete`,
      sent.body,
    )
    expect([completed.status, completed.body.status]).toEqual([202, 'processing'])
    const { body: ready } = await client.request<UploadJson>(
      'GET',
      `/v1/apps/uploads/${created.id}?wait=ready&timeout=55`,
    )
    expect(uploadSchema.strict().parse(ready)).toMatchObject({
      status: 'ready',
      package: 'io.appium.settings',
      version_code: 192,
      version_name: '8.0.10',
      min_sdk: 26,
      size_bytes: settingsApk.length,
      sha256: sha256(settingsApk),
      error: null,
    })
    expect(Date.parse(ready.expires_at)).toBeGreaterThanOrEqual(before + 7 * day)
    expect(Date.parse(ready.expires_at)).toBeLessThanOrEqual(plane.app.core.clock.now().getTime() + 7 * day)
    const again = await client.complete(created.id, sent.body.storageId)
    expect([again.status, again.body]).toEqual([200, ready])
    expect(await storedFiles(plane)).toContain(sent.body.storageId)

    const deleted = await client.request<UploadJson>('DELETE', `/v1/apps/uploads/${created.id}`)
    expect([deleted.status, deleted.body.status]).toEqual([200, 'deleted'])
    expect((await client.request('DELETE', `/v1/apps/uploads/${created.id}`)).body).toEqual(deleted.body)
    expect((await client.get(created.id)).status).toBe('deleted')
    await eventually(async () => !(await storedFiles(plane)).includes(sent.body.storageId))
  })

  it('becomes a duplicate when it equals a ready one of the project, which is kept [4.37, 12.15, 23.36]', async () => {
    const bytes = newApk()
    const first = await client.upload(bytes)
    expect(first.status).toBe('ready')
    const created = await client.create()
    const { body } = await client.send(created, bytes)
    const completed = await client.complete(created.id, body.storageId)
    expect([completed.status, completed.body.id]).toEqual([200, first.id])
    expect(Date.parse(completed.body.expires_at)).toBeGreaterThan(Date.parse(first.expires_at))
    expect(await client.get(created.id)).toMatchObject({
      status: 'duplicate',
      error: { code: 'duplicate_upload', next: `GET /v1/apps/uploads/${first.id}` },
    })
    const again = await client.complete(created.id, body.storageId)
    expect([again.status, again.body.status]).toEqual([200, 'duplicate'])
    // Another project gets a separate upload of the same file.
    const other = await uploadClient(plane, await plane.tenant())
    expect((await other.upload(bytes)).status).toBe('ready')
  })

  it('becomes a duplicate of an equal one completed at the same moment', async () => {
    const bytes = newApk()
    const created = await Promise.all([client.create(), client.create(), client.create()])
    const sent = await Promise.all(created.map((each) => client.send(each, bytes)))
    await Promise.all(
      created.map((each, index) => client.complete(each.id, sent[index]?.body.storageId ?? '')),
    )
    const ended = await Promise.all(
      created.map(({ id }) => client.request<UploadJson>('GET', `/v1/apps/uploads/${id}?wait=ready`)),
    )
    const statuses = ended.map(({ body }) => body.status).sort()
    expect(statuses).toEqual(['duplicate', 'duplicate', 'ready'])
  })

  it.each([
    ['text', Buffer.from('not an APK'), /not a ZIP/],
    ['an empty file', Buffer.alloc(0), /not a ZIP/],
    ['an unsigned APK', newApk({}, null), /is not signed/],
    ['an APK that was cut off', newApk().subarray(0, -30), /is truncated/],
    [
      'a tampered APK',
      tampered(newApk({ files: { 'a.txt': Buffer.from('one') } })),
      /changed after it was signed/,
    ],
    ['a split', newApk({ split: 'config.en' }), /only the split config\.en/],
    ['a base that needs splits', newApk({ splitRequired: true }), /without its splits/],
  ])('ends as invalid_apk for %s [3.43, 4.32, 23.59]', async (_what, bytes, why) => {
    const upload = await client.upload(bytes)
    expect(upload).toMatchObject({ status: 'invalid_apk', error: { code: 'invalid_apk' }, package: null })
    expect(upload.error?.next).toMatch(why)
    expect(
      await client.request('POST', `/v1/apps/uploads/${upload.id}/complete`, { storage_id: 'x' }),
    ).toMatchObject({ status: 400 })
  })

  it('for a preview of Android names the level', async () => {
    expect(await client.upload(newApk({ minSdk: 'Tiramisu' }))).toMatchObject({
      status: 'ready',
      min_sdk: 33,
    })
  })

  it('names a split as storable text of bounded length', async () => {
    const split = await client.upload(newApk({ split: `config\0.en${'x'.repeat(5000)}` }))
    expect(split).toMatchObject({ status: 'invalid_apk' })
    expect(split.error?.next).toMatch(/only the split config\uFFFD\.enx{190}…/)
  })

  it('ends as upload_failed when its file is lost [4.35, 23.73]', async () => {
    const created = await client.create()
    const { body } = await client.send(created, newApk())
    await rm(path.join(plane.config.storage.dir, 'files', body.storageId))
    const completed = await client.complete(created.id, body.storageId)
    expect(completed.body.status).toBe('processing')
    // This is the upload's last attempt. The earlier attempts wait for seconds.
    await processUploadJob(
      plane.app.uploads,
      { uploadId: created.id, attempt: 4 },
      new AbortController().signal,
    )
    expect(await client.get(created.id)).toMatchObject({ status: 'failed', error: { code: 'upload_failed' } })
  })
})

describe('completing', () => {
  it('accepts only the file that was sent to its own URL [12.18]', async () => {
    const [one, two] = [await client.create(), await client.create()]
    const refused = async (id: string, storageId: string): Promise<string> => {
      const answer = await client.complete(id, storageId)
      expect([answer.status, answer.body.error.code]).toEqual([400, 'validation_failed'])
      const issues = answer.body.error.details['issues'] as { path: string[]; message: string }[]
      expect(issues[0]?.path).toEqual(['storage_id'])
      return issues[0]?.message ?? ''
    }
    expect(await refused(one.id, 'sto_aaaaaaaaaaaa')).toMatch(/does not belong to a received file/)
    const { body: ofTwo } = await client.send(two, newApk())
    expect(await refused(one.id, ofTwo.storageId)).toMatch(/not sent to the URL of this upload/)
    await client.complete(two.id, ofTwo.storageId)
    expect(await refused(one.id, ofTwo.storageId)).toMatch(/of another upload/)
    const { body: ofOne } = await client.send(one, newApk())
    await client.complete(one.id, ofOne.storageId)
    expect(await refused(one.id, ofTwo.storageId)).toMatch(/already has/)
    // Files of other projects look like missing files.
    const other = await uploadClient(plane, await plane.tenant())
    const theirs = await other.create()
    const answer = await other.complete(theirs.id, ofOne.storageId)
    expect(JSON.stringify(answer.body.error.details)).toMatch(/does not belong to a received file/)
  })

  it.each(
    [{}, { storage_id: 5 }, { storage_id: '' }, { storage_id: 'a', storageId: 'a' }, { other: 1 }, []].map(
      (body) => ({ body }),
    ),
  )('refuses $body [12.14]', async ({ body }) => {
    const created = await client.create()
    const answer = await client.request('POST', `/v1/apps/uploads/${created.id}/complete`, body)
    expect([answer.status, answer.body.error?.code]).toEqual([400, 'validation_failed'])
  })
})

describe('reading uploads', () => {
  it('returns pages, newest first, without deleted ones [12.24]', async () => {
    const own = await plane.tenant()
    const mine = await uploadClient(plane, own)
    const ids: string[] = []
    for (let count = 0; count < 5; count += 1) ids.unshift((await mine.create()).id)
    await mine.request('DELETE', `/v1/apps/uploads/${ids[2]}`)
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const url = `/v1/apps/uploads?limit=2${cursor === null ? '' : `&cursor=${cursor}`}`
      const page = uploadPageSchema.strict().parse((await mine.request('GET', url)).body)
      expect(page.data.length).toBeLessThanOrEqual(2)
      seen.push(...page.data.map(({ id }) => id))
      cursor = page.next_cursor
    } while (cursor !== null)
    expect(seen).toEqual(ids.filter((_, index) => index !== 2))
    for (const query of ['limit=0', 'limit=101', 'cursor=nonsense'])
      expect((await mine.request('GET', `/v1/apps/uploads?${query}`)).status).toBe(400)
  })

  it('waits only for one that is processing [12.22]', async () => {
    const created = await client.create()
    const began = performance.now()
    const { body } = await client.request<UploadJson>(
      'GET',
      `/v1/apps/uploads/${created.id}?wait=ready&timeout=55`,
    )
    expect(body.status).toBe('awaiting_file')
    expect(performance.now() - began).toBeLessThan(50_000)
    for (const query of ['wait=parked', 'wait=ready&timeout=0', 'wait=ready&timeout=56', 'timeout=5'])
      expect((await client.request('GET', `/v1/apps/uploads/${created.id}?${query}`)).status, query).toBe(400)
  })

  it('finds only uploads of the project, and for a limited key only its own [12.1, 12.23, 18.25, 23.18]', async () => {
    const created = await client.create()
    await plane.rack(1)
    const { phone } = await plane.app.services.phones.create(tenant.caller, createBody(), null)
    const [one, two] = await Promise.all(
      [0, 1].map(async () => uploadClient(plane, { key: await limitedKey(plane, tenant, [phone.id]) })),
    )
    const stranger = await uploadClient(plane, await plane.tenant())
    if (!one || !two) throw new Error('no clients')
    const own = await one.create()
    for (const [who, id] of [
      [stranger, created.id],
      [one, created.id],
      [two, own.id],
      [client, 'upl_aaaaaaaaaaaa'],
      [client, 'nothing'],
    ] as const) {
      for (const [method, url, body] of [
        ['GET', `/v1/apps/uploads/${id}`],
        ['DELETE', `/v1/apps/uploads/${id}`],
        ['POST', `/v1/apps/uploads/${id}/complete`, { storage_id: 'sto_aaaaaaaaaaaa' }],
      ] as const) {
        const { status, body: answer } = await who.request(method, url, body)
        expect([status, answer.error?.code]).toEqual([404, 'upload_not_found'])
        expect(answer.error?.details).toMatchObject({ upload: id })
      }
    }
    const listed = await one.request<{ data: UploadJson[] }>('GET', '/v1/apps/uploads')
    expect(listed.body.data.map(({ id }) => id)).toEqual([own.id])
    // The project's other keys see all.
    expect((await client.get(own.id)).status).toBe('awaiting_file')
  })

  it('needs the scopes [12.27]', async () => {
    const reader = await plane.tenant({ preset: 'read-only' })
    const readOnly = await uploadClient(plane, reader)
    expect((await readOnly.request('GET', '/v1/apps/uploads')).status).toBe(200)
    for (const [method, url] of [
      ['POST', '/v1/apps/uploads'],
      ['POST', '/v1/apps/uploads/upl_aaaaaaaaaaaa/complete'],
      ['DELETE', '/v1/apps/uploads/upl_aaaaaaaaaaaa'],
    ] as const) {
      const { status, body } = await readOnly.request(method, url)
      expect([status, body.error?.details['required']]).toEqual([403, 'phones:control'])
    }
  })
})

describe('creating', () => {
  it('is refused without credits and to a frozen project [20.36]', async () => {
    const poor = await plane.tenant({ credit: '0' })
    const refused = await (await uploadClient(plane, poor)).request('POST', '/v1/apps/uploads')
    expect([refused.status, refused.body.error?.code]).toEqual([402, 'insufficient_credits'])
    expect(refused.body.error?.details).toEqual({ max_affordable_seconds: 0 })
    const frozen = await plane.tenant()
    await changeProject(plane.app.core, frozen.projectId, { frozen: true })
    const cold = await (await uploadClient(plane, frozen)).request('POST', '/v1/apps/uploads')
    expect([cold.status, cold.body.error?.code]).toEqual([402, 'project_frozen'])
  })
})
