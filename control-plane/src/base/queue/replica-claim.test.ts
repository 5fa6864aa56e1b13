// Two processes with one replica ID, over real Postgres: neither takes the jobs of the other.
import { beforeAll, expect, it } from 'vitest'
import { createBody, eventually, useWorld, type Plane } from '../../testing/world.js'
import { ReplicaClaim } from './replica-claim.js'

const world = useWorld()
let plane: Plane
beforeAll(async () => {
  plane = await world.start({ replicaId: 'same' })
})

it('runs a job once when a second replica starts with the ID of the first', async () => {
  const agent = await plane.rack(2, { beatMs: 200 })
  const { db } = plane.app.core
  let starts = 0
  let release = (): void => undefined
  for (const device of agent.devices.values())
    device.onStart = () => {
      starts += 1
      return starts === 1 ? new Promise((resolve) => (release = resolve)) : Promise.resolve()
    }
  const tenant = await plane.tenant()
  const { phones } = plane.app.services
  const first = await phones.create(tenant.caller, createBody(), null)
  await eventually(() => starts === 1)
  const beside = await world.start({ beside: plane, replicaId: 'same' })
  const ids = (await db.replica.findMany({ orderBy: { id: 'asc' } })).map(({ id }) => id)
  expect(ids).toEqual(['same', expect.stringMatching(/^same-[0-9a-f]{12}$/)])
  // Both replicas query for jobs now, so either replica may run this job.
  const second = await beside.app.services.phones.create(tenant.caller, createBody(), null)
  const isReady = ({ status }: { status: string }) => status === 'ready'
  await phones.wait(second.phone.id, isReady, 30_000, new AbortController().signal)
  expect(starts).toBe(2)
  release()
  const ready = await phones.wait(first.phone.id, isReady, 30_000, new AbortController().signal)
  expect([ready.status, starts]).toEqual(['ready', 2])
})

it('passes the ID immediately to the next process after one ended, and takes another when the ID is lost', async () => {
  const { databaseUrl } = plane.config
  const { db, log } = plane.app.core
  const first = await ReplicaClaim.take(databaseUrl, 'restarted', log)
  await first.release()
  const second = await ReplicaClaim.take(databaseUrl, 'restarted', log)
  expect(second.id).toBe('restarted')
  await db.$queryRaw`select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'phonerack-replica' and datname = current_database()
    and pid in (select pid from pg_locks where locktype = 'advisory')`
  const third = await ReplicaClaim.take(databaseUrl, 'restarted', log)
  expect(third.id).toBe('restarted')
  await eventually(async () => {
    await second.keep()
    return second.id !== 'restarted'
  })
  expect(second.id).toMatch(/^restarted-[0-9a-f]{12}$/)
  await Promise.all([second.release(), third.release()])
})
