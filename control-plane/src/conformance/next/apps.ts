/** Follows each `next` about uploads and installs. */
import { connect } from 'node:net'
import { once } from 'node:events'
import { type AddressInfo } from 'node:net'
import { ApiError } from '@phonerack/shared'
import { afterEach, beforeAll, expect, it } from 'vitest'
import { type AgentDouble } from '../../testing/agent-double.js'
import { makeApk } from '../../testing/apk.js'
import { createChanges, uploadTopic } from '../../base/core/changes.js'
import { createFollower, requestsIn, soon, type Follower } from '../../testing/next/follow.js'
import { uploadClient, type Created, type UploadClient } from '../../testing/uploads.js'
import { runInstallJob } from '../../phone-io/installs/run-install.js'
import { createHostSlots } from '../../base/queue/host-slots.js'
import { eventually, type Plane } from '../../testing/world.js'

/** Settings of the control plane for these cases. */
export const appLimits = {
  PHONERACK_UPLOAD_FILE_MAX: '100000',
  PHONERACK_UPLOAD_PROJECT_MAX: '150000',
  PHONERACK_UPLOAD_PROJECT_WAITING_MAX: '190000',
  PHONERACK_UPLOAD_WAITING_MAX: '190000',
}

let packages = 0
const apkOf = (bytes: number): Buffer => {
  const settings = { package: `com.example.next${(packages += 1)}` }
  const bare = makeApk({ ...settings, files: { pad: Buffer.alloc(0) } }).length
  return makeApk({ ...settings, files: { pad: Buffer.alloc(bytes - bare) } })
}

