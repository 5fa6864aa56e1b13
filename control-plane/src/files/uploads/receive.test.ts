/**
 * The upload URL with senders that stop, stall, repeat or are late: sockets, real files, real
 * Postgres.
 */
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { type UploadJson } from '../../api/routes/apps/schemas.js'
import { makeApk } from '../../testing/apk.js'
import {
  storedFiles,
  uploadClient,
  type Answer,
  type Created,
  type UploadClient,
} from '../../testing/uploads.js'
import { eventually, useWorld, type Plane } from '../../testing/world.js'
import { newSecret } from '@phonerack/shared'

const world = useWorld()
let plane: Plane
let client: UploadClient
let ahead = 0
const clock = { now: () => new Date(Date.now() + ahead) }
beforeAll(async () => {
  plane = await world.start({ clock })
  client = await uploadClient(plane, await plane.tenant())
})

const apk = makeApk({ files: { pad: Buffer.alloc(300_000, 1) } })
const pathOf = (created: Created): string => new URL(created.upload_url).pathname
const idle = async (): Promise<void> =>
  eventually(
    async () => (await plane.app.core.db.upload.count({ where: { claimUntil: { not: null } } })) === 0,
  )
const noFilesBut = (...kept: string[]): Promise<void> =>
  eventually(async () => (await storedFiles(plane)).every((each) => kept.includes(each)))

/** Begins to send a file and then stops. */
async function begin(created: Created, bytes: number, part: number): Promise<Socket> {
  const socket = connect((plane.server.server.address() as AddressInfo).port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write(`POST ${pathOf(created)} HTTP/1.1\r\nhost: a\r\ncontent-length: ${bytes}\r\n\r\n`)
  socket.write(apk.subarray(0, part))
  // The replica serves the upload once the upload's claim is stored.
  await eventually(async () => {
    const row = await plane.app.core.db.upload.findUniqueOrThrow({ where: { id: created.id } })
    return row.claimUntil !== null
  })
  return socket
}

async function answered(created: Created): Promise<UploadJson> {
  const sent = await client.send(created, apk)
  expect(sent.status, JSON.stringify(sent.body)).toBe(200)
  await client.complete(created.id, sent.body.storageId)
  const { body } = await client.request<UploadJson>('GET', `/v1/apps/uploads/${created.id}?wait=ready`)
  await client.request('DELETE', `/v1/apps/uploads/${created.id}`)
  return body
}

it('an interrupted file leaves nothing, and the URL still works', async () => {
  const created = await client.create()
  for (const end of ['destroy', 'end', 'resetAndDestroy'] as const) {
    const socket = await begin(created, apk.length, 200_000)
    socket[end]()
    await idle()
    await noFilesBut()
    socket.destroy()
  }
  expect((await client.get(created.id)).size_bytes).toBeNull()
  expect((await answered(created)).status).toBe('ready')
})

it('the later of two concurrent files is refused, and so is another after the first [12.6, 20.37]', async () => {
  const created = await client.create()
  const first = await begin(created, apk.length, 1000)
  const second = await client.send(created, apk)
  expect([second.status, second.body.error?.code, second.body.error?.retryable]).toEqual([
    409,
    'upload_not_ready',
    true,
  ])
  expect(second.body.error?.details).toEqual({ status: 'awaiting_file' })
  first.write(apk.subarray(1000))
  const [answer] = (await once(first, 'data')) as [Buffer]
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 .*"storageId":"sto_[a-z2-7]{12}"/s)
  first.destroy()
  const third = await client.send(created, apk)
  expect([third.status, third.body.error?.code]).toEqual([404, 'upload_not_found'])
  await client.request('DELETE', `/v1/apps/uploads/${created.id}`)
})

