// A real process of the control plane that gets SIGTERM while it serves requests.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import http from 'node:http'
import { connect } from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { type AgentDouble } from '../../testing/agent-double.js'
import { makeApk } from '../../testing/apk.js'
import { createBody, eventually, useWorld, type Plane, type Tenant } from '../../testing/world.js'
import { endWithParent, startReplica, type ReplicaProcess } from '../../testing/replica.js'

const world = useWorld()
let plane: Plane
let agent: AgentDouble
let tenant: Tenant
let phone: string
beforeAll(async () => {
  plane = await world.start()
  agent = await plane.rack(1)
  tenant = await plane.tenant()
  const created = await plane.app.services.phones.create(tenant.caller, createBody(), null)
  phone = created.phone.id
  const { signal } = new AbortController()
  await plane.app.services.phones.wait(phone, ({ status }) => status === 'ready', 60_000, signal)
})

interface Answer {
  status: number
  headers: http.IncomingHttpHeaders
  body: string
}

/** Sends a request over a connection that stays open until the server closes it. */
async function call(
  replica: ReplicaProcess,
  path: string,
  body?: object,
  agentOf?: http.Agent,
): Promise<Answer> {
  const request = http.request(`${replica.origin}${path}`, {
    method: body ? 'POST' : 'GET',
    ...(agentOf ? { agent: agentOf } : {}),
    headers: {
      authorization: `Bearer ${tenant.key}`,
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
  })
  request.end(body ? JSON.stringify(body) : undefined)
  const [response] = (await once(request, 'response')) as [http.IncomingMessage]
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  const { statusCode: status = 0, headers } = response
  return { status, headers, body: Buffer.concat(chunks).toString() }
}

const batch = { actions: [{ type: 'wait', ms: 1 }] }
const runBatch = (replica: ReplicaProcess, agentOf?: http.Agent) =>
  call(replica, `/v1/phones/${phone}/actions`, batch, agentOf)

/** Holds the next batch on its host. */
function holdBatch(): { begun: Promise<void>; finish: () => void } {
  let finish = (): void => undefined
  const begun = new Promise<void>((resolve) => {
    const plain = agent.onBatch
    agent.onBatch = async (request, send) => {
      agent.onBatch = plain
      resolve()
      await new Promise<void>((done) => (finish = done))
      await plain(request, send)
    }
  })
  return { begun, finish: () => finish() }
}

const isRefused = (replica: ReplicaProcess) =>
  call(replica, '/livez').then(
    () => false,
    (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED',
  )

describe('a control plane that gets SIGTERM', () => {
  it('is not ready but serves requests for the delay, then ends', async () => {
    const replica = await startReplica(plane, 'delayed', { PHONERACK_STOP_DELAY: '20' })
    replica.terminate()
    await eventually(async () => (await call(replica, '/readyz')).status === 503)
    expect(JSON.parse((await call(replica, '/readyz')).body)).toMatchObject({
      status: 'stopping',
      checks: { postgres: { ok: true } },
    })
    for (const path of ['/livez', '/v1/account'])
      expect([path, (await call(replica, path)).status]).toEqual([path, 200])
    expect((await runBatch(replica)).status).toBe(200)
    await eventually(() => replica.exit() !== null)
    expect(replica.exit()).toMatch(/^exit code 0,/)
  })

  it('finishes a running batch, closes its connection, and takes no new ones', async () => {
    const replica = await startReplica(plane, 'finishing', {})
    const keptAlive = new http.Agent({ keepAlive: true })
    try {
      const held = holdBatch()
      const answer = runBatch(replica, keptAlive)
      await held.begun
      replica.terminate()
      await eventually(() => isRefused(replica))
      // This pause is longer than the earlier limit of calls into phones.
      await sleep(4000)
      expect(replica.exit()).toBeNull()
      held.finish()
      const { status, headers, body } = await answer
      expect([status, headers.connection]).toEqual([200, 'close'])
      expect(JSON.parse(body)).toMatchObject({ completed: 1 })
      await eventually(() => replica.exit() !== null)
      expect(replica.exit()).toMatch(/^exit code 0,/)
    } finally {
      keptAlive.destroy()
    }
  })

  it('answers a long poll with the current state immediately', async () => {
    const replica = await startReplica(plane, 'polled', {})
    // Longer than running requests get, whose connections are then closed without an answer.
    const answer = call(replica, `/v1/phones/${phone}?wait=parked&timeout=55`)
    await sleep(1000)
    replica.terminate()
    const { status, headers, body } = await answer
    expect([status, headers.connection]).toEqual([200, 'close'])
    expect(JSON.parse(body)).toMatchObject({ id: phone, status: 'ready' })
    await eventually(() => replica.exit() !== null)
  })

  it('answers what is known of a batch that outlasts its time', async () => {
    const replica = await startReplica(plane, 'impatient', { PHONERACK_STOP_WITHIN: '1' })
    const held = holdBatch()
    const answer = runBatch(replica)
    await held.begun
    replica.terminate()
    const { status, body } = await answer
    expect([status, (JSON.parse(body) as { error: { code: string; retryable: boolean } }).error]).toEqual([
      500,
      expect.objectContaining({ code: 'internal_error', retryable: false }),
    ])
    held.finish()
    await eventually(() => replica.exit() !== null)
  })
})

/** A request whose body is sent in parts. */
function upload(replica: ReplicaProcess, method: string, url: string, length: number) {
  const request = http.request(`${replica.origin}${url}`, {
    method,
    headers: {
      authorization: `Bearer ${tenant.key}`,
      'content-type': 'application/octet-stream',
      'content-length': length,
    },
  })
  const answer = once(request, 'response').then(async (all) => {
    const [response] = all as [http.IncomingMessage]
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(chunk as Buffer)
    return { status: response.statusCode, body: JSON.parse(Buffer.concat(chunks).toString()) as object }
  })
  answer.catch(() => undefined)
  return { request, answer }
}

describe('a control plane that gets SIGTERM during a transfer', () => {
  it('takes the rest of a file for a phone and of an app', async () => {
    const storage = path.join(world.dir, 'stopping-storage')
    const replica = await startReplica(plane, 'receiving', { PHONERACK_STORAGE_DIR: storage })
    const created = await call(replica, '/v1/apps/uploads', {})
    const { upload_url: uploadUrl } = JSON.parse(created.body) as { upload_url: string }
    const [file, app] = [Buffer.alloc(1_000_000, 'f'), makeApk()]
    const target = `/v1/phones/${phone}/files?path=/sdcard/Download/half.bin`
    const sent = [
      { ...upload(replica, 'PUT', target, file.length), bytes: file },
      { ...upload(replica, 'POST', new URL(uploadUrl).pathname, app.length), bytes: app },
    ]
    for (const { request, bytes } of sent)
      await new Promise((done) => request.write(bytes.subarray(0, bytes.length / 2), done))
    // Both earlier connections are accepted before this connection.
    await call(replica, '/livez')
    replica.terminate()
    await eventually(() => isRefused(replica))
    await sleep(3000)
    expect(replica.exit()).toBeNull()
    for (const { request, bytes } of sent) request.end(bytes.subarray(bytes.length / 2))
    const [written, received] = await Promise.all(sent.map(({ answer }) => answer))
    expect(written).toMatchObject({ status: 201, body: { size: file.length } })
    expect(received).toMatchObject({ status: 200, body: { storageId: expect.any(String) as string } })
    expect(agent.held.contents.get('/sdcard/Download/half.bin')?.equals(file)).toBe(true)
    await eventually(() => replica.exit() !== null)
    expect(replica.exit()).toMatch(/^exit code 0,/)
  })

  it('sends the rest of files that its client takes slowly', async () => {
    const file = Buffer.alloc(4_000_000)
    agent.held.contents.set('/sdcard/large.bin', file)
    const replica = await startReplica(plane, 'sending', {})
    const { hostname, port } = new URL(replica.origin)
    const socket = connect(Number(port), hostname)
    const lines = [
      `GET /v1/phones/${phone}/files/content?path=/sdcard/large.bin HTTP/1.1`,
      ...[`Host: ${hostname}`, `Authorization: Bearer ${tenant.key}`, '', ''],
    ]
    // The kernel's buffers hold one file, but not three files.
    const count = 3
    const before = agent.log.length
    socket.write(lines.join('\r\n').repeat(count))
    await eventually(() => agent.log.slice(before).filter((name) => name === 'readFile').length === count)
    // When this later response has arrived completely, the earlier responses have begun. A response that has not begun at
    // SIGTERM is never sent.
    const later = await fetch(`${replica.origin}/v1/phones/${phone}/files/content?path=/sdcard/large.bin`, {
      headers: { authorization: `Bearer ${tenant.key}` },
    })
    expect((await later.arrayBuffer()).byteLength).toBe(file.length)
    await sleep(1000)
    replica.terminate()
    await eventually(() => isRefused(replica))
    await sleep(2000)
    expect(replica.exit()).toBeNull()
    let zeros = 0
    for await (const chunk of socket) for (const byte of chunk as Buffer) if (byte === 0) zeros += 1
    expect(zeros).toBe(count * file.length)
    await eventually(() => replica.exit() !== null)
    expect(replica.exit()).toMatch(/^exit code 0,/)
  })
})

it('a replica that a test started ends with the test run', async () => {
  const child = spawn(
    process.execPath,
    ['--import', endWithParent, '-e', "console.log('up'); setInterval(() => {}, 1e6)"],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  )
  const exited = once(child, 'exit')
  await once(child.stdout, 'data')
  // The operating system closes this end when the test run is killed.
  child.stdin.destroy()
  expect(await exited).toEqual([1, null])
})
