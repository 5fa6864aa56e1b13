// Streams of changes for the console's pages, over real sockets.
import { type AddressInfo } from 'node:net'
import { beforeAll, expect, it } from 'vitest'
import { consoleUser, cookieHeader, type ConsoleClient } from '../../../testing/console-client.js'
import { createBody, eventually, useWorld, type Plane, type Tenant } from '../../../testing/world.js'

const world = useWorld()
let plane: Plane
let tenant: Tenant
beforeAll(async () => {
  plane = await world.start()
  await plane.rack(2)
  tenant = await plane.tenant()
  await plane.server.listen({ host: '127.0.0.1', port: 0 })
})

async function openChanges(
  client: ConsoleClient,
  headers: Record<string, string> = {},
  path = `/projects/${tenant.projectId}/changes`,
) {
  const { port } = plane.server.server.address() as AddressInfo
  const leaving = new AbortController()
  const response = await fetch(`http://127.0.0.1:${port}/console/api${path}`, {
    headers: { accept: 'text/event-stream', cookie: cookieHeader(client), ...headers },
    signal: leaving.signal,
  })
  const read = { text: '' }
  const ended = (async () => {
    for await (const part of response.body ?? []) read.text += new TextDecoder().decode(part as Uint8Array)
  })().catch(() => undefined)
  return { response, read, ended, close: () => leaving.abort() }
}

