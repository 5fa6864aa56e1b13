/** Installs by upload over HTTP. Runs with real Postgres, jobs, files and gRPC; the agent is a double. */
import { ApiError, newId } from '@phonerack/shared'
import { Readable } from 'node:stream'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { installsSchema, startedInstallSchema, type InstallsJson } from '../../api/routes/apps/schemas.js'
import { type AgentDouble } from '../../testing/agent-double.js'
import { makeApk } from '../../testing/apk.js'
import {
  limitedKey,
  sha256,
  storedFiles,
  uploadClient,
  type Answer,
  type UploadClient,
} from '../../testing/uploads.js'
import { readyPhone } from '../../testing/ready-phone.js'
import { eventually, useWorld, type Plane, type Tenant } from '../../testing/world.js'
import { createHostSlots } from '../../base/queue/host-slots.js'
import { runInstallJob } from './run-install.js'
import { createKey } from '../../testing/operator.js'

const world = useWorld()
let plane: Plane
let agent: AgentDouble
let tenant: Tenant
let client: UploadClient
let phoneId: string
/** The upload that most tests install. */
let upload: string
const bytes = makeApk({
  package: 'com.example.app',
  versionCode: 7,
  // The file has several chunks.
  files: { pad: Buffer.alloc(200_000, 1) },
})
beforeAll(async () => {
  plane = await world.start()
  agent = await plane.rack(1, { beatMs: 200 })
  tenant = await plane.tenant({ credit: '1000' })
  client = await uploadClient(plane, tenant)
  upload = (await client.upload(bytes)).id
  phoneId = await readyPhone(plane, tenant)
})
beforeEach(() => {
  agent.log.length = 0
  agent.finish = {}
  agent.held.cache.clear()
  agent.onCall = () => Promise.resolve()
})

interface Started {
  package: string
  upload: string
  install: string
  status: string
}
const start = (body: unknown, id = phoneId): Promise<Answer<Started>> =>
  client.request<Started>('POST', `/v1/phones/${id}/apps`, body)
const list = async (): Promise<InstallsJson['data']> => {
  const { body } = await client.request('GET', `/v1/phones/${phoneId}/apps/installs`)
  return installsSchema.strict().parse(body).data
}
const rowOf = async (install: string) => (await list()).find((each) => each.install === install)
async function ended(install: string): Promise<NonNullable<Awaited<ReturnType<typeof rowOf>>>> {
  await eventually(async () => (await rowOf(install))?.status !== 'running')
  const row = await rowOf(install)
  if (!row) throw new Error('the install is not listed')
  return row
}

/** Runs the job like a process that takes it over. */
async function runJob(installId: string, slots = 16): Promise<void> {
  const { core, hosts, uploads } = plane.app
  const context = { core, hosts, stopping: new AbortController().signal, slots: createHostSlots(slots) }
  await runInstallJob(context, uploads.store, { installId, attempt: 1 })
}
async function park(): Promise<void> {
  const { phones } = plane.app.services
  await phones.park(tenant.caller, phoneId)
  await phones.wait(phoneId, ({ status }) => status === 'parked', 10_000, new AbortController().signal)
}