it('one of two files that arrive completely at the same moment is accepted', async () => {
  const created = await client.create()
  const answers = await Promise.all([1, 2, 3, 4].map(() => client.send(created, apk)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  for (const { status, body } of answers)
    if (status !== 200) expect(['upload_not_ready', 'upload_not_found']).toContain(body.error?.code)
  const kept = answers.find(({ status }) => status === 200)?.body.storageId ?? ''
  await noFilesBut(kept)
  await client.request('DELETE', `/v1/apps/uploads/${created.id}`)
})

it('refuses other URLs and methods, and works without a key [12.5, 18.28]', async () => {
  const created = await client.create()
  const to = async (target: string, method: string): Promise<Answer> => {
    const response = await fetch(`${client.origin}${target}`, {
      method,
      ...(method === 'GET' || method === 'HEAD' ? {} : { body: new Uint8Array(apk) }),
    })
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as Answer['body'],
    }
  }
  for (const token of [newSecret('upload'), 'pru_short', created.id, '..%2F..%2Fetc'])
    expect((await to(`/uploads/${token}`, 'POST')).body.error?.code, token).toBe('upload_not_found')
  for (const method of ['GET', 'PUT', 'DELETE', 'PATCH']) {
    const answer = await to(pathOf(created), method)
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST'])
  }
  expect((await to('/uploads/', 'POST')).status).toBe(404)
  expect((await answered(created)).status).toBe('ready')
})

it('accepts any or no content type, and requests the body only when it is needed', async () => {
  const created = await client.create()
  const send = async (target: string): Promise<{ status: number; continued: boolean }> => {
    const request = httpRequest(`${client.origin}${target}`, {
      method: 'POST',
      headers: { 'content-length': apk.length, 'content-type': 'no/such; type', expect: '100-continue' },
    })
    let continued = false
    request.once('continue', () => {
      continued = true
      request.end(apk)
    })
    request.flushHeaders()
    const [response] = (await once(request, 'response')) as [{ statusCode: number; resume(): void }]
    response.resume()
    request.destroy()
    return { status: response.statusCode, continued }
  }
  expect(await send(pathOf(created))).toEqual({ status: 200, continued: true })
  await client.request('DELETE', `/v1/apps/uploads/${created.id}`)
})

it('an upload that is deleted while its file arrives keeps none', async () => {
  const created = await client.create()
  const socket = await begin(created, apk.length, 1000)
  await client.request('DELETE', `/v1/apps/uploads/${created.id}`)
  socket.write(apk.subarray(1000))
  const [answer] = (await once(socket, 'data')) as [Buffer]
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 404 .*upload_not_found/s)
  socket.destroy()
  await noFilesBut()
})

it('a file that stalls is given up, and the URL still works [12.10, 20.33]', async () => {
  const hasty = await world.start({ env: { PHONERACK_UPLOAD_SEND_WITHIN: '1' } })
  const own = await uploadClient(hasty, await hasty.tenant())
  const created = await own.create()
  const socket = connect((hasty.server.server.address() as AddressInfo).port, '127.0.0.1')
  socket.write(`POST ${pathOf(created)} HTTP/1.1\r\nhost: a\r\ncontent-length: 1000\r\n\r\n12345`)
  const [answer] = (await once(socket, 'data')) as [Buffer]
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 400 .*did not arrive within/s)
  socket.destroy()
  expect((await own.send(created, Buffer.from('x'))).status).toBe(200)
  await own.request('DELETE', `/v1/apps/uploads/${created.id}`)
})

it('the URL expires after an hour, even while a file arrives [12.7, 20.38]', async () => {
  const [late, arriving] = [await client.create(), await client.create()]
  const socket = await begin(arriving, apk.length, 1000)
  ahead += 3_600_000
  expect((await client.send(late, apk)).body.error?.code).toBe('upload_not_found')
  socket.write(apk.subarray(1000))
  const [answer] = (await once(socket, 'data')) as [Buffer]
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 404 /)
  socket.destroy()
  await noFilesBut()
  expect(readdirSync(path.join(plane.config.storage.dir, 'work'))).toEqual([])
})
