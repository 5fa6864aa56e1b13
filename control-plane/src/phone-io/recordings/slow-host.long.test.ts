/**
 * Transfers from a host that sends no data, and from another host. Runs with real Postgres, jobs, files and
 * gRPC; the agents are doubles.
 */
import { ApiError } from '@phonerack/shared'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AgentDouble } from '../../testing/agent-double.js'
import {
  createBody,
  eventually,
  startWorld,
  type Plane,
  type Tenant,
  type World,
} from '../../testing/world.js'
import { createTransfers } from './transfers.js'

let world: World
let plane: Plane
let hung: AgentDouble
let honest: AgentDouble
let tenants: Tenant[]
beforeAll(async () => {
  world = startWorld()
  plane = await world.start()
  hung = await plane.rack(14, { country: 'DE' })
  honest = await plane.rack(2, { country: 'US' })
  tenants = await Promise.all([1, 2, 3, 4, 5, 6, 7].map(() => plane.tenant()))
})
afterAll(() => world.stop(), 60_000)

/** Makes a recording. Returns its ID once the recording's host has stopped it. */
async function record(tenant: Tenant, country: string): Promise<string> {
  const { phones, recordings } = plane.app.services
  const { phone } = await phones.create(tenant.caller, createBody({ country, maxDuration: 3600 }), null)
  await eventually(async () => (await phones.get(tenant.caller, phone.id)).status === 'ready')
  const context = { requestId: 'req_aaaaaaaaaaaa', signal: new AbortController().signal }
  const { id } = await recordings.start(tenant.caller, phone.id, null, context)
  await recordings.stop(tenant.caller, phone.id, id, context)
  return id
}
const statusOf = async (id: string): Promise<string> =>
  (await plane.app.core.db.recording.findUniqueOrThrow({ where: { id } })).status

it('a host that sends no bytes delays neither the recordings of another host nor the recordings of a project that uses both hosts', async () => {
  let reading = 0
  let end = (): void => undefined
  const over = new Promise<void>((resolve) => (end = resolve))
  hung.recordings.onRead = async () => {
    reading += 1
    await over
    reading -= 1
    throw new ApiError('phone_unavailable')
  }
  const slow = await Promise.all(tenants.flatMap((tenant) => [record(tenant, 'DE'), record(tenant, 'DE')]))
  for (const id of slow) hung.recordings.finish(id)
  await eventually(() => reading >= 4)
  await new Promise((resolve) => setTimeout(resolve, 3000))
  expect(reading).toBe(4)

  const [tenant] = tenants
  if (!tenant) throw new Error('there is no tenant')
  const quick = await Promise.all([record(tenant, 'US'), record(tenant, 'US')])
  for (const id of quick) honest.recordings.finish(id)
  const begun = performance.now()
  await eventually(
    async () => (await Promise.all(quick.map(statusOf))).every((status) => status === 'ready'),
    15_000,
  )
  process.stdout.write(
    `two recordings of the other host came in ${Math.round(performance.now() - begun)} ms\n`,
  )
  expect(reading).toBe(4)

  hung.recordings.onRead = null
  end()
  await eventually(
    async () => (await Promise.all(slow.map(statusOf))).every((status) => status === 'ready'),
    60_000,
  )
})

describe('transfers', () => {
  it('are limited to two per project from one host, and one more from another host', async () => {
    const transfers = createTransfers(12)
    let end = (): void => undefined
    const over = new Promise<void>((resolve) => (end = resolve))
    const under = [1, 2].map(() => transfers.run('one', 'a', () => over.then(() => null)))
    const now = (project: string, host: string) => transfers.run(project, host, () => Promise.resolve(null))
    expect(await now('one', 'a')).toBe('turn')
    expect(await now('one', 'b')).toBeNull()
    expect(await now('two', 'a')).toBeNull()
    end()
    await Promise.all(under)
    expect(
      await transfers.run('one', 'a', () => Promise.reject(new Error('cut')).catch(() => null)),
    ).toBeNull()
    expect(await now('one', 'a')).toBeNull()
  })

  it('are limited to four of one host, for all projects together', async () => {
    const transfers = createTransfers(12)
    const hang = () =>
      Promise.race([transfers.run('p1', 'a', () => new Promise(() => undefined)), Promise.resolve()])
    await hang()
    await hang()
    for (const project of ['p2', 'p3', 'p4', 'p5', 'p6'])
      await Promise.race([transfers.run(project, 'a', () => new Promise(() => undefined)), Promise.resolve()])
    expect(await transfers.run('p7', 'a', () => Promise.resolve(null))).toBe('turn')
    expect(await transfers.run('p7', 'b', () => Promise.resolve(null))).toBeNull()
  })
})
