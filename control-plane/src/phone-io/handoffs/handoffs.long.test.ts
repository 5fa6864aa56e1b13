/**
 * Hand-overs over HTTP and from the page's socket, on two replicas. Runs with real Postgres, broker and gRPC;
 * the agent is a double.
 */
import { type WatchRequest } from '@phonerack/proto'
import { hashSecret, limits } from '@phonerack/shared'
import { beforeAll, describe, expect, it } from 'vitest'
import { forget } from '../../fleet/jobs/reconcile.js'
import { closings, isWorthRetrying } from '../live/page/wire.js'
import { createdHandoffSchema, handoffSchema } from '../../api/routes/phones/handoffs.js'
import { errorOf } from '../../testing/api.js'
import { endpoints, requestOf } from '../../testing/endpoints.js'
import { openLive, type LiveClient } from '../../testing/live-client.js'
import { readyPhone } from '../../testing/ready-phone.js'
import { eventually, useWorld, type Plane, type Tenant } from '../../testing/world.js'
import { createKey, revokeKey } from '../../testing/operator.js'

const message = 'Sign in to the bank. <b>The code</b> comes by message.'
const world = useWorld()
let plane: Plane
let replica: Plane
let tenant: Tenant
let phoneId: string
let origin: string
/** Input from people, as the agent received it. */
const input: string[] = []

beforeAll(async () => {
  plane = await world.start({ env: { PHONERACK_ACTIVITY_ACCURACY: '1' } })
  replica = await world.start({ beside: plane })
  for (const each of [plane, replica]) await each.server.listen({ host: '127.0.0.1', port: 0 })
  origin = new URL(plane.config.http.baseUrl).origin
  const agent = await plane.rack(2, { beatMs: 200 })
  agent.onWatch = (call) =>
    call.on('data', ({ event }: WatchRequest) => {
      if (event?.$case === 'text') input.push(event.value.text)
    })
  agent.onBatch = (_request, send) => {
    const empty = Buffer.alloc(0)
    send({ $case: 'ended', value: { resultsJson: Buffer.from('[]'), observationJson: empty } })
    return Promise.resolve()
  }
  tenant = await plane.tenant({ credit: '1000' })
  phoneId = await readyPhone(plane, tenant)
})

const becomes = (id: string, wanted: 'ready' | 'parked'): Promise<void> =>
  eventually(async () => (await plane.app.services.phones.get(tenant.caller, id)).status === wanted)

type Method = 'GET' | 'POST' | 'DELETE'
const call = (method: Method, path: string, body?: object, { on = plane, key = tenant.key } = {}) =>
  on.server.inject({
    method,
    url: `/v1/phones/${phoneId}${path}`,
    headers: { authorization: `Bearer ${key}` },
    ...(body ? { payload: body } : {}),
  })
const batch = (on = plane) =>
  call('POST', '/actions', { actions: [{ type: 'home' }], observe: 'none' }, { on })

/** Creates a hand-over. Returns its request and the token of the person's link. */
async function handOver(body: object = {}, key = tenant.key) {
  const answer = await call('POST', '/handoffs', { message, ...body }, { key })
  if (answer.statusCode !== 201) throw new Error(answer.body)
  const handoff = createdHandoffSchema.strict().parse(answer.json())
  return { ...handoff, path: `/handoffs/${handoff.id}`, token: new URL(handoff.url).hash.slice(1), answer }
}
function read(path: string, query = '', on = plane) {
  const reading = call('GET', `${path}${query}`, undefined, { on }).then((answer) =>
    handoffSchema.strict().parse(answer.json()),
  )
  // A test may assert the rejection later.
  reading.catch(() => undefined)
  return reading
}

const open = (token: string, on = plane): LiveClient => openLive(on.server, origin, token)
const isTaken = (client: LiveClient) =>
  client.messages.some((each) => each.type === 'handoff' && each.isTaken)