describe('an install by upload', () => {
  it('returns immediately, continues in the background, and succeeds [2.22, 3.44, 4.39, 33.7, 37.3]', async () => {
    const ofUpload = await client.get(upload)
    let finish: () => void = () => undefined
    const held = new Promise<void>((resolve) => (finish = resolve))
    agent.onCall = (name) => (name === 'finishInstall' ? held : Promise.resolve())
    const answer = await start({ upload })
    expect(answer.status).toBe(202)
    const started = startedInstallSchema.strict().parse(answer.body)
    expect(started).toEqual({
      package: ofUpload.package,
      upload,
      install: expect.stringMatching(/^ins_[a-z2-7]{12}$/) as string,
      status: 'running',
    })
    await eventually(() => agent.log.includes('finishInstall'))
    expect(agent.held.cache).toContain(sha256(bytes))
    expect((await list())[0]).toMatchObject({ install: started.install, status: 'running', error: null })
    finish()
    const row = await ended(started.install ?? '')
    expect(row).toMatchObject({
      package: ofUpload.package,
      upload,
      status: 'succeeded',
      error: null,
      next: null,
    })
    expect(Date.parse(row.updated_at ?? '')).toBeGreaterThanOrEqual(Date.parse(row.started_at ?? ''))
    // The host has the file now.
    agent.log.length = 0
    await ended((await start({ upload })).body.install)
    expect(agent.log).not.toContain('putPackageFile')
  })

  it('keeps its upload for seven more days [3.41]', async () => {
    const id = upload
    const day = 86_400_000
    await plane.app.core.db.upload.update({
      where: { id },
      data: { keptFrom: new Date(Date.now() - 6 * day), expiresAt: new Date(Date.now() + day) },
    })
    await ended((await start({ upload: id })).body.install)
    const { expires_at } = await client.get(id)
    expect(Date.parse(expires_at)).toBeGreaterThan(Date.now() + 6.9 * day)
  })

  it('fails when it never reaches its commit, and may be sent again', async () => {
    agent.finish = { succeeded: false, errorCode: 'phone_unavailable', wasInstalled: true }
    const again = `Install again: POST /v1/phones/${phoneId}/apps`
    const plain = await ended((await start({ upload })).body.install)
    expect(plain).toMatchObject({
      status: 'failed',
      error: 'phone_unavailable',
      next: `Nothing was installed. ${again}`,
    })
    const replacing = await ended((await start({ upload, replace: true })).body.install)
    expect(replacing.next).toBe(
      `Nothing was installed, and the previously installed app was removed. ${again}`,
    )
  })

  it('fails when the phone refuses it, and names the next step when the phone had the app [3.46, 4.40, 37.6]', async () => {
    agent.finish = {
      succeeded: false,
      errorCode: 'install_failed',
      reason: 'INSTALL_FAILED_NO_MATCHING_ABIS',
    }
    const plain = await ended((await start({ upload })).body.install)
    expect(plain).toMatchObject({ status: 'failed', error: 'install_failed' })
    expect(plain.next).toMatch(/INSTALL_FAILED_NO_MATCHING_ABIS/)
    expect(plain.next).not.toMatch(/replace/)
    agent.finish = { ...agent.finish, reason: 'INSTALL_FAILED_UPDATE_INCOMPATIBLE', wasInstalled: true }
    const other = await ended((await start({ upload })).body.install)
    expect(other.next).toMatch(
      /signed with another key may be installed: uninstall it \(DELETE \/v1\/phones\/ph_.*\) or install again with "replace": true/,
    )
  })

  it('does not advise an uninstall when the phone refuses the build itself', async () => {
    for (const [reason, advice] of [
      ['INSTALL_FAILED_OLDER_SDK: Requires newer sdk version #99', /lower minSdkVersion/],
      ['INSTALL_FAILED_DEPRECATED_SDK_VERSION: App package must target 23', /higher targetSdkVersion/],
      ['INSTALL_FAILED_NO_MATCHING_ABIS', /native code/],
      ['INSTALL_PARSE_FAILED_NO_CERTIFICATES: no signature', /sign the APK again/],
    ] as const) {
      agent.finish = { succeeded: false, errorCode: 'install_failed', reason, wasInstalled: true }
      const plain = await ended((await start({ upload })).body.install)
      expect(plain.next).toContain(reason)
      expect(plain.next).toMatch(advice)
      expect(plain.next).not.toMatch(/uninstall|replace/)
      const replacing = await ended((await start({ upload, replace: true })).body.install)
      expect(replacing.next).toMatch(/The previously installed app and its data were removed\./)
    }
  })

  it("sends the app's requirements to the agent", async () => {
    const needing = makeApk({
      package: 'com.example.needing',
      minSdk: 'Tiramisu',
      targetSdk: 33,
      files: { 'lib/arm64-v8a/a.so': Buffer.alloc(1) },
    })
    const { id } = await client.upload(needing)
    await ended((await start({ upload: id })).body.install)
    expect(agent.held.needs).toEqual({
      minSdk: 33,
      minCodename: 'Tiramisu',
      targetSdk: 33,
      abis: ['arm64-v8a'],
      jarOnly: false,
    })
  })

  it('continues after its host was unavailable, and sends an incomplete file again', async () => {
    let broken = 0
    agent.onCall = (name) => {
      if (name === 'putPackageFile' && (broken += 1) === 1)
        return Promise.reject(new Error('the disk had a hiccup'))
      if (name === 'finishInstall' && (broken += 1) === 3) return Promise.reject(new Error('gone'))
      return Promise.resolve()
    }
    expect(await ended((await start({ upload })).body.install)).toMatchObject({ status: 'succeeded' })
    expect(agent.log.filter((line) => line === 'putPackageFile')).toHaveLength(2)
    expect(agent.log.filter((line) => line === 'finishInstall').length).toBeGreaterThan(1)
  })

  it('is taken over from a process that was killed', async () => {
    let release: () => void = () => undefined
    const held = new Promise<void>((resolve) => (release = resolve))
    agent.onCall = (name) => (name === 'finishInstall' ? held : Promise.resolve())
    const { install } = (await start({ upload })).body
    await eventually(() => agent.log.includes('finishInstall'))
    // The second runner joins while the first runner still waits: both get the same outcome.
    agent.onCall = () => Promise.resolve()
    await runJob(install)
    expect((await rowOf(install))?.status).toBe('succeeded')
    agent.finish = { succeeded: false, errorCode: 'install_failed' }
    release()
    await eventually(
      async () =>
        (
          await plane.app.core.db.$queryRaw<
            unknown[]
          >`select 1 from graphile_worker.jobs j where j.key = ${`app.install:${install}`}`
        ).length === 0,
    )
    expect((await rowOf(install))?.status).toBe('succeeded')
  })

  it('waits for a slot of its host without a call, as the same attempt', async () => {
    let release: () => void = () => undefined
    const held = new Promise<void>((resolve) => (release = resolve))
    agent.onCall = (name) => (name === 'finishInstall' ? held : Promise.resolve())
    const { install } = (await start({ upload })).body
    await eventually(() => agent.log.includes('finishInstall'))
    const calls = agent.log.length
    await runJob(install, 0)
    expect(agent.log).toHaveLength(calls)
    expect(
      await plane.app.core.db
        .$queryRaw`select payload->'attempt' as attempt from graphile_worker._private_jobs
        where key = ${`app.install:${install}`} and run_at > now() and locked_at is null`,
    ).toEqual([{ attempt: 1 }])
    release()
    expect(await ended(install)).toMatchObject({ status: 'succeeded' })
  })

  it('keeps its file until it has ended, even when the upload is deleted [12.26]', async () => {
    const { id: upload } = await client.upload(makeApk({ package: 'com.example.gone', versionCode: 7 }))
    const { storageId } = await plane.app.core.db.upload.findUniqueOrThrow({ where: { id: upload } })
    let release: () => void = () => undefined
    const held = new Promise<void>((resolve) => (release = resolve))
    agent.onCall = (name) =>
      name === 'beginInstall' && agent.log.filter((line) => line === name).length > 1
        ? held
        : Promise.resolve()
    const { install } = (await start({ upload })).body
    await eventually(() => agent.log.filter((line) => line === 'beginInstall').length > 1)
    await client.request('DELETE', `/v1/apps/uploads/${upload}`)
    await eventually(
      async () =>
        (
          await plane.app.core.db.$queryRaw<
            unknown[]
          >`select 1 from graphile_worker.jobs j where j.key = ${`file.delete:${storageId}`} and j.run_at > now()`
        ).length === 1,
    )
    expect(await storedFiles(plane)).toContain(storageId)
    release()
    expect(await ended(install)).toMatchObject({ status: 'succeeded', upload })
  })
})

