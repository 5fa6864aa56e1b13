// Replicas whose clocks are an hour off, and step while they run. Runs with real processes, Postgres, broker
// and gRPC; the agent is a double.
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type AgentDouble } from '../../testing/agent-double.js'
import { startReplica, type ReplicaProcess } from '../../testing/replica.js'
import { createBody, eventually, useWorld, type Plane, type Tenant } from '../../testing/world.js'

const hour = 3_600_000
const lostAfter = 4
const env = { PHONERACK_HOST_LATE_AFTER: '2', PHONERACK_HOST_LOST_AFTER: String(lostAfter) }
const preload = pathToFileURL(path.resolve(import.meta.dirname, '../../testing/shifted-clock.mjs')).href

const world = useWorld()
let plane: Plane
let agent: AgentDouble
let tenant: Tenant
let replicas: ReplicaProcess[] = []

beforeAll(async () => {
  plane = await world.start({ env })
  agent = await plane.rack(2, { beatMs: 200 })
  tenant = await plane.tenant()
  replicas = await Promise.all([
    startReplica(plane, 'ahead', env, preload),
    startReplica(plane, 'behind', env, preload),
  ])
})
afterAll(async () => {
  for (const replica of replicas) await replica.stop()
})

const call = async (replica: ReplicaProcess | undefined, method: string, url: string, body?: object) => {
  const response = await fetch(`${replica?.origin}/v1${url}`, {
    method,
    headers: {
      authorization: `Bearer ${tenant.key}`,
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

it('sessions survive a clock step of ±1 h in one process while heartbeats arrive', async () => {
  const { phones } = plane.app.services
  const { phone } = await phones.create(tenant.caller, createBody(), null)
  await eventually(async () => (await phones.get(tenant.caller, phone.id)).status === 'ready')
  const [ahead, behind] = replicas
  ahead?.tell(String(hour))
  behind?.tell(String(-hour))
  // This wait is longer than a host may be silent, and longer than a replica listens before it judges
  // silence.
  await new Promise((resolve) => setTimeout(resolve, (2 * lostAfter + 3) * 1000))
  expect((await phones.get(tenant.caller, phone.id)).status).toBe('ready')
  for (const replica of replicas) {
    expect((await call(replica, 'GET', `/phones/${phone.id}/observe`)).status).toBe(200)
    expect((await call(replica, 'POST', `/phones/${phone.id}/heartbeat`)).status).toBe(200)
    const alarms = replica.errors.filter((line) => line.includes('clock_skewed'))
    expect(alarms).toHaveLength(1)
  }
  expect((await phones.get(tenant.caller, phone.id)).status).toBe('ready')

  // A session that one replica begins and the other ends is billed for its duration.
  const made: Awaited<ReturnType<typeof call>>[] = []
  // A stall of this machine of a few seconds makes the host look silent: the service then has no phone for a
  // moment.
  await eventually(
    async () => made.unshift(await call(ahead, 'POST', '/phones', {})) > 0 && made[0]?.status !== 503,
  )
  expect([201, 202]).toContain(made[0]?.status)
  const id = String(made[0]?.body['id'])
  await eventually(async () => (await phones.get(tenant.caller, id)).status === 'ready')
  expect((await call(behind, 'POST', `/phones/${id}/park`)).status).toBe(200)
  const [session] = (await phones.sessions(tenant.caller, id, { limit: 1, cursor: null })).data
  expect(session?.billedSeconds).toBe(60)
  expect(Math.abs((session?.startedAt.getTime() ?? 0) - Date.now())).toBeLessThan(120_000)
  await phones.delete(tenant.caller, id)

  // The session still ends when the host is silent, through the replica whose clock is right.
  agent.pause()
  await eventually(async () => (await phones.get(tenant.caller, phone.id)).status === 'unavailable')
  agent.resume()
})
