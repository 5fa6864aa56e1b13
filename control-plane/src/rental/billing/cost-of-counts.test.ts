/** The cost of admission and of the account does not grow with the number of deleted phones. */
import pg from 'pg'
import { beforeAll, expect, it } from 'vitest'
import { rowsRead } from '../../testing/rows-read.js'
import { createBody, useWorld, type Plane, type Tenant } from '../../testing/world.js'
import { lockOwnerAndProject, readUsage } from './account.js'

const many = 100_000
const world = useWorld()
let plane: Plane
beforeAll(async () => {
  plane = await world.start()
  await plane.rack(4)
  // Stops other reads while a test counts.
  await plane.app.quiesce()
})

/** Adds this many deleted phones to the project, each with a session that ended this month. */
async function addDeleted(tenant: Tenant, count: number): Promise<void> {
  const client = new pg.Client({ connectionString: plane.config.databaseUrl })
  await client.connect()
  const { projectId } = tenant
  try {
    // The trigger is disabled, since it would take minutes. A test below covers it.
    await client.query('set session_replication_role = replica')
    await client.query(
      `insert into phones (id, project_id, key_id, name, status, created_at, deleted_at)
       select $1 || '_ph_' || n, $1, $2, 'deleted', 'deleted', now(), now() from generate_series(1, $3::int) n`,
      [projectId, tenant.caller.keyId, count],
    )
    await client.query(
      `insert into sessions (id, phone_id, project_id, started_at, ended_at, end_reason, idle_timeout, max_duration,
         billed_seconds, cost_micros, reserved_micros)
       select $1 || '_ses_' || n, $1 || '_ph_' || n, $1, now(), now(), 'deleted', 300, 900, 60, 1, 900000
       from generate_series(1, $2::int) n`,
      [projectId, count],
    )
    await client.query(
      `insert into uploads (id, project_id, key_id, status, token_hash, size_bytes, created_at, expires_at)
       select $1 || '_upl_' || n, $1, $2, 'deleted', $1 || n, 1000, now() - interval '3 days', now() - interval '2 days'
       from generate_series(1, $3::int) n`,
      [projectId, tenant.caller.keyId, count],
    )
    await client.query(
      `insert into project_months values ($1, date_trunc('month', now() at time zone 'UTC')::date, $2)`,
      [projectId, count],
    )
    await client.query('analyze phones, sessions, uploads, project_months')
  } finally {
    await client.end()
  }
}

it('a create, a start, an upload and the account read as many rows with 100,000 deleted phones as with ten', async () => {
  const [few, lots] = [await plane.tenant(), await plane.tenant()]
  await addDeleted(few, 10)
  await addDeleted(lots, many)
  const { phones, uploads } = plane.app.services
  const tables = /phones|sessions|project_months|uploads/
  for (const work of [
    (tenant: Tenant) => phones.create(tenant.caller, createBody(), null),
    (tenant: Tenant) => phones.account(tenant.caller),
    (tenant: Tenant) => uploads.create(tenant.caller),
    (tenant: Tenant) => phones.list(tenant.caller, { limit: 50, cursor: null, status: null, metadata: null }),
  ]) {
    const rows = await rowsRead(plane, () => work(few), tables)
    expect(await rowsRead(plane, () => work(lots), tables)).toBeLessThanOrEqual(rows + 20)
  }
})

it("the month's spending equals the sum of its sessions after any change", async () => {
  const { projectId } = await plane.tenant()
  const { db } = plane.app.core
  const { keyId } = (await plane.tenant()).caller
  const now = new Date('2026-03-31T23:59:59.999Z')
  const spent = async (at: Date): Promise<bigint> =>
    db.$transaction(
      async (tx) => (await readUsage(tx, await lockOwnerAndProject(tx, projectId), at)).spentThisMonthMicros,
    )
  const costs = [
    { endedAt: new Date('2026-02-28T23:59:59.999Z'), costMicros: 1n },
    { endedAt: new Date('2026-03-01T00:00:00.000Z'), costMicros: 20n },
    { endedAt: now, costMicros: 300n },
    { endedAt: new Date('2026-04-01T00:00:00.000Z'), costMicros: 4000n },
  ]
  const ids: string[] = []
  for (const [index, cost] of costs.entries()) {
    const id = `${projectId}_${index}`
    ids.push(id)
    await db.phone.create({ data: { id, projectId, keyId, name: id, status: 'deleted', createdAt: now } })
    await db.session.create({
      data: {
        id,
        phoneId: id,
        projectId,
        startedAt: new Date('2026-02-01T00:00:00Z'),
        ...cost,

        endReason: 'parked',
        idleTimeout: 300,
        maxDuration: 900,
        billedSeconds: 60,
        reservedMicros: 10_000n,
      },
    })
  }
  expect(await spent(now)).toBe(4320n)
  expect(await spent(new Date('2026-04-01T00:00:00Z'))).toBe(4000n)
  await db.session.update({ where: { id: ids[2] ?? '' }, data: { costMicros: 500n } })
  // The hourly job deletes old sessions; their cost stays.
  await db.session.delete({ where: { id: ids[1] ?? '' } })
  expect(await spent(now)).toBe(4520n)
  expect(await spent(new Date('2026-02-01T00:00:00Z'))).toBe(4521n)
})
