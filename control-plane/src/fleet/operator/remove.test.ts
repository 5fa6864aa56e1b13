// Places that a device has left, and retired hosts, are removed from the lists. Nothing else is removed.
import { newId } from '@phonerack/shared'
import { beforeAll, expect, it } from 'vitest'
import { eventually, useWorld, type Plane } from '../../testing/world.js'

const world = useWorld()
let plane: Plane
beforeAll(async () => {
  plane = await world.start()
})

async function call(method: 'GET' | 'POST' | 'DELETE', path: string, payload?: object) {
  const answer = await plane.operator.inject({
    method,
    url: `/operator/v1${path}`,
    headers: { authorization: `Bearer ${plane.operatorToken}` },
    ...(payload ? { payload } : {}),
  })
  return { status: answer.statusCode, body: answer.json<Record<string, unknown>>() }
}
const idsOf = async (path: string) =>
  ((await call('GET', path)).body['data'] as { id: string }[]).map(({ id }) => id)

it('removes a place that its host does not report, and refuses a place in use', async () => {
  const { db } = plane.app.core
  const agent = await plane.rack(1, { beatMs: 200 })
  const [enrolled] = await db.device.findMany({ where: { hostId: agent.hostId } })
  const place = async (state: string, link: string) => {
    const id = newId('device')
    await db.device.create({ data: { id, hostId: agent.hostId, serial: id, state, link } })
    return id
  }
  const left = await place('unenrolled', 'absent')
  const quarantined = await place('quarantined', 'absent')
  agent.addDevice('new')
  const reported = async () => db.device.findFirst({ where: { serial: 'new' } })
  await eventually(async () => (await reported()) !== null)
  const seen = (await reported())?.id ?? ''
  expect((await call('DELETE', `/devices/${left}`)).body).toEqual({ id: left, removed: true })
  for (const id of [quarantined, seen, enrolled?.id ?? ''])
    expect([id, (await call('DELETE', `/devices/${id}`)).status]).toEqual([id, 400])
  expect((await call('DELETE', `/devices/${left}`)).status).toBe(404)
  expect((await idsOf('/devices')).sort()).toEqual([quarantined, seen, enrolled?.id ?? ''].sort())
})

it('removes a retired host, and still refuses its machine', async () => {
  const { db } = plane.app.core
  const agent = await plane.agent('old rack', { beatMs: 200 })
  const { hostId } = agent
  expect((await call('DELETE', `/hosts/${hostId}`)).status).toBe(400)
  await call('POST', `/hosts/${hostId}/retire`)
  expect(await idsOf('/hosts?all=true')).toContain(hostId)
  expect((await call('DELETE', `/hosts/${hostId}`)).body).toEqual({ id: hostId, removed: true })
  expect(await idsOf('/hosts?all=true')).not.toContain(hostId)
  for (const [method, path] of [
    ['DELETE', `/hosts/${hostId}`],
    ['POST', `/hosts/${hostId}/rejoin`],
    ['POST', `/hosts/${hostId}/retire`],
  ] as const)
    expect([path, (await call(method, path)).status]).toEqual([path, 404])
  // The host's NATS user stays in the list of users that the broker refuses.
  expect(await db.host.count({ where: { id: hostId, retiredAt: { not: null } } })).toBe(1)
  expect(await db.device.count({ where: { hostId } })).toBe(0)
})
