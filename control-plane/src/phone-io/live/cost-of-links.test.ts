/**
 * The reads for all live links depend on the open sessions, not on the number of links in the
 * table.
 */
import pg from 'pg'
import { beforeAll, expect, it } from 'vitest'
import { readyPhone } from '../../testing/ready-phone.js'
import { useWorld, type Plane, type Tenant } from '../../testing/world.js'
import { rowsRead } from '../../testing/rows-read.js'
import { readLink, readLongestLinks } from './standing.js'

const world = useWorld()
let plane: Plane
let tenant: Tenant
let phoneId: string
beforeAll(async () => {
  plane = await world.start()
  await plane.rack(1, { beatMs: 200 })
  tenant = await plane.tenant()
  phoneId = await readyPhone(plane, tenant)
  // Stops other reads while a test counts.
  await plane.app.quiesce()
})

/** Adds links that are valid for a day, of sessions that have ended. */
async function addDeadLinks(count: number): Promise<void> {
  const client = new pg.Client({ connectionString: plane.config.databaseUrl })
  await client.connect()
  const { projectId } = tenant
  const { keyId } = tenant.caller
  try {
    // Triggers are disabled, since checking rows with five foreign keys each would take long.
    await client.query('set session_replication_role = replica')
    await client.query(
      `insert into sessions (id, phone_id, project_id, started_at, ended_at, end_reason, idle_timeout, max_duration,
         billed_seconds, cost_micros, reserved_micros)
       select 'ses_old_' || n, $2, $1, now(), now(), 'parked', 300, 900, 60, 0, 0 from generate_series(1, 1000) n`,
      [projectId, phoneId],
    )
    await client.query(
      `insert into live_links (token_hash, project_id, phone_id, session_id, key_id, control, created_at, expires_at)
       select encode(sha256(n::text::bytea), 'hex'), $1, $2, 'ses_old_' || (n % 1000 + 1), $3, true, now(), now() + interval '1 day' + n * interval '1 second'
       from generate_series(1, $4::int) n`,
      [projectId, phoneId, keyId, count],
    )
    await client.query('analyze sessions, live_links')
  } finally {
    await client.end()
  }
}

it('reads as many rows for links with 20,000 links in the table as with ten', async () => {
  const { live } = plane.app.services
  const { db } = plane.app.core
  const make = () => live.createLink(tenant.caller, phoneId, { expiresIn: 3600, control: true })
  const { url } = await make()
  const tables = /live_links/
  const works = [() => readLongestLinks(db, new Date()), () => readLink(db, 'unknown', new Date()), make]
  const before: number[] = []
  for (const work of works) before.push(await rowsRead(plane, work, tables))
  await addDeadLinks(20_000)
  for (const [index, work] of works.entries())
    expect(await rowsRead(plane, work, tables)).toBeLessThanOrEqual((before[index] ?? 0) + 20)

  const longest = await readLongestLinks(db, new Date())
  expect(longest.map((link) => link.phoneId)).toEqual([phoneId])
  expect(url).toContain('#prl_')
})
