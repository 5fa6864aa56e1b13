// The operator's Postgres, of Debian's version, dumped and restored by Debian's programs.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { pickPort } from '../processes/ports.js'
import { startPostgres } from '../postgres/index.js'
import { makeDataFolder, makeTables, run } from '../testing/backup.js'
import { parseBackupArgs, parseRestoreArgs } from './args.js'
import { restoreBackup } from './read.js'
import { backupService, restoreService } from './service.js'
import { writeBackup } from './write.js'

const dir = mkdtempSync(path.join(tmpdir(), 'phonerack-dump-test-'))
const at = (...names: string[]) => path.join(dir, ...names)
const signal = AbortSignal.timeout(120_000)
const programs = path.join(
  '/usr/lib/postgresql',
  readdirSync('/usr/lib/postgresql').toSorted().at(-1) ?? '',
  'bin',
)
let server: ReturnType<typeof spawn>
let port = 0
const password = 'p@ss'
const urlOf = (name: string) => `postgresql://owner:${encodeURIComponent(password)}@127.0.0.1:${port}/${name}`
/** The default text for arguments that a test does not name. */
const bareUrlOf = (name: string) => `postgresql://owner@127.0.0.1:${port}/${name}`
afterEach(() => vi.unstubAllEnvs())

beforeAll(async () => {
  const id = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }))
  const user = process.getuid?.() === 0 ? { uid: id('-u'), gid: id('-g') } : null
  chmodSync(dir, 0o755)
  mkdirSync(at('cluster'), { mode: 0o700 })
  writeFileSync(at('pwfile'), `${password}\n`, { mode: 0o600 })
  if (user) for (const name of ['cluster', 'pwfile']) chownSync(at(name), user.uid, user.gid)
  execFileSync(
    path.join(programs, 'initdb'),
    [
      ...['-D', at('cluster'), '-U', 'owner', '--auth=scram-sha-256'],
      ...[`--pwfile=${at('pwfile')}`, '--no-sync'],
    ],
    { ...(user ?? {}), cwd: '/' },
  )
  port = await pickPort()
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off']
  server = spawn(
    path.join(programs, 'postgres'),
    ['-D', at('cluster'), '-p', String(port), ...settings.flatMap((text) => ['-c', text])],
    { ...(user ?? {}), cwd: '/', stdio: 'ignore' },
  )
  for (;;) {
    signal.throwIfAborted()
    if (
      await run(urlOf('postgres'), 'create database phonerack').then(
        () => true,
        () => false,
      )
    )
      break
    await sleep(50)
  }
})

afterAll(async () => {
  const ended = once(server, 'exit')
  server.kill('SIGINT')
  await ended
  rmSync(dir, { recursive: true, force: true })
})

const options = (url: string, data: string) => {
  const words = ['--data', data, '--to', at('backups'), '--database-url', url]
  const parsed = parseBackupArgs(words, dir)
  if (parsed === null) throw new Error('help')
  return parsed
}
const restore = (...words: string[]) => {
  const parsed = parseRestoreArgs([...words, '--service-key', at('data/pki/service.key')])
  if (parsed === null) throw new Error('help')
  return restoreBackup(parsed, signal)
}

it('dumps the database, restores it only into an empty database, and gives it a new epoch', async () => {
  const key = makeDataFolder(at('data'))
  await makeTables(urlOf('phonerack'), key)
  vi.stubEnv('PGPASSWORD', password)
  const { dir: backup, content } = await writeBackup(options(bareUrlOf('phonerack'), at('data')), signal)
  expect(content.database.kind).toBe('dump')
  expect(readFileSync(path.join(backup, 'database.dump')).subarray(0, 5).toString()).toBe('PGDMP')

  await expect(restore(backup, '--data', at('no-url'))).rejects.toThrow(/name an empty database/)
  const used = restore(backup, '--data', at('used'), '--database-url', bareUrlOf('phonerack'))
  await expect(used).rejects.toThrow(/phonerack is not empty/)

  await run(urlOf('postgres'), 'create database second')
  await restore(backup, '--data', at('second'), '--database-url', bareUrlOf('second'))
  const [state] = await run(
    urlOf('second'),
    'select (select count(*)::int from rows) as rows, (select epoch from database_epoch) as epoch',
  )
  expect(state).toEqual({ rows: 1000, epoch: expect.stringMatching(/^[0-9a-f]{32}$/) as string })
})

it('takes database, password and keys from the settings of a control plane, and restores into another database', async () => {
  const key = makeDataFolder(at('state'))
  await run(urlOf('postgres'), 'create database service')
  await makeTables(urlOf('service'), key)
  const env = { DATABASE_URL: urlOf('service'), PHONERACK_PKI_DIR: at('state/pki') }
  const nats = ['--nats-dir', at('state/nats')]
  await expect(backupService(['--to', at('state/inside'), ...nats], env)).rejects.toThrow(/must outlive/)
  await expect(backupService(['--to', at('b'), ...nats], {})).rejects.toThrow(/DATABASE_URL must be set/)
  await expect(backupService(['--to', at('b')], env)).rejects.toThrow(/nats-server\/account.seed is missing/)
  const said = await backupService(['--to', at('service-backups'), ...nats], env)
  const [backup = ''] = said.split('\n')

  await expect(restoreService([backup, '--data', at('r')], env)).rejects.toThrow(/service is not empty/)
  await run(urlOf('postgres'), 'create database service_2')
  const words = ['--data', at('service-restored'), '--database', 'service_2']
  expect(await restoreService([backup, ...words], env)).toContain('DATABASE_URL to service_2')
  const [state] = await run(urlOf('service_2'), 'select count(*)::int as rows from rows')
  expect(state).toEqual({ rows: 1000 })
  expect(readdirSync(at('service-restored')).toSorted()).toEqual(['nats', 'pki', 'secrets.json'])
  expect(readFileSync(at('service-restored/nats/operator.seed'), 'utf8')).toContain('operator')
})

it('takes the password from a file', async () => {
  writeFileSync(at('pgpass'), `127.0.0.1:*:*:owner:${password}\n`, { mode: 0o600 })
  vi.stubEnv('PGPASSFILE', at('pgpass'))
  await run(urlOf('postgres'), 'create database by_file')
  await makeTables(urlOf('by_file'), makeDataFolder(at('data-file')))
  const { content } = await writeBackup(options(bareUrlOf('by_file'), at('data-file')), signal)
  expect(content.database.kind).toBe('dump')
})

it('names the package when pg_dump is older than the server', async () => {
  const newer = await startPostgres({ dir: at('newer'), forTests: true })
  try {
    const url = await newer.createDatabase('phonerack')
    await makeTables(url, makeDataFolder(at('data-newer')))
    const bare = new URL(url)
    vi.stubEnv('PGPASSWORD', bare.password)
    bare.password = ''
    await expect(writeBackup(options(bare.href, at('data-newer')), signal)).rejects.toThrow(
      /pg_dump \d+ is too old for this server: install the package postgresql-client-18, or set PHONERACK_PG_BIN/,
    )
  } finally {
    await newer.stop()
  }
})
