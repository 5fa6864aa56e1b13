/** The limits of uploads, at their edges and with concurrent requests on two replicas. */
import { Readable } from 'node:stream'
import { beforeAll, expect, it } from 'vitest'
import { type UploadJson } from '../../api/routes/apps/schemas.js'
import { makeApk } from '../../testing/apk.js'
import { storedFiles, uploadClient, type UploadClient } from '../../testing/uploads.js'
import { eventually, useWorld, type Plane, type Tenant } from '../../testing/world.js'

const world = useWorld()
let plane: Plane
let replica: Plane
let tenant: Tenant
let client: UploadClient
let beside: UploadClient
let ahead = 0
const clock = { now: () => new Date(Date.now() + ahead) }
const [fileMax, projectMax, perDay] = [100_000, 250_000, 20]
const env = {
  PHONERACK_UPLOAD_FILE_MAX: `${fileMax}`,
  PHONERACK_UPLOAD_PROJECT_MAX: `${projectMax}`,
  PHONERACK_UPLOADS_PER_DAY: `${perDay}`,
}
beforeAll(async () => {
  plane = await world.start({ env, clock })
  replica = await world.start({ env, clock, beside: plane })
})

/** Each test has its own project. */
async function newTenant(): Promise<void> {
  tenant = await plane.tenant()
  client = await uploadClient(plane, tenant)
  beside = await uploadClient(replica, tenant)
}

let packages = 0
/** A unique APK of exactly this many bytes. */
function apkOf(bytes: number): Buffer {
  const settings = { package: `com.example.app${(packages += 1)}` }
  const bare = makeApk({ ...settings, files: { pad: Buffer.alloc(0) } }).length
  return makeApk({ ...settings, files: { pad: Buffer.alloc(bytes - bare) } })
}

it('a file at the limit is accepted, and one more byte ends as too_large, with a declared length or without [4.33, 12.11, 12.16, 20.32]', async () => {
  await newTenant()
  const atLimit = await client.upload(apkOf(fileMax))
  expect([atLimit.status, atLimit.size_bytes]).toEqual(['ready', fileMax])
  const over = apkOf(fileMax + 1)
  for (const file of [
    over,
    Readable.from([over.subarray(0, 5), over.subarray(5)]),
    Buffer.alloc(3 * fileMax),
  ]) {
    const created = await client.create()
    expect(created.max_bytes).toBe(fileMax)
    const sent = await client.send(created, file)
    expect([sent.status, Object.keys(sent.body)]).toEqual([200, ['storageId']])
    const completed = await client.complete(created.id, sent.body.storageId)
    expect([completed.status, completed.body.status]).toEqual([200, 'too_large'])
    expect(completed.body.error).toMatchObject({ code: 'payload_too_large' })
    expect((await client.complete(created.id, sent.body.storageId)).body.status).toBe('too_large')
    await eventually(async () => !(await storedFiles(plane)).includes(sent.body.storageId))
  }
})

it("the project's total holds for concurrent completes on two replicas; a refused upload keeps its file [12.19, 20.34, 20.56, 22.24, 23.29]", async () => {
  await newTenant()
  const created = await Promise.all([1, 2, 3, 4].map(() => client.create()))
  const sent = await Promise.all(created.map((each) => client.send(each, apkOf(fileMax))))
  const storageIds = sent.map(({ body }) => body.storageId)
  const answers = await Promise.all(
    created.map(({ id }, index) => (index % 2 ? beside : client).complete(id, storageIds[index] ?? '')),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([202, 202, 409, 409])
  const refused = answers.findIndex(({ status }) => status === 409)
  expect(answers[refused]?.body.error).toMatchObject({
    code: 'storage_limit_reached',
    retryable: false,
    details: { limit_bytes: projectMax, used_bytes: 2 * fileMax },
  })
  const taken = answers.findIndex(({ status }) => status === 202)
  await client.request('DELETE', `/v1/apps/uploads/${created[taken]?.id}`)
  const again = await beside.complete(created[refused]?.id ?? '', storageIds[refused] ?? '')
  expect([again.status, again.body.status]).toEqual([202, 'processing'])
  // A waiting upload does not count toward the total. A full total refuses new uploads.
  const { body } = await client.request<UploadJson>('GET', `/v1/apps/uploads/${again.body.id}?wait=ready`)
  expect(body.status).toBe('ready')
  expect((await client.upload(apkOf(projectMax - 2 * fileMax))).status).toBe('ready')
  const full = await client.request('POST', '/v1/apps/uploads')
  expect([full.status, full.body.error?.details]).toEqual([
    409,
    { limit_bytes: projectMax, used_bytes: projectMax },
  ])
})

it('the limit per UTC day is exact, with two replicas; deleted ones count [12.9, 20.35]', async () => {
  await newTenant()
  const first = await client.create()
  await client.request('DELETE', `/v1/apps/uploads/${first.id}`)
  const answers = await Promise.all(
    Array.from({ length: perDay + 5 }, (_, index) =>
      (index % 2 ? beside : client).request('POST', '/v1/apps/uploads'),
    ),
  )
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(perDay - 1)
  const refused = answers.find(({ status }) => status === 429)
  const seconds = Number(refused?.headers.get('retry-after'))
  expect(refused?.body.error).toMatchObject({
    code: 'rate_limited',
    retryable: true,
    details: { retry_after_seconds: seconds },
  })
  const now = clock.now()
  const midnight = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1)
  expect(Math.abs(seconds - (midnight - now.getTime()) / 1000)).toBeLessThan(20)
  ahead += midnight - now.getTime() + 1000
  expect((await client.request('POST', '/v1/apps/uploads')).status).toBe(201)
})

