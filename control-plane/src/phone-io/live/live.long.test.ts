/** Live links over HTTP, and views over real WebSockets, Postgres, broker and gRPC; the agent is a double. */
import { type ServerDuplexStream } from '@grpc/grpc-js'
import { type WatchRequest, type WatchResponse } from '@phonerack/proto'
import { ApiError, hashSecret } from '@phonerack/shared'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { connect, type AddressInfo } from 'node:net'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { errorOf } from '../../testing/api.js'
import { toServiceError, type AgentDouble } from '../../testing/agent-double.js'
import { openLive, type LiveClient } from '../../testing/live-client.js'
import { readyPhone } from '../../testing/ready-phone.js'
import { eventually, useWorld, type Plane, type Tenant } from '../../testing/world.js'
import { closings, isWorthRetrying, protocol } from './page/wire.js'
import { createStandBys } from './stand-bys.js'
import { changeProject, createKey, revokeKey, setPaused } from '../../testing/operator.js'

type Watch = ServerDuplexStream<WatchRequest, WatchResponse>

const world = useWorld()
let plane: Plane
let agent: AgentDouble
let tenant: Tenant
let phoneId: string
let origin: string
/** Views at the agent, oldest first, with the messages of each view. */
let watches: { call: Watch; requests: WatchRequest[]; isOver: boolean }[]

beforeAll(async () => {
  plane = await world.start({ env: { PHONERACK_ACTIVITY_ACCURACY: '1' } })
  await plane.server.listen({ host: '127.0.0.1', port: 0 })
  origin = new URL(plane.config.http.baseUrl).origin
  agent = await plane.rack(6, { beatMs: 200 })
  tenant = await plane.tenant({ credit: '1000' })
  phoneId = await readyPhone(plane, tenant)
})
beforeEach(() => {
  watches = []
  agent.onWatch = (call) => {
    const watch = { call, requests: [] as WatchRequest[], isOver: false }
    watches.push(watch)
    call.on('data', (request: WatchRequest) => watch.requests.push(request))
    call.on('cancelled', () => (watch.isOver = true))
    call.on('error', () => (watch.isOver = true))
  }
})

const ask = (id: string, body?: object, key = tenant.key) =>
  plane.server.inject({
    method: 'POST',
    url: `/v1/phones/${id}/live`,
    headers: { authorization: `Bearer ${key}` },
    ...(body ? { payload: body } : {}),
  })

const send = (method: 'POST' | 'DELETE', path: string, key = tenant.key) =>
  plane.server.inject({ method, url: `/v1/phones/${path}`, headers: { authorization: `Bearer ${key}` } })

async function newToken(id = phoneId, body: object = {}, key = tenant.key): Promise<string> {
  const answer = await ask(id, body, key)
  if (answer.statusCode !== 201) throw new Error(answer.body)
  return new URL(answer.json<{ url: string }>().url).hash.slice(1)
}

const open = (token: string | null): LiveClient => openLive(plane.server, origin, token)

/** A page's view, with the agent's side of the view. */
async function view(token: string) {
  const client = open(token)
  await client.opened()
  await eventually(() => watches.at(-1)?.requests[0]?.event?.$case === 'open')
  const watch = watches.at(-1)
  if (!watch) throw new Error('no view')
  return { client, watch }
}

