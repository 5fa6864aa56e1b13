// Two roles of a real Postgres: one owns the schema and migrates, the other one serves.
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { expect, inject, it } from 'vitest'
import { StartRefusal } from '../config/refusal.js'
import { runCommand } from '../../app/cli/commands.js'
import { readyPhone } from '../../testing/ready-phone.js'
import { eventually, useWorld } from '../../testing/world.js'
import { applyMigrations } from './migrate.js'

const world = useWorld()
const superuser = inject('testServers').postgresUrl

async function as<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** An empty database, its owner, and a role without rights. Neither is a superuser. */
async function twoRoles() {
  const id = randomBytes(4).toString('hex')
  const [owner, service, database] = [`owner_${id}`, `service ${id}`, `roles_${id}`]
  await as(superuser, async (client) => {
    for (const role of [owner, service])
      await client.query(`create role ${pg.escapeIdentifier(role)} login password 'secret'`)
    await client.query(`create database ${database} owner ${owner}`)
  })
  const urlOf = (role: string): string =>
    Object.assign(new URL(superuser), { username: role, password: 'secret', pathname: `/${database}` }).href
  return { owner: urlOf(owner), service: urlOf(service), role: service }
}

async function migrate(url: string, ...words: string[]) {
  let [out, err] = ['', '']
  const code = await runCommand(
    ['migrate', ...words],
    { write: (text) => (out += text) },
    { write: (text) => (err += text) },
    { DATABASE_URL: url },
  )
  return { code, out, err }
}

it('serves with a role that cannot change the schema', async () => {
  const { owner, service, role } = await twoRoles()
  expect(await migrate(owner, '--role', role)).toMatchObject({ code: 0, err: '' })
  const plane = await world.start({ env: { DATABASE_URL: service } })
  await plane.rack(1)
  const tenant = await plane.tenant()
  const phone = await readyPhone(plane, tenant)
  const deleted = await plane.server.inject({
    method: 'DELETE',
    url: `/v1/phones/${phone}`,
    headers: { authorization: `Bearer ${tenant.key}` },
  })
  expect(deleted.statusCode, deleted.body).toBeLessThan(300)
  // The wipe is a job of graphile-worker, whose tables have row-level security.
  await eventually(
    async () => (await plane.app.core.db.device.count({ where: { state: 'free' } })) === 1,
    30_000,
  )
  await as(service, async (client) => {
    for (const statement of [
      'create table extra (id int)',
      'alter table phones add column extra int',
      'alter table ledger disable trigger all',
      'drop table phones',
      'truncate phones cascade',
      'create schema extra',
      'drop function graphile_worker.complete_jobs',
      'update schema_version set version = 99',
      'delete from _prisma_migrations',
    ])
      await expect(client.query(statement), statement).rejects.toMatchObject({ code: '42501' })
  })
})

it('grants what later migrations create, and can be repeated', async () => {
  const { owner, service, role } = await twoRoles()
  await migrate(owner, '--role', role)
  await as(owner, (client) => client.query('create table later (id serial primary key, at text)'))
  await as(service, (client) => client.query("insert into later (at) values ('now')"))
  expect(await migrate(owner, '--role', role)).toMatchObject({ code: 0 })
})

it('refuses to start while migrations are missing that this role cannot apply', async () => {
  const { service } = await twoRoles()
  const refused = await applyMigrations(service).then(
    () => null,
    (error: unknown) => error,
  )
  expect(refused).toBeInstanceOf(StartRefusal)
  expect(String(refused)).toMatch(
    /cannot change the schema.*20261120000000_tables.*phonerack-control-plane migrate/,
  )
})

it('names a role that does not exist, and an option without a value', async () => {
  const { owner } = await twoRoles()
  expect(await migrate(owner, '--role', 'nobody; drop')).toMatchObject({
    code: 1,
    err: expect.stringContaining('role "nobody; drop" does not exist') as string,
  })
  expect(await migrate(owner, '--role')).toMatchObject({ code: 2 })
})
