/**
 * The restore procedure of docs/operations.md: dump, rent to A and leave a trace, restore, rent to B. B's
 * phone is wiped and no request hangs, whether the operator declares the restore or not. The last test uses
 * the real commands and a second folder. The other tests copy the database on its server, which takes a
 * second instead of twenty.
 */
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { databaseUrl } from '../system/database.js'
import { killService } from '../system/processes.js'
import { restoreInSecondFolder } from '../system/second-folder.js'
import { ctl, startSystem, stopSystem, type System } from '../system/system.js'
import { eventually, getPhone, newTenant, readyPhone, type Tenant } from '../system/tenant.js'
import { deviceOf, hasTrace, isFree, leaveTrace } from '../system/traces.js'

let system: System
beforeAll(async () => {
  system = await startSystem({ virtualPhones: 1 })
})
afterAll(() => stopSystem(system))

const copy = 'phonerack_dump'

async function administer(work: (client: pg.Client) => Promise<void>): Promise<void> {
  const url = new URL(await databaseUrl(system))
  url.pathname = '/postgres'
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}

/** A copy of a database has every row of a `pg_dump`. No session may be connected during the copy. */
async function copyDatabase(client: pg.Client, from: string, to: string): Promise<void> {
  const others = 'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1'
  for (const name of [from, to]) {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name])
    if (rowCount === 0) continue
    await client.query(`alter database ${name} with allow_connections false`)
    await client.query(others, [name])
  }
  await client.query(`drop database if exists ${to}`)
  await client.query(`create database ${to} template ${from}`)
  await client.query(`alter database ${to} with allow_connections true`)
}

const dump = () =>
  administer(async (client) => {
    await copyDatabase(client, 'phonerack', copy)
    await client.query('alter database phonerack with allow_connections true')
  })

/** The supervisor starts the control plane's replica again, as an operator would do after a restore. */
async function restore(): Promise<void> {
  await administer((client) => copyDatabase(client, copy, 'phonerack'))
  await killService(system, 'control-plane')
  await answers()
}

/** Waits until the API answers again. */
const answers = () =>
  eventually('an answer of the control plane', 150_000, async () => {
    try {
      return (await fetch(`${system.up.base_url}/healthz`)).status === 200
    } catch (error) {
      if (error instanceof TypeError) return false
      throw error
    }
  })

describe('after a restore of the database', () => {
  let a: Tenant
  let b: Tenant
  beforeAll(async () => {
    a = await newTenant(system)
    b = await newTenant(system)
    await isFree(system)
    await dump()
    await answers()
  })

  test.each([
    ['that the operator announced', true],
    ['that nobody announced', false],
  ])('%s, the next tenant gets a wiped phone', async (_, isAnnounced) => {
    const phone = await readyPhone(a.agent)
    await leaveTrace(a, phone.id)
    const { fencing_number: before } = await deviceOf(system)
    await restore()
    if (isAnnounced) {
      const answer = z.object({ epoch: z.string(), devices_to_confirm: z.int() })
      answer.parse(await ctl(system, 'service', 'restored'))
    }
    expect((await a.agent.get(`/v1/phones/${phone.id}`)).status).toBe(404)
    const next = await readyPhone(b.agent)
    expect(next.status).toBe('ready')
    expect(await hasTrace(b.agent, next.id)).toBe(false)
    expect((await deviceOf(system)).fencing_number).toBeGreaterThan(before)
    await b.admin.delete(`/v1/phones/${next.id}`)
    await isFree(system)
  })

  test('a parked phone whose device went to another tenant fails, and that tenant’s data stay private', async () => {
    const parked = await readyPhone(b.agent)
    await b.agent.post(`/v1/phones/${parked.id}/park`)
    await dump()
    await answers()
    await b.admin.delete(`/v1/phones/${parked.id}`)
    await isFree(system)
    await leaveTrace(a, (await readyPhone(a.agent)).id)
    await restore()
    await eventually('the end of the parked phone', 150_000, async () => {
      return (await getPhone(b.agent, parked.id)).status === 'failed'
    })
    await isFree(system)
    const next = await readyPhone(b.agent)
    expect(await hasTrace(b.agent, next.id)).toBe(false)
    await b.admin.delete(`/v1/phones/${next.id}`)
    await isFree(system)
  })

  test('a backup starts in a second folder with the same keys, and the host’s devices are wiped there', async () => {
    await restoreInSecondFolder(system, { a, b })
  })
})