it('fails when the storage has lost its file, and names the next step', async () => {
  const { core, uploads } = plane.app
  const { storageId } = await core.db.upload.findUniqueOrThrow({ where: { id: upload } })
  if (storageId === null) throw new Error('the upload has no file')
  await uploads.store.delete(storageId)
  const row = await ended((await start({ upload })).body.install)
  await uploads.store.put(storageId, Readable.from([bytes], { objectMode: false }))
  expect(row).toMatchObject({ status: 'failed', error: 'upload_failed' })
  expect(row.next).toMatch(/POST \/v1\/apps\/uploads/)
  expect(agent.log).not.toContain('finishInstall')
})

describe('an install is refused', () => {
  const refused = async (body: unknown, status: number, code: string, id = phoneId) => {
    const answer = await start(body, id)
    expect([answer.status, answer.body.error?.code], JSON.stringify(answer.body)).toEqual([status, code])
    return answer.body.error?.details ?? {}
  }

  it('for invalid fields [33.8]', async () => {
    for (const body of [
      {},
      { package: 'com.example.app', upload },
      { package: 'noparts' },
      { package: '1.2' },
      { package: `com.${'a'.repeat(252)}` },
      { package: 'com.example.app', replace: true },
      { upload, replace: 'yes' },
      { upload, other: 1 },
    ])
      await refused(body, 400, 'validation_failed')
    expect(agent.log).toEqual([])
  })

  it('for a missing scope, and for bodies over 100 KB [33.21]', async () => {
    const withKey = async (key: string, body: unknown = { upload }) => {
      const other = await uploadClient(plane, { key })
      const answer = await other.request('POST', `/v1/phones/${phoneId}/apps`, body)
      return [answer.status, answer.body.error?.code]
    }
    const { core } = plane.app
    const readOnly = await createKey(core, {
      project: tenant.projectId,
      preset: 'read-only',
      expires: 'never',
    })
    expect(await withKey(readOnly.key)).toEqual([403, 'insufficient_scope'])
    const elsewhere = await core.db.phone.create({
      data: {
        id: newId('phone'),
        projectId: tenant.projectId,
        keyId: tenant.caller.keyId,
        name: 'elsewhere',
        status: 'deleted',
        createdAt: new Date(),
        deletedAt: new Date(),
      },
    })
    expect(await withKey(await limitedKey(plane, tenant, [elsewhere.id]))).toEqual([403, 'phone_not_allowed'])
    const padded = (length: number) => ({ package: 'com.example.app', pad: 'x'.repeat(length) })
    const empty = JSON.stringify(padded(0)).length
    expect(await withKey(tenant.key, padded(100_000 - empty))).toEqual([400, 'validation_failed'])
    expect(await withKey(tenant.key, padded(100_001 - empty))).toEqual([413, 'payload_too_large'])
    expect(agent.log).toEqual([])
  })

  it('for uploads that do not exist, are not ready, or belong to another limited key, and for packages outside the library [18.26]', async () => {
    expect(await refused({ upload: 'upl_aaaaaaaaaaaa' }, 404, 'upload_not_found')).toEqual({
      upload: 'upl_aaaaaaaaaaaa',
    })
    await refused({ upload: 'nothing' }, 404, 'upload_not_found')
    const created = await client.create()
    expect(await refused({ upload: created.id }, 409, 'upload_not_ready')).toMatchObject({
      status: 'awaiting_file',
    })
    const limited = await uploadClient(plane, { key: await limitedKey(plane, tenant, [phoneId]) })
    const answer = await limited.request('POST', `/v1/phones/${phoneId}/apps`, { upload })
    expect(answer.status).toBe(404)
    expect(await refused({ package: 'com.example.app' }, 422, 'app_not_available')).toEqual({
      package: 'com.example.app',
    })
    await refused({ upload: created.id }, 404, 'phone_not_found', 'ph_aaaaaaaaaaaa')
    expect(agent.log).toEqual([])
  })

  it.each([
    ['install_in_progress', { package: 'com.example.other' }, true],
    ['version_downgrade', { installed_version_code: 9, version_code: 7 }, false],
    ['provider_error', { uninstalled: true }, false],
  ] as const)('by the agent with %s, and leaves no attempt [33.24]', async (code, details, retryable) => {
    const before = await list()
    agent.onCall = (name) =>
      name === 'beginInstall' ? Promise.reject(new ApiError(code, { details })) : Promise.resolve()
    const answer = await start({ upload, replace: true })
    expect(answer.body.error).toMatchObject({ code, retryable, details })
    expect(await list()).toEqual(before)
    expect(agent.log).toEqual(['beginInstall'])
  })

  it.each([
    // The app may have been uninstalled.
    [true, 'action_outcome_unknown', /GET \/v1\/phones\/.*\/apps: the list shows/],
    [false, 'phone_unavailable', /Nothing was installed/],
  ])(
    'as unknown when it was not confirmed, replace %s: its row ends without a request, and the install does not begin again [33.23]',
    async (replace, error, next) => {
      agent.onCall = (name) =>
        name === 'beginInstall' ? Promise.reject(new Error('cut')) : Promise.resolve()
      const details = await refused({ upload, replace }, 502, 'action_outcome_unknown')
      const install = String(details['install'])
      expect(await rowOf(install)).toMatchObject({ status: 'running', upload })
      await runJob(install)
      const row = await rowOf(install)
      expect(row).toMatchObject({ status: 'failed', error })
      expect(row?.next).toMatch(next)
      expect(agent.log).toEqual(['beginInstall'])
    },
  )

  it('on a phone that is not running; its attempts are still listed [33.26]', async () => {
    let release: () => void = () => undefined
    const held = new Promise<void>((resolve) => (release = resolve))
    agent.onCall = (name) => (name === 'finishInstall' ? held : Promise.resolve())
    const { install } = (await start({ upload })).body
    await eventually(() => agent.log.includes('finishInstall'))
    await park()
    await refused({ upload }, 409, 'phone_not_running')
    // The agent's error for an install that the park ended.
    agent.onCall = (name) =>
      name === 'finishInstall' ? Promise.reject(new ApiError('phone_unavailable')) : Promise.resolve()
    agent.finish = { succeeded: false, errorCode: 'phone_unavailable' }
    release()
    expect(await ended(install)).toMatchObject({ status: 'failed', error: 'phone_unavailable' })
  })
})