it('a full storage refuses new uploads and files; at complete the upload keeps its file [12.20, 23.70]', async () => {
  await newTenant()
  const full = await world.start({
    env: { ...env, PHONERACK_STORAGE_MIN_FREE: `${9 * 10 ** 15}` },
    clock,
    beside: plane,
  })
  const noRoom = await uploadClient(full, tenant)
  const refused = await noRoom.request('POST', '/v1/apps/uploads')
  expect([refused.status, refused.body.error?.code]).toEqual([503, 'storage_full'])
  const created = await client.create()
  expect((await noRoom.send(created, apkOf(5000))).status).toBe(503)
  const { body } = await client.send(created, apkOf(5000))
  const completed = await noRoom.complete(created.id, body.storageId)
  expect([completed.status, completed.body.error.code]).toEqual([503, 'storage_full'])
  expect((await client.complete(created.id, body.storageId)).status).toBe(202)
})

it('files that wait to be completed have a separate limit, over all projects', async () => {
  await newTenant()
  const tight = await world.start({ env: { ...env, PHONERACK_UPLOAD_WAITING_MAX: `${fileMax}` }, clock })
  const [one, two] = await Promise.all([0, 1].map(async () => uploadClient(tight, await tight.tenant())))
  if (!one || !two) throw new Error('no clients')
  const created = await one.create()
  const other = await two.create()
  const { body } = await one.send(created, apkOf(60_000))
  expect((await two.send(other, apkOf(60_000))).status).toBe(503)
  expect((await two.send(other, apkOf(30_000))).status).toBe(200)
  await one.complete(created.id, body.storageId)
  expect((await two.send(await two.create(), apkOf(60_000))).status).toBe(200)
})

it('without a storage every upload ends as platform_not_configured [4.36, 23.74]', async () => {
  const none = await world.start({ env: { ...env, PHONERACK_STORAGE: 'off' }, clock })
  const upload = await (await uploadClient(none, await none.tenant())).upload(apkOf(5000))
  expect(upload).toMatchObject({ status: 'failed', error: { code: 'platform_not_configured' } })
})

it("one project's files that are not completed leave space for others: 503 at the URL, 409 at create [20.67]", async () => {
  const most = 120_000
  const tight = await world.start({ env: { ...env, PHONERACK_UPLOAD_PROJECT_WAITING_MAX: `${most}` }, clock })
  const one = await uploadClient(tight, await tight.tenant())
  const two = await uploadClient(tight, await tight.tenant())
  const created = [await one.create(), await one.create(), await one.create()] as const
  expect((await one.send(created[0], apkOf(70_000))).status).toBe(200)
  const refused = await one.send(created[1], apkOf(70_000))
  expect([refused.status, refused.body.error?.code]).toEqual([503, 'storage_full'])
  expect(refused.body.error?.next).toMatch(/again/)
  expect((await two.send(await two.create(), apkOf(70_000))).status).toBe(200)
  expect((await one.send(created[1], apkOf(50_000))).status).toBe(200)
  const full = await one.request('POST', '/v1/apps/uploads')
  expect(full.status).toBe(409)
  expect(full.body.error).toMatchObject({
    code: 'storage_limit_reached',
    next: expect.stringContaining('Complete or delete') as string,
    details: { limit_bytes: most, used_bytes: most },
  })
  await one.request('DELETE', `/v1/apps/uploads/${created[0].id}`)
  expect((await one.request('POST', '/v1/apps/uploads')).status).toBe(201)
})
