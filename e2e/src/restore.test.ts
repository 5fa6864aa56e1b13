/**
 * The restore procedure of docs/operations.md, performed: dump, rent to A and leave a trace, restore, rent to B. B's phone
 * is wiped and nothing hangs, whether the operator says that the database was restored or not. The last test uses the
 * real commands and a second folder; the others copy the database on its server, which takes a second instead of twenty.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { databaseUrl } from './system/database.js'
import { killService } from './system/processes.js'
import { ctl, root, startSystem, stopSystem, type System } from './system/system.js'
import { eventually, getPhone, newTenant, readyPhone, type Tenant } from './system/tenant.js'

let system: System
beforeAll(async () => {
  system = await startSystem({ virtualPhones: 1 })
})
afterAll(() => stopSystem(system))

const trace = '/sdcard/Download/trace-of-a.txt'
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

/** The control plane's replica is started again by its supervisor, as an operator would do after a restore. */
async function restore(): Promise<void> {
  await administer((client) => copyDatabase(client, copy, 'phonerack'))
  await killService(system, 'control-plane')
  await answers()
}

/** The API answers again. */
const answers = () =>
  eventually('an answer of the control plane', 150_000, async () => {
    try {
      return (await fetch(`${system.up.base_url}/healthz`)).status === 200
    } catch (error) {
      if (error instanceof TypeError) return false
      throw error
    }
  })

const leaveTrace = async ({ agent }: Tenant, id: string): Promise<void> => {
  const body = Buffer.from('secret of a')
  const headers = { 'content-type': 'application/octet-stream' }
  const path = `/v1/phones/${id}/files?path=${encodeURIComponent(trace)}`
  expect((await agent.put(path, body, { headers })).status).toBeLessThan(300)
  expect(await hasTrace(agent, id)).toBe(true)
}

const listing = z.object({ data: z.array(z.object({ name: z.string() })) })
async function hasTrace(agent: Tenant['agent'], id: string): Promise<boolean> {
  const answer = await agent.get(`/v1/phones/${id}/files?path=${encodeURIComponent('/sdcard/Download')}`)
  if (answer.status === 404) return false
  return listing.parse(answer.body).data.some(({ name }) => trace.endsWith(name))
}

const deviceList = z.object({
  data: z.array(
    z.object({
      state: z.string(),
      reason: z.string().nullable(),
      fencing_number: z.int(),
      phone_id: z.string().nullable(),
    }),
  ),
})
async function device() {
  const [only] = deviceList.parse(await ctl(system, 'device', 'list')).data
  if (!only) throw new Error('there is no device')
  return only
}
const isFree = () => eventually('a free device', 120_000, async () => (await device()).state === 'free')

describe('after a restore of the database', () => {
  let a: Tenant
  let b: Tenant
  beforeAll(async () => {
    a = await newTenant(system)
    b = await newTenant(system)
    await isFree()
    await dump()
    await answers()
  })

  test.each([
    ['that the operator announced', true],
    ['that nobody announced', false],
  ])('%s, the next tenant gets a wiped phone', async (_, isAnnounced) => {
    const phone = await readyPhone(a.agent)
    await leaveTrace(a, phone.id)
    const { fencing_number: before } = await device()
    await restore()
    if (isAnnounced) {
      const answer = z.object({ epoch: z.string(), devices_to_confirm: z.int() })
      answer.parse(await ctl(system, 'service', 'restored'))
    }
    expect((await a.agent.get(`/v1/phones/${phone.id}`)).status).toBe(404)
    const next = await readyPhone(b.agent)
    expect(next.status).toBe('ready')
    expect(await hasTrace(b.agent, next.id)).toBe(false)
    expect((await device()).fencing_number).toBeGreaterThan(before)
    await b.admin.delete(`/v1/phones/${next.id}`)
    await isFree()
  })

  test('a parked phone whose device went to another tenant fails, and that tenant’s data stay private', async () => {
    const parked = await readyPhone(b.agent)
    await b.agent.post(`/v1/phones/${parked.id}/park`)
    await dump()
    await answers()
    await b.admin.delete(`/v1/phones/${parked.id}`)
    await isFree()
    await leaveTrace(a, (await readyPhone(a.agent)).id)
    await restore()
    await eventually('the end of the parked phone', 150_000, async () => {
      return (await getPhone(b.agent, parked.id)).status === 'failed'
    })
    await isFree()
    const next = await readyPhone(b.agent)
    expect(await hasTrace(b.agent, next.id)).toBe(false)
    await b.admin.delete(`/v1/phones/${next.id}`)
    await isFree()
  })

  test('a backup starts in a second folder with the same keys, and the host’s devices are wiped there', async () => {
    const run = async (name: string, ...args: string[]) => {
      const options = { cwd: root, timeout: 120_000 }
      return (await promisify(execFile)(path.join(root, 'scripts', name), args, options)).stdout
    }
    const place = await mkdtemp(path.join(tmpdir(), 'phonerack-e2e-backup-'))
    const first = system
    try {
      const report = await run('backup', '--data', first.dir, '--to', path.join(place, 'backups'))
      const phone = await readyPhone(a.agent)
      await leaveTrace(a, phone.id)
      const { fencing_number: before } = await device()
      await run('down', '--data', first.dir)

      const dir = path.join(place, 'second')
      const key = path.join(first.dir, 'pki', 'service.key')
      await run('restore', report.split('\n', 1)[0] ?? '', '--data', dir, '--service-key', key)
      // The rack stays: its agent knows what happened to its phones after the backup.
      for (const name of ['host-agent', 'virtual-phones', 'ports.json'])
        await rename(path.join(first.dir, name), path.join(dir, name))
      const port = Number(new URL(first.up.base_url).port)
      system = await startSystem({ virtualPhones: 1, dir, port })

      expect(system.up.operator_token).toBe(first.up.operator_token)
      expect((await a.agent.get(`/v1/phones/${phone.id}`)).status).toBe(404)
      const next = await readyPhone(b.agent)
      expect(await hasTrace(b.agent, next.id)).toBe(false)
      expect((await device()).fencing_number).toBeGreaterThan(before)
      await stopSystem(system)
    } finally {
      system = first
      await rm(place, { recursive: true, force: true })
    }
  })
})