/** Starts the phone, which an earlier test has parked. */
async function startAgain(): Promise<void> {
  const { phones } = plane.app.services
  await phones.start(tenant.caller, phoneId, { idleTimeout: 300, maxDuration: 3600 })
  await phones.wait(phoneId, ({ status }) => status === 'ready', 10_000, new AbortController().signal)
}

describe('an install by upload under the profile `guarded`', () => {
  it('leaves a listed app to a person, and starts nothing', async () => {
    await startAgain()
    const { core } = plane.app
    const input = { project: tenant.projectId, preset: 'admin', expires: 'never' } as const
    const guarded = await uploadClient(plane, await createKey(core, { ...input, profile: 'guarded' }))
    const path = `/v1/phones/${phoneId}/apps`
    for (const [listed, reason] of [
      ['com.android.vending', 'store'],
      ['com.paypal.android.p2pmobile', 'wallet'],
    ] as const) {
      const { id } = await client.upload(makeApk({ package: listed }))
      const before = await list()
      const { status, body } = await guarded.request<{ error: object }>('POST', path, { upload: id })
      expect({ status, ...body }).toMatchObject({
        status: 409,
        error: {
          code: 'handoff_required',
          retryable: false,
          next: `POST /v1/phones/${phoneId}/handoffs`,
          details: { reason, package: listed },
        },
      })
      expect(await list()).toEqual(before)
      // Another key installs the app.
      const allowed = await start({ upload: id })
      expect(allowed.status).toBe(202)
      await ended(allowed.body.install)
    }
    const other = await guarded.request<Started>('POST', path, { upload })
    expect(other.status).toBe(202)
    await ended(other.body.install)
  })
})

describe('an install whose phone parks', () => {
  /** Parks the phone during the call, which then ends without a response. */
  async function parkedIn(call: string): Promise<string> {
    await startAgain()
    let cut: () => void = () => undefined
    const held = new Promise<void>((_, reject) => (cut = () => reject(new Error('cut'))))
    agent.onCall = (name) => (name === call ? held : Promise.resolve())
    const { install } = (await start({ upload })).body
    await eventually(() => agent.log.includes(call))
    await park()
    cut()
    return install
  }

  it('before the order to commit has installed nothing, and no order is sent', async () => {
    const install = await parkedIn('putPackageFile')
    expect(await ended(install)).toMatchObject({ status: 'failed', error: 'phone_unavailable' })
    expect(agent.log).not.toContain('finishInstall')
  })

  it('after the order, without a response, is unknown, and no second order is sent', async () => {
    const install = await parkedIn('finishInstall')
    expect(await ended(install)).toMatchObject({ status: 'failed', error: 'action_outcome_unknown' })
    expect(agent.log.filter((line) => line === 'finishInstall')).toHaveLength(1)
  })
})
