/** Streams of clients that do not read, and the limit of a project, over real sockets. */
import { once } from 'node:events'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { errorOf, startApi, type TestApi } from '../../../testing/api.js'
import { openEvents } from '../../../testing/event-stream.js'
import { eventually } from '../../../testing/world.js'

let base: TestApi
let api: TestApi
beforeAll(async () => {
  base = await startApi({ devices: 0 })
  api = await base.beside({ eventStallMs: 1000, eventStreamsPerProject: 3 })
  await api.app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(() => base.close())

const connections = (): Promise<number> =>
  new Promise((resolve, reject) => {
    api.app.server.getConnections((error, count) => (error ? reject(error) : resolve(count)))
  })

/** A client that never reads more than the head of the answer. */
async function openIdle(lastEventId: string): Promise<Socket> {
  const socket = connect((api.app.server.address() as AddressInfo).port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write(
    `GET /v1/events HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${api.key}\r\n` +
      `Accept: text/event-stream\r\nLast-Event-ID: ${lastEventId}\r\n\r\n`,
  )
  await once(socket, 'readable')
  return socket
}

it('ends the stream of a client that does not read, and no other [41.21]', async () => {
  const { db } = base.plane.app.core
  const first = 'evt_aaaaaaaaaaaa'
  // More than all buffers between the two take.
  await db.$executeRaw`with state as (
      update event_state set last_number = last_number + 4001 where id = 1 returning last_number - 4001 as first)
    insert into events (number, id, project_id, type, created_at, data)
    select first + each, case each when 1 then ${first} else new_event_id() end, ${api.tenant.projectId}, 'balance.low',
      now(), jsonb_build_object('balance', jsonb_build_object('text', repeat('a', 10000)))
    from state, generate_series(1, 4001) as each`
  const reading = await openEvents(api.app, api.key)
  await eventually(() => reading.lastId !== null)
  const idle = await openIdle(first)
  try {
    await eventually(async () => (await connections()) === 2)
    await eventually(async () => (await connections()) === 1)
    // No event occurs for longer than the time in which a client must read.
    await new Promise((resolve) => setTimeout(resolve, 1500))
    await db.$queryRaw`select write_event(${api.tenant.projectId}, null, 'balance.low', '{"balance": {}}')::text as written`
    await eventually(() => reading.frames.length === 1)
  } finally {
    idle.destroy()
    reading.close()
  }
})

it('refuses a stream above the limit of the project, with any of its keys [41.22]', async () => {
  const streams = [
    await openEvents(api.app, api.key),
    await openEvents(api.app, api.key),
    await openEvents(api.app, await api.keyOf('read-only')),
  ]
  expect(streams.map(({ status }) => status)).toEqual([200, 200, 200])
  const refused = await api.app.inject({
    url: '/v1/events',
    headers: { authorization: `Bearer ${await api.keyOf('agent')}`, accept: 'text/event-stream' },
  })
  const { message, details } = errorOf(refused, 429, 'rate_limited')
  expect([message, details]).toEqual([
    'The keys of the project already follow 3 streams of events.',
    expect.objectContaining({ limit: 3 }),
  ])
  streams.pop()?.close()
  await eventually(async () => {
    const stream = await openEvents(api.app, api.key)
    streams.push(stream)
    return stream.status === 200
  })
  for (const stream of streams) stream.close()
})