export function appCases(planeOf: () => Plane, seen: string[]): void {
  let plane: Plane
  let agent: AgentDouble
  let api: Follower
  let client: UploadClient
  let phone: string
  let at: string
  beforeAll(async () => {
    plane = planeOf()
    agent = await plane.rack(1, { beatMs: 200 })
    await newProject()
    phone = await api.newPhone()
    at = `/v1/phones/${phone}/apps`
  }, 60_000)
  afterEach(() => {
    agent.finish = {}
    agent.onCall = () => Promise.resolve()
  })

  async function newProject(): Promise<void> {
    const tenant = await plane.tenant({ credit: '1000' })
    api = createFollower(plane, tenant, seen)
    client = await uploadClient(plane, tenant)
  }
  const begin = async () => (await api.done('POST', '/v1/apps/uploads')).json<Created>()
  const clear = async () => {
    const list = await api.done('GET', '/v1/apps/uploads')
    for (const { id } of list.json<{ data: { id: string }[] }>().data)
      await api.done('DELETE', `/v1/apps/uploads/${id}`)
  }
  const errorNext = (upload: { error: { next: string | null } | null }): string =>
    api.note(upload.error?.next)

  it('an upload that does not exist: the list', async () => {
    for (const id of ['nothing', 'upl_aaaaaaaaaaaa']) {
      const { next } = await api.refused(404, 'upload_not_found', 'GET', `/v1/apps/uploads/${id}`)
      await api.follow(next)
    }
  })

  it('an upload URL that does not exist, and an upload URL that receives a file: a new upload, and the upload', async () => {
    const created = await begin()
    const unknown = {
      ...created,
      upload_url: created.upload_url.replace(/pru_[\w-]+/, `pru_${'a'.repeat(43)}`),
    }
    const gone = await client.send(unknown, apkOf(20_000))
    expect(gone.status).toBe(404)
    await api.follow(api.note(gone.body.error?.next))
    const socket = connect((plane.server.server.address() as AddressInfo).port, '127.0.0.1')
    await once(socket, 'connect')
    const { pathname } = new URL(created.upload_url)
    socket.write(`POST ${pathname} HTTP/1.1\r\nhost: a\r\ncontent-length: 1000\r\n\r\n12345`)
    const { db } = plane.app.core
    await eventually(async () => (await db.upload.count({ where: { claimUntil: { not: null } } })) > 0)
    const busy = await client.send(created, apkOf(20_000))
    expect(busy.status).toBe(409)
    const [upload] = await api.follow(api.note(busy.body.error?.next))
    expect(upload?.json()).toMatchObject({ id: created.id, status: 'awaiting_file' })
    socket.destroy()
    await eventually(async () => (await db.upload.count({ where: { claimUntil: { not: null } } })) === 0)
    expect((await client.send(created, apkOf(20_000))).status).toBe(200)
    await clear()
  })

  it('a file that is too large, and a file that the project already has: a new upload, and the first upload', async () => {
    const large = await client.upload(Buffer.alloc(100_001))
    await api.follow(errorNext(large))
    const apk = apkOf(20_000)
    const first = await client.upload(apk)
    const again = await begin()
    await client.complete(again.id, (await client.send(again, apk)).body.storageId)
    const [same] = await api.follow(errorNext(await client.get(again.id)))
    expect(same?.json()).toMatchObject({ id: first.id, status: 'ready' })
    await clear()
  })

  it("a project's storage limit: the list, and a delete", async () => {
    await client.upload(apkOf(90_000))
    const created = await begin()
    const sent = await client.send(created, apkOf(90_000))
    const complete = `/v1/apps/uploads/${created.id}/complete`
    const body = { storage_id: sent.body.storageId }
    const { next } = await api.refused(409, 'storage_limit_reached', 'POST', complete, body)
    const [list] = await api.follow(next)
    const { data = [] } = list?.json<{ data: { id: string; status: string }[] }>() ?? {}
    await api.done('DELETE', `/v1/apps/uploads/${data.find(({ status }) => status === 'ready')?.id}`)
    await api.done('POST', complete, body)
    await clear()
  })

  it('too many bytes of files that are not completed, per project and in total: the list, and a delete', async () => {
    for (let each = 0; each < 2; each += 1)
      expect((await client.send(await begin(), apkOf(95_000))).status).toBe(200)
    const create = ['POST', '/v1/apps/uploads'] as const
    const own = await api.refused(409, 'storage_limit_reached', ...create)
    const other = api
    await newProject()
    const all = await api.refused(503, 'storage_full', ...create)
    await api.follow(all.next)
    await clear()
    const [list] = await other.follow(own.next)
    for (const { id } of list?.json<{ data: { id: string }[] }>().data ?? [])
      await other.done('DELETE', `/v1/apps/uploads/${id}`)
    for (const each of [api, other]) await each.done(...create)
    api = other
    client = await uploadClient(plane, api.tenant)
    await clear()
  })

  it('an upload that is not ready: the upload, and then the install', async () => {
    const created = await begin()
    const install = { upload: created.id }
    const awaiting = await api.refused(409, 'upload_not_ready', 'POST', at, install)
    const [upload] = await api.follow(awaiting.next)
    expect(upload?.json()).toMatchObject({ status: 'awaiting_file' })
    const sent = await client.send(created, apkOf(20_000))
    await client.complete(created.id, sent.body.storageId)
    const isReady = async () => (await client.get(created.id)).status === 'ready'
    await eventually(isReady)
    const { db, bus } = plane.app.core
    const changes = createChanges(bus, uploadTopic)
    const set = (status: string) => db.upload.update({ where: { id: created.id }, data: { status } })
    await set('processing')
    const processing = await api.refused(409, 'upload_not_ready', 'POST', at, install)
    const done = soon(async () => {
      await set('ready')
      changes.publish(created.id)
    })
    const [later] = await api.follow(processing.next)
    await done
    changes.close()
    expect(later?.json()).toMatchObject({ status: 'ready' })
    await api.done('POST', at, install)
    await allEnded()
  })

  interface Listed {
    install: string
    status: string
    error: string | null
    next: string | null
  }
  const installs = async () => (await api.done('GET', `${at}/installs`)).json<{ data: Listed[] }>().data
  const allEnded = () =>
    eventually(async () => (await installs()).every(({ status }) => status !== 'running'))
  let ready: { id: string; name: string } | undefined
  const upload = async (): Promise<object> => {
    ready ??= { id: (await client.upload(apkOf(20_000))).id, name: `com.example.next${packages}` }
    return { upload: ready.id }
  }
  /** The `next` of an install that failed. */
  async function failed(body: object): Promise<string> {
    const { install } = (await api.done('POST', at, body)).json<Listed>()
    await allEnded()
    const row = (await installs()).find((each) => each.install === install)
    expect(row?.status).toBe('failed')
    return api.note(row?.next)
  }
  /** Sends the requests of the `next` after the cause is gone, and then an install that succeeds. */
  async function installsAfter(next: string, body: object): Promise<void> {
    agent.finish = {}
    agent.onCall = () => Promise.resolve()
    for (const { method, url } of requestsIn(next)) {
      const isInstall = method === 'POST' && url === at
      await api.done(method, url, isInstall ? body : undefined)
      await allEnded()
    }
    const last = await installs()
    if (last[0]?.status !== 'succeeded') {
      await api.done('POST', at, body)
      await allEnded()
    }
    expect((await installs())[0]?.status).toBe('succeeded')
  }

  it.each([
    [
      'by its build',
      { errorCode: 'install_failed', reason: 'INSTALL_FAILED_OLDER_SDK', wasInstalled: false },
    ],
    [
      'with the app on it',
      { errorCode: 'install_failed', reason: 'INSTALL_FAILED_OTHER', wasInstalled: true },
    ],
    ['without a reason', { errorCode: 'install_failed', reason: '', wasInstalled: false }],
    ['with an unreachable phone', { errorCode: 'phone_unavailable', reason: '', wasInstalled: false }],
  ])('an install that the phone refused, %s: the next step, and the install', async (_, finish) => {
    const body = await upload()
    agent.held.apps = finish.wasInstalled && ready ? [ready.name] : []
    agent.finish = { succeeded: false, ...finish }
    await installsAfter(await failed(body), body)
  })

  it.each([
    ['with an unknown outcome', new ApiError('action_outcome_unknown')],
    ['refused by the agent', new ApiError('version_downgrade')],
  ])('an install %s: the apps, and the install', async (_, error) => {
    const body = await upload()
    agent.onCall = (name) => (name === 'finishInstall' ? Promise.reject(error) : Promise.resolve())
    await installsAfter(await failed(body), body)
  })

  it('an install that never reached its commit: the install', async () => {
    const body = await upload()
    agent.held.cache.clear()
    agent.onCall = (name) =>
      name === 'putPackageFile' ? Promise.reject(new Error('gone')) : Promise.resolve()
    const { install } = (await api.done('POST', at, body)).json<Listed>()
    await plane.app.core.db.install.update({ where: { id: install }, data: { startedAt: new Date(0) } })
    await eventually(async () =>
      (await installs()).some((each) => each.install === install && each.next !== null),
    )
    const row = (await installs()).find((each) => each.install === install)
    await installsAfter(api.note(row?.next), body)
  })

  it('an app that the library does not have: the library, and a new upload', async () => {
    const { next } = await api.refused(422, 'app_not_available', 'POST', at, { package: 'org.example.none' })
    await api.follow(next)
  })

  it('an upload whose file was lost: a new upload', async () => {
    const { id } = await client.upload(apkOf(21_000))
    const row = await plane.app.core.db.upload.findUniqueOrThrow({ where: { id } })
    await plane.app.uploads.store.delete(row.storageId ?? '')
    agent.held.cache.clear()
    await api.follow(await failed({ upload: id }))
  })

  it('an install whose begin was lost: the installs', async () => {
    const body = await upload()
    agent.onCall = (name) => {
      if (name !== 'beginInstall') return Promise.resolve()
      agent.onCall = () => Promise.resolve()
      throw new Error('the process died')
    }
    const { next } = await api.refused(502, 'action_outcome_unknown', 'POST', at, body)
    const [list] = await api.follow(next)
    const [row] = list?.json<{ data: Listed[] }>().data ?? []
    expect(row?.status).toBe('running')
    // The job of an install that never began runs after half an hour.
    const { core, hosts, uploads } = plane.app
    const context = { core, hosts, stopping: new AbortController().signal, slots: createHostSlots(16) }
    await runInstallJob(context, uploads.store, { installId: row?.install ?? '', attempt: 1 })
    await allEnded()
    await api.done('POST', at, body)
    await allEnded()
  })
}
