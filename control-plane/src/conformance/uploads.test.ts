// Further sentences about uploads: the order of refusals, waiting for processing, and a full storage. Runs
// with real Postgres and real files, and without jobs, so that no upload changes its status.
import { beforeAll, expect, it } from 'vitest'
import { type UploadJson } from '../api/routes/apps/schemas.js'
import { StorageFull } from '../files/storage/file-store.js'
import { makeApk } from '../testing/apk.js'
import { uploadClient } from '../testing/uploads.js'
import { useWorld, type Plane } from '../testing/world.js'
import { processUploadJob } from '../files/uploads/process.js'
import { changeProject } from '../testing/operator.js'

const world = useWorld()
let plane: Plane
let full: Plane
const env = { PHONERACK_JOBS: 'off', PHONERACK_UPLOADS_PER_DAY: '1', PHONERACK_UPLOAD_PROJECT_MAX: '100000' }
beforeAll(async () => {
  plane = await world.start({ env })
  full = await world.start({ env: { ...env, PHONERACK_STORAGE_MIN_FREE: `${9 * 10 ** 15}` }, beside: plane })
})

it("a create is refused for credit, then a frozen project, then the total, then the day's count, then the storage [12.8]", async () => {
  const tenant = await plane.tenant({ credit: '0' })
  const { core } = plane.app
  await changeProject(core, tenant.projectId, { frozen: true })
  const { id } = await (await uploadClient(plane, await plane.tenant())).create()
  // An upload from today that fills the project.
  await core.db.upload.update({
    where: { id },
    data: {
      projectId: tenant.projectId,
      status: 'ready',
      sizeBytes: 100_000n,
      sha256: 'a'.repeat(64),

      storageId: 'sto_aaaaaaaaaaaa',
      isStored: true,
      package: 'com.example.app',
      versionCode: 1n,
      arrivedAt: new Date(),
      completedAt: new Date(),
    },
  })
  const client = await uploadClient(full, tenant)
  const seen: string[] = []
  const refusedUpload = async () => {
    const { status, body, headers } = await client.request('POST', '/v1/apps/uploads')
    seen.push(`${status} ${body.error?.code}`)
    return { details: body.error?.details, retryAfter: headers.get('retry-after') }
  }
  await refusedUpload()
  await changeProject(core, tenant.projectId, { credit_usd: '1' })
  await refusedUpload()
  await changeProject(core, tenant.projectId, { frozen: false })
  expect((await refusedUpload()).details).toEqual({ limit_bytes: 100_000, used_bytes: 100_000 })
  await client.request('DELETE', `/v1/apps/uploads/${id}`)
  const { details, retryAfter } = await refusedUpload()
  expect(Number(retryAfter)).toBeGreaterThan(0)
  expect(details).toEqual({ retry_after_seconds: Number(retryAfter) })
  const { projectId } = await plane.tenant()
  await core.db.upload.update({ where: { id }, data: { projectId } })
  await refusedUpload()
  expect(seen).toEqual([
    '402 insufficient_credits',
    '402 project_frozen',
    '409 storage_limit_reached',
    '429 rate_limited',
    '503 storage_full',
  ])
})

it('a wait ends at its timeout while the upload is processed; without space for its file it then ends as storage_full [4.34, 12.21]', async () => {
  const client = await uploadClient(plane, await plane.tenant())
  const created = await client.create()
  const { body } = await client.send(created, makeApk())
  expect((await client.complete(created.id, body.storageId)).status).toBe(202)
  const url = `/v1/apps/uploads/${created.id}`
  const began = performance.now()
  const waited = await client.request<UploadJson>('GET', `${url}?wait=ready&timeout=1`)
  expect([waited.status, waited.body.status]).toEqual([200, 'processing'])
  expect(performance.now() - began).toBeGreaterThan(950)

  const { uploads } = plane.app
  // The storage is like a bucket whose file finds no space on this machine.
  const store = Object.assign(Object.create(uploads.store) as typeof uploads.store, {
    withLocalFile: () => Promise.reject(new StorageFull()),
  })
  const poll = client.request<UploadJson>('GET', `${url}?wait=ready`)
  const payload = { uploadId: created.id, attempt: 1 }
  await processUploadJob({ ...uploads, store }, payload, new AbortController().signal)
  const ended = (await poll).body
  expect(ended.status).toBe('storage_full')
  expect(ended.error).toMatchObject({
    code: 'storage_full',
    next: 'Create a new upload later: POST /v1/apps/uploads',
  })
  // The status is final.
  await processUploadJob(uploads, payload, new AbortController().signal)
  expect((await client.get(created.id)).status).toBe('storage_full')
})
