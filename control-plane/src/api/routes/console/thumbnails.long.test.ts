// Thumbnails of phones in the console. The agent is a double; host-agent/src/devices/thumbnails.test.ts has the shared read.
import { type AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { ThumbnailAbsence as Absence, type ThumbnailRequest } from '@phonerack/proto'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { type AgentDouble } from '../../../testing/agent-double.js'
import { oneThumbnail } from '../../../testing/agent-double/screen.js'
import { consoleUser, cookieHeader, type ConsoleClient } from '../../../testing/console-client.js'
import { readyPhone } from '../../../testing/ready-phone.js'
import { eventually, useWorld, type Plane, type Tenant } from '../../../testing/world.js'

const world = useWorld()
let plane: Plane
let agent: AgentDouble
let tenant: Tenant
let phoneId: string
let viewer: ConsoleClient
/** The fields that the agent got. */
let asked: Pick<ThumbnailRequest, 'knownTag' | 'withTyped'>[] = []
beforeAll(async () => {
  plane = await world.start({ env: { PHONERACK_ACTIVITY_ACCURACY: '1' } })
  agent = await plane.rack(4, { beatMs: 200 })
  tenant = await plane.tenant({ credit: '1000' })
  phoneId = await readyPhone(plane, tenant)
  viewer = (await consoleUser(plane, { role: 'viewer', projectId: tenant.projectId })).client
})
beforeEach(() => {
  asked = []
  answerWith(oneThumbnail)
})

/** Sets the answer of the agent, and collects the requests. */
function answerWith(answer: AgentDouble['onThumbnail']): void {
  agent.onThumbnail = (request, cancelled) => {
    asked.push({ knownTag: request.knownTag, withTyped: request.withTyped })
    return answer(request, cancelled)
  }
}
const none = (absence: Absence) => () => ({ image: Buffer.alloc(0), tag: '', absence })
/** Answers like an agent after something was typed. */
const typed: AgentDouble['onThumbnail'] = (request) =>
  request.withTyped ? oneThumbnail(request) : none(Absence.THUMBNAIL_ABSENCE_TYPED)()

const ask = (tag?: string, client = viewer, phone = phoneId) =>
  client.ask('GET', `/projects/${tenant.projectId}/phones/${phone}/thumbnail`, {
    headers: { 'if-none-match': tag },
  })
const codeOf = ({ body }: { body: Record<string, unknown> }) => (body['error'] as { code: string }).code
const v1 = (method: 'POST' | 'GET' | 'DELETE', path: string, payload?: object) =>
  plane.server.inject({
    method,
    url: `/v1/phones/${phoneId}${path}`,
    headers: { authorization: `Bearer ${tenant.key}` },
    ...(payload ? { payload } : {}),
  })

it('is a picture that no cache and no page of others can use, and costs nothing while it is unchanged', async () => {
  const first = await ask()
  expect([first.status, first.bytes.toString()]).toEqual([200, 'a picture'])
  expect(first.headers).toMatchObject({
    'content-type': 'image/webp',
    etag: '"tag-1"',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
    'content-security-policy': "default-src 'none'; sandbox",
  })
  const again = await ask('"tag-1"')
  expect([again.status, again.bytes.length, again.headers['etag']]).toEqual([304, 0, '"tag-1"'])
  expect((await ask('"another"')).status).toBe(200)
  for (const wrong of ['*', 'W/"tag-1"', '"tag-1", "tag-2"', `"${'x'.repeat(10_000)}"`, '"<script>"'])
    expect((await ask(wrong)).status).toBe(200)
  expect(asked.map(({ knownTag }) => knownTag)).toEqual(['', 'tag-1', 'another', '', '', '', '', ''])
})

it('says why there is none', async () => {
  for (const [absence, why] of [
    [Absence.THUMBNAIL_ABSENCE_BUSY, 'busy'],
    [Absence.THUMBNAIL_ABSENCE_TYPED, 'typed'],
    [Absence.THUMBNAIL_ABSENCE_SECURE, 'secure'],
    [Absence.THUMBNAIL_ABSENCE_ASLEEP, 'asleep'],
    [Absence.THUMBNAIL_ABSENCE_UNREADABLE, 'unreadable'],
    [Absence.THUMBNAIL_ABSENCE_UNSPECIFIED, 'unreadable'],
  ] as const) {
    answerWith(none(absence))
    const { status, headers, bytes } = await ask()
    expect([status, headers['x-thumbnail'], bytes.length]).toEqual([204, why, 0])
  }
})

it('refuses an answer that is too large or has no valid tag', async () => {
  const absence = Absence.THUMBNAIL_ABSENCE_UNSPECIFIED
  for (const answer of [
    { image: Buffer.alloc(40_001), tag: 'tag-1', absence },
    { image: Buffer.from('x'), tag: 'a"\r\nset-cookie: x', absence },
  ]) {
    answerWith(() => answer)
    expect((await ask()).status).toBe(502)
  }
})

it('is no longer read once its page is closed', async () => {
  await plane.server.listen({ host: '127.0.0.1', port: 0 })
  const { port } = plane.server.server.address() as AddressInfo
  let cancelledCalls = 0
  answerWith((request, cancelled) => {
    cancelled.addEventListener('abort', () => (cancelledCalls += 1))
    return new Promise((resolve) => setTimeout(() => resolve(oneThumbnail(request)), 7000))
  })
  const url = `http://127.0.0.1:${port}/console/api/projects/${tenant.projectId}/phones/${phoneId}/thumbnail`
  // A machine that stalls may cancel later than the deadline, which proves nothing.
  for (let tries = 1; tries <= 3 && cancelledCalls === 0; tries += 1) {
    const closing = new AbortController()
    const answer = fetch(url, { headers: { cookie: cookieHeader(viewer) }, signal: closing.signal })
    answer.catch(() => undefined)
    await eventually(() => asked.length === tries)
    expect(cancelledCalls).toBe(0)
    closing.abort()
    await expect(answer).rejects.toThrow(/aborted/)
    await pause(2000)
  }
  expect(cancelledCalls).toBe(1)
})

it('is not activity, and is not in the list of activity', async () => {
  const find = () => plane.app.core.db.phone.findUniqueOrThrow({ where: { id: phoneId } })
  const before = (await find()).lastActiveAt
  const entries = await plane.app.core.db.activity.count()
  await pause(1500)
  expect((await ask()).status).toBe(200)
  expect((await find()).lastActiveAt).toEqual(before)
  expect(await plane.app.core.db.activity.count()).toBe(entries)
})

it('is refused for a phone of another project, or that is not ready', async () => {
  const other = await plane.tenant({ credit: '10' })
  const { client } = await consoleUser(plane, { role: 'owner', projectId: other.projectId })
  const path = `/projects/${other.projectId}/phones/${phoneId}/thumbnail`
  expect((await client.ask('GET', path)).status).toBe(404)
  const parked = await readyPhone(plane, tenant)
  await plane.app.services.phones.park(tenant.caller, parked)
  await eventually(
    async () => (await plane.app.services.phones.get(tenant.caller, parked)).status === 'parked',
  )
  const refused = await ask(undefined, viewer, parked)
  expect([refused.status, codeOf(refused)]).toEqual([409, 'phone_not_running'])
  expect(asked).toEqual([])
})

it('is refused to a user who was just removed, and no cache keeps any answer', async () => {
  const { client, userId } = await consoleUser(plane, { role: 'viewer', projectId: tenant.projectId })
  const first = await ask(undefined, client)
  const unchanged = await ask('"tag-1"', client)
  answerWith(none(Absence.THUMBNAIL_ABSENCE_SECURE))
  const absent = await ask(undefined, client)
  await plane.app.core.db.member.deleteMany({ where: { userId } })
  asked = []
  const removed = await ask(undefined, client)
  expect(asked).toEqual([])
  const answers = [first, unchanged, absent, removed]
  expect(answers.map(({ status }) => status)).toEqual([200, 304, 204, 404])
  for (const { headers } of answers) expect(headers['cache-control']).toBe('no-store')
})

it('gives the same answer for a phone of another project as for an unknown phone', async () => {
  const other = await plane.tenant({ credit: '10' })
  const { client } = await consoleUser(plane, { role: 'owner', projectId: other.projectId })
  const answerFor = async (id: string) => {
    const { status, body } = await client.ask('GET', `/projects/${other.projectId}/phones/${id}/thumbnail`)
    const { request_id: requestId } = body['error'] as { request_id: string }
    return JSON.stringify([status, body]).replaceAll(id, 'ID').replace(requestId, '')
  }
  expect(await answerFor(phoneId)).toBe(await answerFor('ph_aaaaaaaaaaaa'))
  expect(asked).toEqual([])
})

it('is refused while a person controls the phone, for members too', async () => {
  const { client } = await consoleUser(plane, { role: 'member', projectId: tenant.projectId })
  const at = `/projects/${tenant.projectId}/phones/${phoneId}/control`
  const taken = await client.ask('POST', at, { body: {} })
  for (const each of [client, viewer]) {
    const refused = await ask(undefined, each)
    expect([refused.status, codeOf(refused)]).toEqual([409, 'phone_controlled'])
  }
  expect(asked).toEqual([])
  const { id } = (taken.body as { control: { id: string } }).control
  await client.ask('POST', `${at}/${id}/end`, { body: { note: '' } })
  expect((await ask()).status).toBe(200)
})

it('is shown for a phone that was typed on only where the project keeps typed text', async () => {
  const keep = (stepsText: boolean) =>
    plane.app.core.db.project.update({ where: { id: tenant.projectId }, data: { stepsText } })
  answerWith(typed)
  expect((await ask()).headers['x-thumbnail']).toBe('typed')
  await keep(true)
  expect((await ask()).status).toBe(200)
  expect(asked.map(({ withTyped }) => withTyped)).toEqual([false, false, true])
  await keep(false)
  // The agent forgot the typed text at a restart, but this replica had sent it.
  answerWith(oneThumbnail)
  const batch = await v1('POST', '/actions', {
    actions: [{ type: 'type', text: 'hunter2' }],
    observe: 'none',
  })
  expect(batch.statusCode).toBe(200)
  asked = []
  expect((await ask()).headers['x-thumbnail']).toBe('typed')
  expect(asked).toEqual([])
})

it('has a separate limit for each user', async () => {
  // A minute that does not end during the test.
  const start = new Date()
  const still = await world.start({ clock: { now: () => start } })
  const { projectId } = await still.tenant()
  const { client } = await consoleUser(still, { role: 'viewer', projectId })
  const phones = `/projects/${projectId}/phones`
  const counts = new Map<number, number>()
  for (let round = 0; round < 19; round += 1) {
    const answers = Array.from({ length: 50 }, () => client.ask('GET', `${phones}/ph_none/thumbnail`))
    for (const { status } of await Promise.all(answers)) counts.set(status, (counts.get(status) ?? 0) + 1)
  }
  expect(counts.get(429)).toBe(50)
  expect(counts.get(404)).toBe(900)
  expect((await client.ask('GET', phones)).status).toBe(200)
  await still.close()
})

it('waits for at most 24 at the same time', async () => {
  const { client } = await consoleUser(plane, { role: 'viewer', projectId: tenant.projectId })
  let end = (): void => undefined
  const held = new Promise<void>((resolve) => (end = resolve))
  const another = await readyPhone(plane, tenant)
  agent.onCall = (name) => (name === 'thumbnail' ? held : Promise.resolve())
  const answers = Array.from({ length: 25 }, () => ask(undefined, client, another))
  const first = await Promise.race(answers)
  expect([first.status, codeOf(first)]).toEqual([429, 'rate_limited'])
  agent.onCall = () => Promise.resolve()
  end()
  const statuses = (await Promise.all(answers)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 200)).toHaveLength(24)
})