/** Returns a person who has opened the link and taken control. */
async function takeControl(token: string, on = plane): Promise<LiveClient> {
  const client = open(token, on)
  await client.opened()
  client.send({ type: 'take' })
  await eventually(() => isTaken(client))
  return client
}
async function isFree(): Promise<void> {
  for (const each of [plane, replica]) expect((await batch(each)).statusCode).toBe(200)
}

describe('a hand-over', () => {
  it('is requested with a message, and returns a link for the person, of which only the hash is stored [27.1]', async () => {
    const { id, url, token, path, answer } = await handOver({ message: `  ${message}\n`, expires_in: 600 })
    const { created_at: createdAt, expires_at: expiresAt, ...rest } = answer.json<Record<string, string>>()
    expect(rest).toEqual({
      object: 'handoff',
      id,
      phone: phoneId,
      status: 'open',
      message,
      url,
      note: null,
      taken_at: null,
      ended_at: null,
    })
    expect(Date.parse(String(expiresAt)) - Date.parse(String(createdAt))).toBe(600_000)
    expect(url).toMatch(/\/live#prl_[\w-]{43}$/)
    const { db } = plane.app.core
    const link = await db.liveLink.findUniqueOrThrow({ where: { tokenHash: hashSecret(token) } })
    expect([link.handoffId, link.control, link.expiresAt.toISOString()]).toEqual([id, true, expiresAt])
    const find = () => db.activity.findFirst({ where: { requestId: String(answer.headers['x-request-id']) } })
    await eventually(async () => (await find()) !== null)
    expect((await find())?.summary).toEqual({ message: '[redacted]', expires_in: 600 })
    expect(await read(path)).toMatchObject({ status: 'open', message })
    expect((await call('GET', path)).json()).not.toHaveProperty('url')
    await call('DELETE', path)
  })

  it("has a message of 1 to 500 characters, and the limits of a live link's duration [27.2]", async () => {
    for (const body of [
      {},
      { message: '' },
      { message: ' \n ' },
      { message: '👋'.repeat(501) },
      { message: 1 },
      { message, expires_in: 59 },
      { message, expires_in: 86_401 },
      { message, control: false },
    ])
      errorOf(await call('POST', '/handoffs', body), 400, 'validation_failed')
    const { path, expires_at: expiresAt } = await handOver({ message: '👋'.repeat(500) })
    expect(Math.abs(Date.parse(expiresAt) - Date.now() - 3_600_000)).toBeLessThan(30_000)
    await call('DELETE', path)
  })

  it('keeps agents away while the person has control, and returns the note [23.48, 27.3]', async () => {
    const { id, path, token, expires_at: expiresAt } = await handOver()
    const client = open(token, replica)
    expect(await client.opened()).toMatchObject({ control: true, handoff: { message, isTaken: false } })
    await isFree()
    // Control has not been taken yet.
    client.send({ type: 'text', text: 'too early' })
    client.send({ type: 'take' })
    await eventually(() => isTaken(client))
    client.send({ type: 'text', text: 'secret' })
    await eventually(() => input.includes('secret'))
    expect(input).not.toContain('too early')

    for (const on of [plane, replica]) {
      const refused = await batch(on)
      const error = errorOf(refused, 409, 'phone_controlled')
      expect(error).toMatchObject({ retryable: true, next: `GET /v1/phones/${phoneId}${path}?wait=done` })
      expect(error.details).toEqual({ phone: phoneId, handoff: id, expires_at: expiresAt })
      expect(refused.headers['retry-after']).toBe('30')
    }
    const waiting = read(path, '?wait=done')
    client.send({ type: 'give_back', outcome: 'done', note: '  I am in. \n' })
    const { code } = await client.closed()
    expect([code, isWorthRetrying(code)]).toEqual([closings.handedBack.code, false])
    const done = await waiting
    expect(done).toMatchObject({ status: 'done', note: 'I am in.' })
    expect([done.taken_at, done.ended_at].map((at) => Number.isFinite(Date.parse(String(at))))).toEqual([
      true,
      true,
    ])
    await isFree()
    expect(await read(path, '?wait=done&timeout=1')).toEqual(done)
    expect((await open(token).closed()).code).toBe(closings.handedBack.code)
  })

  it('refuses requests that control the phone, and allows reads and the end of its run [27.4]', async () => {
    const { token } = await handOver()
    const client = await takeControl(token)
    const writes = [
      'POST /v1/phones/{id}/actions',
      'POST /v1/phones/{id}/apps',
      'DELETE /v1/phones/{id}/apps/{package}',
      'PUT /v1/phones/{id}/files',
      'DELETE /v1/phones/{id}/files',
      'PUT /v1/phones/{id}/clipboard',
      'PUT /v1/phones/{id}/location',
      'DELETE /v1/phones/{id}/location',
      'PUT /v1/phones/{id}/locale',
      'PUT /v1/phones/{id}/timezone',
      'POST /v1/phones/{id}/reboot',
      'POST /v1/phones/{id}/reset',
      'POST /v1/phones/{id}/shell',
      'POST /v1/phones/{id}/apps/{package}/permissions',
      'POST /v1/phones/{id}/notifications/{nid}/open',
      'POST /v1/phones/{id}/notifications/{nid}/dismiss',
    ]
    const ends = ['DELETE /v1/phones/{id}', 'POST /v1/phones/{id}/park']
    const refused: string[] = []
    for (const endpoint of endpoints) {
      const name = `${endpoint.method} ${endpoint.path}`
      if (!endpoint.path.startsWith('/v1/phones/{id}') || ends.includes(name)) continue
      const { headers, ...request } = requestOf(endpoint, phoneId)
      const answer = await plane.server.inject({
        ...request,
        headers: { ...headers, authorization: `Bearer ${tenant.key}` },
      })
      if (answer.body.includes('phone_controlled')) refused.push(name)
    }
    expect(refused.sort()).toEqual(writes.sort())
    client.send({ type: 'give_back', outcome: 'done', note: '' })
    await client.closed()
  })

  it('is taken from the start when the person takes the phone over without being asked [27.5]', async () => {
    const { path, token, status, taken_at: takenAt } = await handOver({ taken: true })
    expect([status, Number.isFinite(Date.parse(String(takenAt)))]).toEqual(['taken', true])
    errorOf(await batch(), 409, 'phone_controlled')
    const client = open(token)
    expect((await client.opened()).handoff).toEqual({ message, isTaken: true })
    client.send({ type: 'give_back', outcome: 'done', note: 'Checked.' })
    await client.closed()
    expect(await read(path)).toMatchObject({ status: 'done', note: 'Checked.' })
    await isFree()
  })

  it('can be declined, with or without control, but completed only with control [27.7]', async () => {
    for (const takes of [false, true]) {
      const { path, token } = await handOver()
      const client = takes ? await takeControl(token) : open(token)
      await client.opened()
      if (!takes) {
        client.send({ type: 'give_back', outcome: 'done', note: 'no' })
        client.send({ type: 'ping', id: 1 })
        await eventually(() => client.messages.some(({ type }) => type === 'pong'))
        expect((await read(path)).status).toBe('open')
      }
      client.send({ type: 'give_back', outcome: 'declined', note: ' ' })
      expect((await client.closed()).code).toBe(closings.handedBack.code)
      expect(await read(path, '?wait=done')).toMatchObject({ status: 'declined', note: null })
      await isFree()
    }
  })

  it('survives a closed page, and is shared by all people who opened it [27.8]', async () => {
    const { path, token } = await handOver()
    const others = [open(token), open(token, replica)]
    for (const other of others) await other.opened()
    const first = await takeControl(token)
    for (const other of others) await eventually(() => isTaken(other))
    first.close()
    await first.closed()
    errorOf(await batch(), 409, 'phone_controlled')
    const again = open(token, replica)
    expect((await again.opened()).handoff).toEqual({ message, isTaken: true })
    again.send({ type: 'give_back', outcome: 'done', note: 'done' })
    for (const each of [again, ...others]) expect((await each.closed()).code).toBe(closings.handedBack.code)
    expect((await read(path)).note).toBe('done')
    await isFree()
  })

  it('can be withdrawn, before and while the person has control; then it is gone [23.42, 27.9]', async () => {
    for (const takes of [false, true]) {
      const { id, path, token } = await handOver()
      const client = takes ? await takeControl(token, replica) : open(token, replica)
      await client.opened()
      const waiting = call('GET', `${path}?wait=done`, undefined, { on: replica })
      const answer = await call('DELETE', path)
      expect([answer.statusCode, answer.json()]).toEqual([200, { id, deleted: true }])
      expect((await client.closed()).code).toBe(closings.withdrawn.code)
      await isFree()
      const error = errorOf(await waiting, 404, 'handoff_not_found')
      expect(error.details).toEqual({ phone: phoneId, handoff: id })
      for (const method of ['GET', 'DELETE'] as const)
        errorOf(await call(method, path), 404, 'handoff_not_found')
      expect((await open(token).closed()).code).toBe(closings.withdrawn.code)
      const stored = await plane.app.core.db.handoff.findUniqueOrThrow({ where: { id } })
      expect([stored.message, stored.note]).toEqual(['', null])
    }
    for (const id of ['hnd_aaaaaaaaaaaa', 'x', 'rec_aaaaaaaaaaaa'])
      errorOf(await call('GET', `/handoffs/${id}`), 404, 'handoff_not_found')
  })

  it('is limited to one per phone, even for two concurrent requests on two replicas [23.49]', async () => {
    const ask = (on: Plane) => call('POST', '/handoffs', { message }, { on })
    const answers = await Promise.all([plane, replica, plane, replica].map(ask))
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([201, 409, 409, 409])
    const id = answers.find(({ statusCode }) => statusCode === 201)?.json<{ id: string }>().id
    const { details, next, retryable } = errorOf(await ask(plane), 409, 'handoff_in_progress')
    expect([details, retryable]).toEqual([{ phone: phoneId, handoff: id, status: 'open' }, false])
    expect(next).toContain(`GET /v1/phones/${phoneId}/handoffs/${id}?wait=done`)
    expect((await call('DELETE', `/handoffs/${id}`)).statusCode).toBe(200)
    const { path } = await handOver()
    await call('DELETE', path)
  })

  it('accepts no decision from a plain link, and no note that is too long', async () => {
    const plain = (await call('POST', '/live')).json<{ url: string }>().url
    const client = open(new URL(plain).hash.slice(1))
    expect((await client.opened()).handoff).toBeNull()
    client.send({ type: 'take' })
    expect((await client.closed()).code).toBe(closings.badMessage.code)
    const { path, token } = await handOver()
    for (const note of ['👋'.repeat(501), 'a\0b']) {
      const wrong = open(token)
      await wrong.opened()
      wrong.send({ type: 'give_back', outcome: 'declined', note })
      expect((await wrong.closed()).code).toBe(closings.badMessage.code)
    }
    const last = open(token)
    await last.opened()
    last.send({ type: 'give_back', outcome: 'declined', note: '👋'.repeat(500) })
    await last.closed()
    expect((await read(path)).note).toHaveLength(1000)
  })
})

describe('a hand-over that nobody returns expires, and the phone is free', () => {
  it('at its time, which ends the waits for it', async () => {
    const { id, path, token } = await handOver()
    const client = await takeControl(token)
    const { db } = plane.app.core
    const expireIn = async (ms: number): Promise<Date> => {
      const expiresAt = new Date(plane.app.core.clock.now().getTime() + ms)
      await db.handoff.update({ where: { id }, data: { expiresAt } })
      await db.liveLink.updateMany({ where: { handoffId: id }, data: { expiresAt } })
      return expiresAt
    }
    await expireIn(25_000)
    const refused = await batch()
    errorOf(refused, 409, 'phone_controlled')
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(25)
    const expiresAt = await expireIn(2000)
    const expired = await read(path, '?wait=done', replica)
    expect(expired).toMatchObject({ status: 'expired', note: null, ended_at: expiresAt.toISOString() })
    // The replica that ended the hand-over reads Postgres's time separately: the two times differ by some
    // milliseconds.
    expect(plane.app.core.clock.now().getTime()).toBeGreaterThan(expiresAt.getTime() - 500)
    await isFree()
    // The open page reads its link at least every five seconds.
    expect((await client.closed()).code).toBe(closings.expired.code)
    const next = await handOver()
    expect((await read(path)).status).toBe('expired')
    await call('DELETE', next.path)
  })

  it('with the phone’s session [27.11]', async () => {
    const { path, token } = await handOver()
    const client = await takeControl(token)
    const waiting = read(path, '?wait=done', replica)
    await plane.app.services.phones.park(tenant.caller, phoneId)
    expect((await client.closed()).code).toBe(closings.parked.code)
    const ended = await waiting
    expect([ended.status, Date.parse(String(ended.ended_at)) < Date.parse(ended.expires_at)]).toEqual([
      'expired',
      true,
    ])
    await becomes(phoneId, 'parked')
    await plane.app.services.phones.start(tenant.caller, phoneId, { idleTimeout: null, maxDuration: null })
    await becomes(phoneId, 'ready')
    await isFree()
    await call('DELETE', (await handOver()).path)
  })

  it('when the key that created it is revoked', async () => {
    const { id, key } = await createKey(plane.app.core, {
      project: tenant.projectId,
      preset: 'agent',
      expires: 'never',
    })
    const { path, token } = await handOver({}, key)
    const client = await takeControl(token)
    await revokeKey(plane.app.core, id)
    expect((await client.closed()).code).toBe(closings.unknown.code)
    expect((await read(path)).status).toBe('expired')
    await isFree()
  })

  it('and is deleted a week later', async () => {
    const { id, path } = await handOver()
    const { core } = plane.app
    const age = async (ms: number) => {
      const times = { createdAt: new Date(Date.now() - ms - 1000), expiresAt: new Date(Date.now() - ms) }
      await core.db.handoff.update({ where: { id }, data: times })
      await core.db.liveLink.updateMany({ where: { handoffId: id }, data: times })
      await forget(core)
    }
    await age(limits.handoffs.life * 1000 - 60_000)
    expect((await read(path)).status).toBe('expired')
    await age(limits.handoffs.life * 1000 + 1000)
    errorOf(await call('GET', path), 404, 'handoff_not_found')
  })
})

it('keeps the phone awake while an agent waits or the person touches it [27.13]', async () => {
  const { path, token } = await handOver()
  const { db } = plane.app.core
  // This time is shorter than every idle timeout: otherwise the phone would be parked during the test.
  const old = new Date(Date.now() - 40_000)
  const isAwakeAfter = async (act: () => unknown): Promise<void> => {
    await db.phone.update({ where: { id: phoneId }, data: { lastActiveAt: old } })
    await eventually(async () => {
      // Activity is written at most once per second: after a recent write, one input changes nothing.
      await act()
      await new Promise((resolve) => setTimeout(resolve, 500))
      const { lastActiveAt } = await db.phone.findUniqueOrThrow({ where: { id: phoneId } })
      return Number(lastActiveAt) > old.getTime() + 30_000
    })
  }
  await isAwakeAfter(() => read(path, '?wait=done&timeout=1'))
  const client = await takeControl(token)
  await isAwakeAfter(() => client.send({ type: 'touch', phase: 'down', pointer: 0, x: 0, y: 0 }))
  await call('DELETE', path)
  await client.closed()
})
