/** A second `up --control-only` on the database of a first one: refused, or another replica of the same installation. */
import { copyFile, mkdir, mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { databaseUrl } from './system/database.js'
import { ctl, startSystem, stopSystem, type System } from './system/system.js'

let first: System
beforeAll(async () => {
  first = await startSystem({ virtualPhones: 0 })
})
afterAll(() => stopSystem(first))

/** `up` on the first one's database and broker. */
async function second(dir: string): Promise<System> {
  const of = (name: string) => path.join(first.dir, 'nats', name)
  const { nats } = JSON.parse(await readFile(path.join(first.dir, 'ports.json'), 'utf8')) as { nats: number }
  const urls = ['--database-url', await databaseUrl(first), '--nats-url', `nats://127.0.0.1:${nats}`]
  return startSystem({
    ...{ virtualPhones: 0, dir, args: ['--control-only', '--host', '127.0.0.2', ...urls] },
    env: { NATS_CREDS_FILE: of('control-plane.creds'), NATS_ACCOUNT_SEED_FILE: of('account.seed') },
  })
}

async function query<T>(text: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: await databaseUrl(first) })
  await client.connect()
  try {
    return (await client.query(text)).rows as T[]
  } finally {
    await client.end()
  }
}

const copy = async (name: string, dir: string) => {
  await mkdir(path.dirname(path.join(dir, name)), { recursive: true })
  await copyFile(path.join(first.dir, name), path.join(dir, name))
}

it('refuses the database of another installation and leaves the first one as it was, until it gets its secrets', async () => {
  const dir = await mkdtemp(path.join(tmpdir(), 'phonerack-e2e-second-'))
  await expect(second(dir)).rejects.toThrow(
    /belongs to another installation.*Copy `service\.key` of a running replica to .*pki\/service\.key/,
  )
  await copy('pki/service.key', dir)
  await expect(second(dir)).rejects.toThrow(/another operator token.*secrets\.json/)
  await ctl(first, 'project', 'list')

  await copy('secrets.json', dir)
  const other = await second(dir)
  try {
    for (const system of [first, other]) await ctl(system, 'project', 'list')
    // On the address of `--host`, and on no other.
    const { hostname, port } = new URL(other.up.base_url)
    expect(hostname).toBe('127.0.0.2')
    expect((await fetch(`${other.up.base_url}/livez`)).status).toBe(200)
    await expect(fetch(`http://127.0.0.1:${port}/livez`)).rejects.toThrow('fetch failed')
    expect(other.up.operator_token).toBe(first.up.operator_token)
    expect(other.up.project).toEqual(first.up.project)
    expect(await query('select 1 from projects')).toHaveLength(1)
    const replicas = await query<{ id: string }>('select id from replicas')
    expect(new Set(replicas.map(({ id }) => id)).size).toBe(2)
    for (const { id } of replicas) expect(id).toMatch(/^up-.*-[0-9a-f]{12}$/)
  } finally {
    await stopSystem(other)
  }
  await ctl(first, 'project', 'list')
})
