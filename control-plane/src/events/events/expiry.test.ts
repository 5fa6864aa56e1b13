/** The expiry of many events with deliveries, on real Postgres. */
import { newId } from '@phonerack/shared'
import pg from 'pg'
import { beforeAll, describe, expect, it } from 'vitest'
import { forget } from '../../fleet/jobs/reconcile.js'
import { eventually, useWorld, type Plane, type Tenant } from '../../testing/world.js'
import { expireEvents } from './expiry.js'
import { readState } from './reads.js'

const world = useWorld()
let plane: Plane
let tenant: Tenant
let webhookId: string
beforeAll(async () => {
  plane = await world.start()
  tenant = await plane.tenant()
  webhookId = newId('webhook')
  await plane.app.core.db.webhook.create({
    data: {
      id: webhookId,
      projectId: tenant.projectId,
      keyId: 'k',
      url: 'https://agents.example.com',
      events: [],
      secret: Buffer.from('a'),
      createdAt: new Date(),
      disabledAt: new Date(),
    },
  })
})

const happen = () =>
  plane.app.core.db
    .$queryRaw`select write_event(${tenant.projectId}, null, 'balance.low', '{"balance": {}}')::text as written`
const count = () => plane.app.core.db.event.count({ where: { projectId: tenant.projectId } })
const connect = async (): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString: plane.config.databaseUrl })
  await client.connect()
  return client
}

/** Adds events of eight days ago, each with a delivery, after all other events. Returns their number. */
async function old(many: number): Promise<number> {
  const { db } = plane.app.core
  await db.$executeRaw`with state as (
      update event_state set last_number = last_number + ${many}::int where id = 1
      returning last_number - ${many}::int as first),
    added as (
      insert into events (number, id, project_id, type, created_at, data)
      select first + each, new_event_id(), ${tenant.projectId}, 'balance.low', now() - interval '8 days', '{"balance": {}}'
      from state, generate_series(1, ${many}::int) as each returning number)
    insert into webhook_deliveries (id, webhook_id, event_number, status, created_at)
    select 'dlv_' || number, ${webhookId}, number, 'failed', now() - interval '8 days' from added`
  return many
}

describe('the expiry', () => {
  it('does not hold up the numbering, even while it waits [41.23]', async () => {
    await old(3)
    const holder = await connect()
    await holder.query('begin')
    await holder.query('select id from webhook_deliveries where webhook_id = $1 limit 1 for update', [
      webhookId,
    ])
    const { core } = plane.app
    const expiring = expireEvents(core, core.rules.eventLifeMs)
    await eventually(async () => {
      // In a transaction, the first read of the activity would fix what later reads see.
      const [row] = await core.db.$queryRaw<
        { waits: boolean }[]
      >`select exists (select 1 from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%delete from events%') as waits`
      return row?.waits === true
    })
    const before = await count()
    await happen()
    await eventually(async () => (await count()) === before + 1)
    await holder.query('rollback')
    await holder.end()
    // The deletion succeeds, since it waited for less than the time limit of a statement.
    await expiring
    expect(await count()).toBe(1)
  })

  it('deletes more than one batch, and keeps what is newer', async () => {
    const { db, rules } = plane.app.core
    const kept = await count()
    await old(1203)
    const { last } = await readState(db)
    await happen()
    await eventually(async () => (await readState(db)).last > last)
    await Promise.all([1, 2].map(() => expireEvents(plane.app.core, rules.eventLifeMs)))
    expect(await count()).toBe(kept + 1)
    expect((await readState(db)).expired).toBe(last)
    expect(await db.webhookDelivery.count()).toBe(0)
  })

  it('deletes the rest of what has expired when one kind cannot be deleted', async () => {
    const { core } = plane.app
    await old(2)
    const kept = (await count()) - 2
    const client = await connect()
    await client.query('alter table lifecycle_counts rename to unavailable')
    try {
      await expect(forget(core)).rejects.toThrow('counts of past minutes')
      expect(await count()).toBe(kept)
    } finally {
      await client.query('alter table unavailable rename to lifecycle_counts')
      await client.end()
    }
    await forget(core)
  })
})
