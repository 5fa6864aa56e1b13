/**
 * A Postgres of the operator: Debian's programs and a new cluster with a password. It is not the embedded
 * Postgres of `up`.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { freePort } from './system.js'
import { eventually } from './tenant.js'

export interface DebianPostgres {
  password: string
  /** The URL with the password. */
  urlOf(database: string): string
  /** The URL for arguments, which every user of the machine can read. */
  bareUrlOf(database: string): string
  createDatabase(name: string): Promise<void>
  stop(): Promise<void>
}

const debianFolder = '/usr/lib/postgresql'
const password = 'p@ss'

/** Postgres refuses to run as root, so root runs it as `nobody`. */
const userOf = (): { uid?: number; gid?: number } => {
  if (process.getuid?.() !== 0) return {}
  const id = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

/** Needs the package `postgresql`. */
export async function startDebianPostgres(): Promise<DebianPostgres> {
  const newest =
    readdirSync(debianFolder)
      .toSorted((a, b) => Number(a) - Number(b))
      .at(-1) ?? ''
  const program = (name: string) => path.join(debianFolder, newest, 'bin', name)
  const dir = mkdtempSync(path.join(tmpdir(), 'phonerack-e2e-debian-'))
  const [cluster, passwordFile] = [path.join(dir, 'cluster'), path.join(dir, 'password')]
  const user = userOf()
  chmodSync(dir, 0o755)
  mkdirSync(cluster, { mode: 0o700 })
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 })
  for (const each of [cluster, passwordFile])
    if (user.uid !== undefined && user.gid !== undefined) chownSync(each, user.uid, user.gid)
  execFileSync(
    program('initdb'),
    ['-D', cluster, '-U', 'owner', '--auth=scram-sha-256', `--pwfile=${passwordFile}`, '--no-sync'],
    { ...user, cwd: '/' },
  )
  const port = await freePort()
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off']
  const server = spawn(
    program('postgres'),
    ['-D', cluster, '-p', String(port), ...settings.flatMap((text) => ['-c', text])],
    { ...user, cwd: '/', stdio: 'ignore' },
  )
  const urlOf = (name: string) =>
    `postgresql://owner:${encodeURIComponent(password)}@127.0.0.1:${port}/${name}`
  const administer = async (text: string): Promise<void> => {
    const client = new pg.Client({ connectionString: urlOf('postgres') })
    await client.connect()
    try {
      await client.query(text)
    } finally {
      await client.end()
    }
  }
  await eventually('a Postgres that answers', 60_000, () =>
    administer('select 1').then(
      () => true,
      () => false,
    ),
  )
  return {
    password,
    urlOf,
    bareUrlOf: (name) => `postgresql://owner@127.0.0.1:${port}/${name}`,
    createDatabase: (name) => administer(`create database ${name}`),
    async stop() {
      const ended = once(server, 'exit')
      server.kill('SIGINT')
      await ended
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