describe('a live link', () => {
  it('is a URL of the configured address, expires after an hour, and only its hash is stored [2.28, 26.4, 26.8]', async () => {
    const before = Date.now()
    const answer = await ask(phoneId)
    expect(answer.statusCode).toBe(201)
    const { url, expires_at: expiresAt, ...rest } = answer.json<{ url: string; expires_at: string }>()
    expect(rest).toEqual({})
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:8080\/live#prl_[\w-]{43}$/)
    expect(expiresAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(Math.abs(Date.parse(expiresAt) - before - 3_600_000)).toBeLessThan(30_000)
    const token = url.slice(url.indexOf('#') + 1)
    const { db } = plane.app.core
    const row = await db.liveLink.findUniqueOrThrow({ where: { tokenHash: hashSecret(token) } })
    expect(row).toMatchObject({ phoneId, projectId: tenant.projectId, control: true })
    expect(
      JSON.stringify(row, (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value)),
    ).not.toContain(token)
  })

  it('starts capture on its phone for a person who opens it immediately', async () => {
    const prepared = () => agent.log.filter((name) => name === 'prepare').length
    const before = prepared()
    await newToken()
    await eventually(() => prepared() > before)
  })

  it('keeps the video server of its phone on standby while the link can be used', async () => {
    const id = await readyPhone(plane, tenant)
    const token = await newToken(id)
    const standBys = createStandBys(plane.app.core, plane.app.hosts)
    const count = (name: string) => agent.log.filter((each) => each === `${name} ${id}`).length
    await standBys.match()
    await eventually(() => count('standBy') > 0)
    expect(count('standBy ended')).toBe(0)
    // The call stays open and is not repeated. The plane may have a call too.
    for (let i = 0; i < 5; i += 1) await standBys.match()
    expect(count('standBy')).toBeLessThanOrEqual(2)
    // No call is started for an unusable link, and the call ends when the link becomes unusable.
    const { db } = plane.app.core
    await db.liveLink.update({ where: { tokenHash: hashSecret(token) }, data: { expiresAt: new Date() } })
    await standBys.match()
    await eventually(() => count('standBy ended') > 0)
    const before = count('standBy')
    await standBys.match()
    expect(count('standBy')).toBe(before)
    // A closing view ends its call.
    await newToken(id)
    await standBys.match()
    await eventually(() => count('standBy') > before)
    const ended = count('standBy ended')
    standBys.close()
    await eventually(() => count('standBy ended') > ended)
  })

  it('keeps its phone on standby even when the channel to another host cannot be created', async () => {
    const [broken, good] = [await readyPhone(plane, tenant), await readyPhone(plane, tenant)]
    for (const id of [broken, good]) await newToken(id)
    const { core, hosts } = plane.app
    const to = vi.spyOn(hosts, 'to').mockImplementationOnce(() => {
      throw new Error('no channel')
    })
    const standBys = createStandBys(core, hosts)
    try {
      await standBys.match()
      expect(to.mock.calls.length).toBeGreaterThanOrEqual(2)
    } finally {
      standBys.close()
      to.mockRestore()
    }
  })

  it('can be valid for 60 to 86400 seconds [20.48, 26.3]', async () => {
    for (const seconds of [60, 86_400]) {
      const before = Date.now()
      const answer = await ask(phoneId, { expires_in: seconds })
      const left = Date.parse(answer.json<{ expires_at: string }>().expires_at) - before
      expect(Math.abs(left - seconds * 1000)).toBeLessThan(30_000)
    }
    for (const body of [
      { expires_in: 59 },
      { expires_in: 86_401 },
      { expires_in: 90.5 },
      { control: 'no' },
      { a: 1 },
    ])
      errorOf(await ask(phoneId, body), 400, 'validation_failed')
  })

  it('is in the activity without its URL [26.9]', async () => {
    const answer = await ask(phoneId, { expires_in: 777, control: false })
    const { db } = plane.app.core
    const find = () => db.activity.findFirst({ where: { requestId: String(answer.headers['x-request-id']) } })
    await eventually(async () => (await find()) !== null)
    const entry = await find()
    expect(entry).toMatchObject({
      route: '/v1/phones/:id/live',
      summary: { expires_in: 777, control: false },
    })
    expect(JSON.stringify(entry?.summary)).not.toContain('prl_')
  })

  it('opens a page that only the consoles may frame, and that sends no referrer', async () => {
    const page = await plane.server.inject({ url: '/live' })
    expect([page.statusCode, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(page.headers['referrer-policy']).toBe('no-referrer')
    const policy = String(page.headers['content-security-policy'])
    const { console: own, operatorConsole } = plane.config
    const origins = [...own.origins, ...operatorConsole.origins].join(' ')
    expect(policy).toContain(`frame-ancestors ${origins};`)
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toContain('unsafe')
    // The inline script opens the socket; the policy allows its hash.
    const inline = /<script type="module" async>([^<]+)<\/script>/.exec(page.body)?.[1] ?? ''
    expect(inline).toContain(`'${protocol}'`)
    expect(policy).toContain(`'sha256-${createHash('sha256').update(inline).digest('base64')}'`)
    const script = /src="(\/live\/[0-9a-f]{16}\/main\.js)"/.exec(page.body)?.[1] ?? ''
    const loaded = await plane.server.inject({ url: script })
    expect([loaded.statusCode, loaded.headers['content-type']]).toEqual([
      200,
      'text/javascript; charset=utf-8',
    ])
    expect(loaded.headers['cache-control']).toContain('immutable')
  })
})

describe('a live view', () => {
  it('carries video to the page and input to the phone [18.29]', async () => {
    const { client, watch } = await view(await newToken())
    const device = [...agent.devices.values()].find(
      ({ serial }) =>
        watch.requests[0]?.event?.$case === 'open' &&
        serial === watch.requests[0].event.value.assignment?.serial,
    )
    expect(watch.requests[0]?.event).toEqual({
      $case: 'open',
      value: {
        assignment: {
          phoneId,
          serial: device?.serial,
          fencingNumber: device?.fencing,
          requestId: expect.stringMatching(/^req_/) as string,
          tenant: '',
        },
        control: true,
      },
    })
    const parameterSets = Buffer.from([0, 0, 0, 1, 0x67, 1, 2])
    watch.call.write({ event: { $case: 'state', value: { secure: true, trouble: '', asleep: false } } })
    watch.call.write({
      event: { $case: 'config', value: { codec: 'avc1.42c01f', parameterSets, width: 720, height: 1280 } },
    })
    const data = Buffer.alloc(65_536, 7)
    watch.call.write({ event: { $case: 'frame', value: { data, ptsUs: 5n, keyFrame: true, last: false } } })
    watch.call.write({
      event: { $case: 'frame', value: { data: Buffer.from([9]), ptsUs: 5n, keyFrame: true, last: true } },
    })
    await eventually(() => client.video.length === 3)
    expect(client.messages[1]).toEqual({ type: 'state', secure: true, trouble: '', asleep: false })
    expect(client.video[0]).toMatchObject({ type: 'config', codec: 'avc1.42c01f', width: 720, height: 1280 })
    expect(client.video[1]).toMatchObject({ type: 'frame', ptsUs: 5n, isKeyFrame: true, isLast: false })
    expect(Buffer.from((client.video[1] as { data: Uint8Array }).data).equals(data)).toBe(true)
    expect(client.video[2]).toMatchObject({ isLast: true, data: new Uint8Array([9]) })

    client.send({ type: 'touch', phase: 'down', pointer: 1, x: 0.5, y: 0.25 })
    client.send({ type: 'key', down: true, code: 67, meta: 1, repeat: 0 })
    client.send({ type: 'text', text: 'Grüße 👋' })
    client.send({ type: 'scroll', x: 0, y: 1, horizontal: 0, vertical: -2 })
    client.send({ type: 'rotate' })
    client.send({ type: 'key_frame' })
    client.send({ type: 'ping', id: 4 })
    await eventually(() => watch.requests.length === 7 && client.messages.length === 3)
    expect(client.messages[2]).toEqual({ type: 'pong', id: 4 })
    expect(watch.requests.slice(1).map(({ event }) => event)).toEqual([
      { $case: 'touch', value: { phase: 1, pointer: 1, x: 0.5, y: 0.25 } },
      { $case: 'key', value: { down: true, keyCode: 67, metaState: 1, repeat: 0 } },
      { $case: 'text', value: { text: 'Grüße 👋' } },
      { $case: 'scroll', value: { x: 0, y: 1, horizontal: 0, vertical: -2 } },
      { $case: 'rotate', value: {} },
      { $case: 'keyFrame', value: {} },
    ])
    client.close()
    await eventually(() => watch.isOver)
  })

  it('sends nothing to the phone for a link without control', async () => {
    const { client, watch } = await view(await newToken(phoneId, { control: false }))
    expect((await client.opened()).control).toBe(false)
    expect(watch.requests[0]?.event).toMatchObject({ value: { control: false } })
    client.send({ type: 'text', text: 'no' })
    client.send({ type: 'touch', phase: 'down', pointer: 0, x: 0, y: 0 })
    client.send({ type: 'rotate' })
    client.send({ type: 'key_frame' })
    await eventually(() => watch.requests.length > 1)
    expect(watch.requests.slice(1).map(({ event }) => event?.$case)).toEqual(['keyFrame'])
    client.close()
  })

  it('is one of many views of a link', async () => {
    const token = await newToken()
    const views = [await view(token), await view(token)]
    expect(watches).toHaveLength(2)
    for (const { client } of views) client.close()
  })

  it.each([
    ['no origin', null],
    ['another origin', 'https://evil.test'],
  ])('with %s is refused', async (_what, other) => {
    expect((await openLive(plane.server, other, await newToken()).closed()).code).toBe(403)
    expect(watches).toHaveLength(0)
  })

  it('requires a known token', async () => {
    const { code } = await open(`prl_${'a'.repeat(43)}`).closed()
    expect(code).toBe(closings.unknown.code)
  })

  it.each<[string, string | Buffer]>([
    ['no JSON', '{'],
    ['no object', '[]'],
    ['no text', '{"type":"text","text":""}'],
    ['10,001 characters', JSON.stringify({ type: 'text', text: 'a'.repeat(10_001) })],
    ['a touch outside', '{"type":"touch","phase":"down","pointer":0,"x":1.1,"y":0}'],
    ['an unknown field', '{"type":"rotate","more":1}'],
    ['bytes', Buffer.from([1, 2])],
  ])('ends on a message that no page sends: %s', async (_what, message) => {
    const { client } = await view(await newToken())
    client.send(message)
    expect((await client.closed()).code).toBe(closings.badMessage.code)
  })

  it('accepts 10,000 characters in one message', async () => {
    const { client, watch } = await view(await newToken())
    const text = '👋'.repeat(10_000)
    client.send({ type: 'text', text })
    await eventually(() => watch.requests.length === 2)
    expect(watch.requests[1]?.event).toEqual({ $case: 'text', value: { text } })
    client.close()
  })

  it('ends when a client sends far more than a person can', async () => {
    const { client, watch } = await view(await newToken())
    for (let at = 0; at < 5000; at++) client.send({ type: 'touch', phase: 'move', pointer: 0, x: 0, y: 0 })
    client.send({ type: 'ping', id: 1 })
    for (let at = 0; at < 5000; at++) client.send({ type: 'rotate' })
    expect((await client.closed()).code).toBe(closings.tooFast.code)
    expect(watch.requests.length).toBeLessThan(6000)
  })

  it('reads no more from the host than its page accepts', async () => {
    const { client, watch } = await view(await newToken())
    const data = Buffer.alloc(65_536)
    const chunk = {
      event: { $case: 'frame' as const, value: { data, ptsUs: 1n, keyFrame: false, last: true } },
    }
    let written = 0
    const fill = async () => {
      while (!watch.isOver && written < 400) {
        written += 1
        if (!watch.call.write(chunk))
          await Promise.race([once(watch.call, 'drain'), once(watch.call, 'close')])
      }
    }
    const filling = fill()
    let before = -1
    // Waits until no more data arrives.
    await eventually(async () => {
      const still = written === before && client.bytes() > 500_000
      before = written
      await new Promise((resolve) => setTimeout(resolve, 200))
      return still
    })
    expect(written).toBeLessThan(80)
    const held = client.bytes()
    client.send({ type: 'ack', bytes: held })
    await eventually(() => client.bytes() > held)
    client.close()
    await filling
  })

  it('keeps the phone awake by input, but not by watching', async () => {
    const { client, watch } = await view(await newToken())
    const { db } = plane.app.core
    const old = new Date(Date.now() - 600_000)
    // The request for the link is activity too, at most a second late.
    await new Promise((resolve) => setTimeout(resolve, 1100))
    await db.phone.update({ where: { id: phoneId }, data: { lastActiveAt: old } })
    const data = Buffer.from([1])
    watch.call.write({ event: { $case: 'frame', value: { data, ptsUs: 1n, keyFrame: true, last: true } } })
    client.send({ type: 'key_frame' })
    client.send({ type: 'ping', id: 1 })
    await eventually(() => client.video.length === 1 && client.messages.some(({ type }) => type === 'pong'))
    const lastActive = async () => (await db.phone.findUniqueOrThrow({ where: { id: phoneId } })).lastActiveAt
    expect(await lastActive()).toEqual(old)
    client.send({ type: 'touch', phase: 'down', pointer: 0, x: 0, y: 0 })
    await eventually(async () => Number(await lastActive()) > old.getTime() + 500_000)
    client.close()
  })

  it('without video ends permanently, and may be reopened after its host disconnects', async () => {
    const token = await newToken()
    agent.onWatch = (call) => void call.emit('error', Object.assign(new Error('no'), { code: 12 }))
    expect((await open(token).closed()).code).toBe(closings.noVideo.code)
    const withoutVideo = new ApiError('feature_unavailable', { details: { feature: 'live' } })
    agent.onWatch = (call) => void call.emit('error', toServiceError(withoutVideo))
    expect((await open(token).closed()).code).toBe(closings.noVideo.code)
    agent.onWatch = (call) => call.end()
    const { code } = await open(token).closed()
    expect([code, isWorthRetrying(code)]).toEqual([closings.away.code, true])
  })
})

it('a request that only offers another protocol gets a normal response', async () => {
  const { port } = plane.server.server.address() as AddressInfo
  const socket = connect(port, '127.0.0.1')
  const body = JSON.stringify({ expires_in: 60 })
  socket.write(
    `POST /v1/phones/${phoneId}/live HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${tenant.key}\r\n` +
      'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQCAAAA\r\n' +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`,
  )
  let text = ''
  socket.on('data', (data) => (text += data.toString()))
  await new Promise((resolve) => setTimeout(resolve, 50))
  socket.write(body.slice(5))
  await eventually(() => text.includes('\r\n\r\n{'))
  expect(text).toMatch(/^HTTP\/1\.1 201 /)
  // The connection stays open, and serves the next request.
  text = ''
  socket.write('GET /live/socket HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n')
  await eventually(() => text.includes('not_found'))
  socket.destroy()
})

describe('an open view ends', () => {
  it('within a second of its expiry [26.7]', async () => {
    const token = await newToken()
    const expiresAt = new Date(Date.now() + 3000)
    await plane.app.core.db.liveLink.update({ where: { tokenHash: hashSecret(token) }, data: { expiresAt } })
    const { client, watch } = await view(token)
    const { code, reason, at } = await client.closed()
    expect([code, reason]).toEqual([closings.expired.code, closings.expired.reason])
    expect(at - expiresAt.getTime()).toBeGreaterThan(-100)
    expect(at - expiresAt.getTime()).toBeLessThan(1000)
    await eventually(() => watch.isOver)
    expect((await open(token).closed()).code).toBe(closings.expired.code)
  })

  it.each(['reboot', 'reset'])('at a %s, and can be opened again afterwards', async (what) => {
    const token = await newToken()
    const { client, watch } = await view(token)
    expect((await send('POST', `${phoneId}/${what}`)).statusCode).toBe(202)
    const { code, reason } = await client.closed()
    expect([code, reason]).toEqual([closings.restarting.code, closings.restarting.reason])
    expect(isWorthRetrying(code)).toBe(true)
    await eventually(() => watch.isOver)
    await eventually(
      async () => (await plane.app.services.phones.get(tenant.caller, phoneId)).status === 'ready',
    )
    const again = await view(token)
    again.client.close()
  })

  it('when the key that created it is revoked [27.12]', async () => {
    const { id, key } = await createKey(plane.app.core, {
      project: tenant.projectId,
      preset: 'agent',
      expires: 'never',
    })
    const token = await newToken(phoneId, {}, key)
    const { client } = await view(token)
    await revokeKey(plane.app.core, id)
    expect((await client.closed()).code).toBe(closings.unknown.code)
    expect((await open(token).closed()).code).toBe(closings.unknown.code)
  })

  it('with the session: parked, deleted, frozen, paused; and so does the link', async () => {
    const { phones } = plane.app.services
    const other = await plane.tenant({ credit: '100' })
    const ends: [number, () => Promise<unknown>][] = [
      [closings.parked.code, () => send('POST', `${id}/park`, other.key)],
      [closings.deleted.code, () => send('DELETE', id, other.key)],
      [closings.frozen.code, () => changeProject(plane.app.core, other.projectId, { frozen: true })],
      [closings.paused.code, () => setPaused(plane.app.core, true)],
    ]
    let id = ''
    for (const [code, end] of ends) {
      id = await readyPhone(plane, other)
      const token = await newToken(id, {}, other.key)
      const { client, watch } = await view(token)
      await end()
      const closed = await client.closed()
      expect(closed.code).toBe(code)
      await eventually(() => watch.isOver)
      await changeProject(plane.app.core, other.projectId, { frozen: false })
      await setPaused(plane.app.core, false)
      expect(isWorthRetrying((await open(token).closed()).code)).toBe(false)
      await phones.delete(other.caller, id)
    }
  })
})