it('says that a phone changed, and nothing about it, from the last change on', async () => {
  const { client } = await consoleUser(plane, { role: 'viewer', projectId: tenant.projectId })
  const stream = await openChanges(client)
  expect(stream.response.headers.get('content-type')).toContain('text/event-stream')
  await eventually(() => stream.read.text.includes('id: '))
  const { phone } = await plane.app.services.phones.create(
    tenant.caller,
    createBody({ name: 'secret name' }),
    null,
  )
  await eventually(() => stream.read.text.includes(`{"type":"phone.ready","phone_id":"${phone.id}"}`))
  expect(stream.read.text).not.toContain('secret name')
  const [, first = ''] = /id: (evt_\w+)\ndata: \{"type":"phone.created"/.exec(stream.read.text) ?? []
  stream.close()
  const later = await openChanges(client, { 'last-event-id': first })
  await eventually(() => later.read.text.includes(`{"type":"phone.ready","phone_id":"${phone.id}"}`))
  expect(later.read.text).not.toContain('phone.created')
  later.close()
})

it('is a stream, for at most twelve pages of a user', async () => {
  const { client } = await consoleUser(plane, { role: 'member', projectId: tenant.projectId })
  expect((await client.ask('GET', `/projects/${tenant.projectId}/changes`)).status).toBe(400)
  expect((await client.ask('GET', '/changes')).status).toBe(400)
  const streams = await Promise.all([
    ...Array.from({ length: 6 }, () => openChanges(client)),
    ...Array.from({ length: 6 }, () => openChanges(client, {}, '/changes')),
  ])
  expect(streams.map(({ response }) => response.status)).toEqual(Array(12).fill(200))
  for (const path of [undefined, '/changes']) {
    const refused = await openChanges(client, {}, path)
    await refused.ended
    expect([refused.response.status, refused.read.text]).toEqual([
      429,
      expect.stringContaining('You already have 12 pages open.'),
    ])
  }
  for (const stream of streams) stream.close()
  await eventually(async () => {
    const again = await openChanges(client)
    again.close()
    return again.response.status === 200
  })
})

/** Each change of a stream about all projects: the IDs of the projects. */
const changedIn = (text: string): string[][] =>
  [...text.matchAll(/^data: (.*)$/gm)].map(
    ([, data = '']) => (JSON.parse(data) as { project_ids: string[] }).project_ids,
  )
const lastId = (text: string): string => [...text.matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? ''
const happenIn = ({ projectId }: Tenant) =>
  plane.app.core.db
    .$queryRaw`select write_event(${projectId}, null, 'balance.low', '{"balance": {"secret": 1}}')::text as written`

it('says in which of all projects of a user something happened, by one stream, until they are removed', async () => {
  const [lab, others] = [await plane.tenant(), await plane.tenant()]
  const { client, userId } = await consoleUser(plane, { role: 'viewer', projectId: tenant.projectId })
  const { db } = plane.app.core
  const join = ({ projectId }: Tenant) =>
    db.member.create({ data: { projectId, userId, role: 'viewer', createdAt: new Date() } })
  await join(lab)
  const stream = await openChanges(client, {}, '/changes')
  expect(stream.response.headers.get('content-type')).toContain('text/event-stream')
  await eventually(() => lastId(stream.read.text) !== '')
  await happenIn(others)
  await happenIn(lab)
  await eventually(() => changedIn(stream.read.text).length === 1)
  await happenIn(tenant)
  await eventually(() => changedIn(stream.read.text).length === 2)
  expect(changedIn(stream.read.text)).toEqual([[lab.projectId], [tenant.projectId]])
  expect(stream.read.text).not.toMatch(/secret|balance/)

  // The stream includes a project that the user joins, and no longer a project that the user leaves.
  await db.member.delete({ where: { projectId_userId: { projectId: lab.projectId, userId } } })
  await join(others)
  await happenIn(lab)
  await happenIn(others)
  await happenIn(tenant)
  await eventually(() => changedIn(stream.read.text).flat().includes(others.projectId))
  expect(changedIn(stream.read.text).slice(2).flat()).not.toContain(lab.projectId)

  // A client that reconnects gets the missed changes; a client with an unknown position reads everything again.
  stream.close()
  const position = lastId(stream.read.text)
  await happenIn(others)
  await happenIn(lab)
  const again = await openChanges(client, { 'last-event-id': position }, '/changes')
  await eventually(() => changedIn(again.read.text).length > 0)
  expect(changedIn(again.read.text)[0]).toContain(others.projectId)
  expect(changedIn(again.read.text).flat()).not.toContain(lab.projectId)
  again.close()
  const lost = await openChanges(client, { 'last-event-id': 'evt_aaaaaaaaaaaa' }, '/changes')
  await eventually(() => changedIn(lost.read.text).length > 0)
  expect(changedIn(lost.read.text)[0]).toEqual([tenant.projectId, others.projectId])
  lost.close()
  const { client: thief } = await consoleUser(plane, { role: 'viewer', projectId: tenant.projectId })
  const stolen = await openChanges(thief, { 'last-event-id': position }, '/changes')
  expect(stolen.response.status).toBe(400)
})

it('tells an operator only about projects in which they are a member', async () => {
  const { client } = await consoleUser(plane, { role: 'operator' })
  const stream = await openChanges(client, {}, '/changes')
  await eventually(() => lastId(stream.read.text) !== '')
  const own = await client.ask('POST', '/projects', { body: { name: 'Own' } })
  const projectId = String(own.body['id'])
  await happenIn(tenant)
  stream.close()
  const again = await openChanges(client, { 'last-event-id': lastId(stream.read.text) }, '/changes')
  await eventually(() => lastId(again.read.text) !== '')
  await happenIn({ ...tenant, projectId })
  await eventually(() => changedIn(again.read.text).length > 0)
  expect(changedIn(again.read.text)).toEqual([[projectId]])
  again.close()
})

it('lists the phones of one key, or with one pair of metadata', async () => {
  const { phones } = plane.app.services
  const made = await phones.create(tenant.caller, createBody({ metadata: { team: 'a=b' } }), null)
  const { client } = await consoleUser(plane, { role: 'viewer', projectId: tenant.projectId })
  const idsOf = async (query: string) => {
    const { status, body } = await client.ask('GET', `/projects/${tenant.projectId}/phones?${query}`)
    return status === 200 ? (body['data'] as { id: string }[]).map(({ id }) => id) : status
  }
  expect(await idsOf(`metadata=${encodeURIComponent('team=a=b')}`)).toEqual([made.phone.id])
  expect(await idsOf('metadata=team%3Da')).toEqual([])
  expect(await idsOf('metadata=team')).toBe(400)
  expect(await idsOf(`key=${tenant.caller.keyId}`)).toContain(made.phone.id)
  expect(await idsOf('key=key_aaaaaaaaaaaa')).toEqual([])
  expect(await idsOf("key=' or 1=1 --")).toEqual([])
})

it('ends when the server stops', async () => {
  const { client } = await consoleUser(plane, { role: 'viewer', projectId: tenant.projectId })
  const stream = await openChanges(client)
  await eventually(() => stream.read.text.includes('id: '))
  await plane.server.close()
  await stream.ended
})
