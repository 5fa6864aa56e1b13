// A real PgBouncer (`apt-get install pgbouncer`, or its path in PGBOUNCER) in front of a real Postgres.
import { spawn, type ChildProcess } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { isListening } from '@phonerack/launcher'
import { freePort } from '@phonerack/launcher/ports'
import { afterAll, expect, inject, it } from 'vitest'
import { StartRefusal } from '../config/refusal.js'
import { createBody, eventually, newDatabase, useWorld } from '../../testing/world.js'
import { openDatabase } from './database.js'
import { refuseTransactionPooling } from './pooler.js'

const program = process.env['PGBOUNCER'] ?? '/usr/sbin/pgbouncer'
const world = useWorld()
const running: ChildProcess[] = []
afterAll(() => running.forEach((each) => each.kill('SIGKILL')))

/** Returns the address of the database through PgBouncer with its default parameters. */
async function poolerOf(databaseUrl: string, mode: 'session' | 'transaction' | 'statement'): Promise<string> {
  const url = new URL(databaseUrl)
  const [port, dir] = [await freePort(), path.join(world.dir, `pgbouncer-${mode}`)]
  mkdirSync(dir)
  chmodSync(dir, 0o755)
  const password = decodeURIComponent(url.password)
  writeFileSync(path.join(dir, 'users.txt'), `"${url.username}" "${password}"\n`)
  const lines = [
    '[databases]',
    `* = host=${url.hostname} port=${url.port}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = plain',
    `auth_file = ${path.join(dir, 'users.txt')}`,
    `pool_mode = ${mode}`,
    'default_pool_size = 80',
  ]
  const file = path.join(dir, 'pgbouncer.ini')
  writeFileSync(file, `${lines.join('\n')}\n`)
  // PgBouncer refuses to run as root.
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const child = spawn(program, ['-q', ...user, file], { stdio: 'inherit' })
  running.push(child)
  await eventually(async () => child.exitCode !== null || (await isListening(port)))
  if (child.exitCode !== null) throw new Error(`PgBouncer exited with ${child.exitCode}`)
  url.port = String(port)
  return url.href
}

it.skipIf(!existsSync(program))(
  'rents and parks a phone through PgBouncer in session mode, with its limits',
  async () => {
    const plain = await newDatabase(inject('testServers').postgresUrl)
    const databaseUrl = await poolerOf(plain, 'session')
    const limited = openDatabase(databaseUrl, 2)
    try {
      expect(
        await limited.db.$queryRaw`select current_setting('statement_timeout') as a,
      current_setting('idle_in_transaction_session_timeout') as b`,
      ).toEqual([{ a: '20s', b: '30s' }])
    } finally {
      await limited.close()
    }
    const plane = await world.start({ env: { DATABASE_URL: databaseUrl } })
    await plane.rack(1)
    const tenant = await plane.tenant()
    const { phones } = plane.app.services
    const { phone } = await phones.create(tenant.caller, createBody(), null)
    const { signal } = new AbortController()
    await phones.wait(phone.id, ({ status }) => status === 'ready', 60_000, signal)
    await phones.park(tenant.caller, phone.id)
    await phones.wait(phone.id, ({ status }) => status === 'parked', 60_000, signal)
  },
)

it.skipIf(!existsSync(program)).each(['transaction', 'statement'] as const)(
  'refuses PgBouncer in %s mode at the start, with the reason',
  async (mode) => {
    const databaseUrl = await poolerOf(await newDatabase(inject('testServers').postgresUrl), mode)
    const refused = refuseTransactionPooling(databaseUrl)
    await expect(refused).rejects.toThrow(StartRefusal)
    await expect(refused).rejects.toThrow(/pool_mode = session/)
  },
)

it('accepts a direct connection', async () => {
  await refuseTransactionPooling(await newDatabase(inject('testServers').postgresUrl))
})
