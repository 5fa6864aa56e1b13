// Streams of changes for the console's pages, over real sockets.
import { type AddressInfo } from 'node:net'
import { beforeAll, expect, it } from 'vitest'
import { consoleUser, type ConsoleClient } from '../../testing/console-client.js'
import { createBody, eventually, useWorld, type Plane, type Tenant } from '../../testing/world.js'

const world = useWorld()
let plane: Plane
let tenant: Tenant
beforeAll(async () => {
  plane = await world.start()
  await plane.rack(2)
  tenant = await plane.tenant()
  await plane.server.listen({ host: '127.0.0.1', port: 0 })
})

async function openChanges(client: ConsoleClient, headers: Record<string, string> = {}) {
  const { port } = plane.server.server.address() as AddressInfo
  const leaving = new AbortController()
  const response = await fetch(`http://127.0.0.1:${port}/console/api/projects/${tenant.projectId}/changes`, {
    headers: {
      accept: 'text/event-stream',
      cookie: [...client.cookies].map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('; '),
      ...headers,
    },
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
  const streams = await Promise.all(Array.from({ length: 12 }, () => openChanges(client)))
  expect(streams.map(({ response }) => response.status)).toEqual(Array(12).fill(200))
  const refused = await openChanges(client)
  await refused.ended
  expect([refused.response.status, refused.read.text]).toEqual([
    429,
    expect.stringContaining('You already have 12 pages open.'),
  ])
  for (const stream of streams) stream.close()
  await eventually(async () => {
    const again = await openChanges(client)
    again.close()
    return again.response.status === 200
  })
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
