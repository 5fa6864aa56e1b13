/**
 * Embedded Postgres: a real server on the loopback address, for `up` and for
 * every test that needs a database.
 */
import { chmodSync, mkdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { Client, escapeIdentifier } from 'pg'
import { startChild, waitUntil, type Running } from '../processes/child.js'
import { pickPort } from '../processes/ports.js'
import { reapRecord } from '../processes/record.js'
import { packagedNative, usableNative } from './binaries.js'
import { clusterPassword, ensureCluster, superuser } from './cluster.js'
import { removeTree } from './owner.js'
import { findPlace } from './place.js'
import { postgresStop, stopStaleServer } from './stale.js'

export interface PostgresOptions {
  /** Holds the password and the cluster's location. Created when absent, mode 0700. */
  dir: string
  /** The port; omitted: a free port. */
  port?: number | undefined
  /** The server's log: a file to append to, or a function that gets each line. */
  log?: string | ((line: string) => void) | undefined
  /** The file that records the process; default: a file in `dir`. */
  recordFile?: string | undefined
  /**
   * Fast mode: nothing is synced to disk, so commits survive only a crash of the server. `stop` deletes the
   * cluster.
   */
  forTests?: boolean | undefined
}

export interface Postgres extends Running {
  /** URL of the database `postgres`. `urlOf` returns the URL of another database. */
  readonly url: string
  readonly port: number
  urlOf(database: string): string
  /** Creates a database, as a copy of `template` if given, and returns its URL. */
  createDatabase(name: string, template?: string): Promise<string>
  hasDatabase(name: string): Promise<boolean>
  /** Ends the database's sessions and drops it. A missing database is not an error. */
  dropDatabase(name: string): Promise<void>
}

const startDeadlineMs = 60_000

/**
 * Starts the server of `dir` and waits until it answers. Stops a server that a killed parent left first.
 * @throws InUse when a living process already runs it.
 */
export async function startPostgres(options: PostgresOptions): Promise<Postgres> {
  const { dir, forTests = false } = options
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  chmodSync(dir, 0o700)
  const recordFile = options.recordFile ?? path.join(dir, 'postgres.pid.json')
  await reapRecord(recordFile, postgresStop)
  const place = findPlace(dir, forTests)
  const native = usableNative(packagedNative(), place.home, place.user !== undefined)
  const password = clusterPassword(dir)
  const data = await ensureCluster(place, native, password, !forTests)
  await stopStaleServer(data)
  const port = options.port ?? (await pickPort())
  const urlOf = (database: string) =>
    `postgresql://${superuser}:${password}@127.0.0.1:${port}/${encodeURIComponent(database)}`

  const running = await startChild({
    command: path.join(native, 'bin', 'postgres'),
    args: ['-D', data, '-p', String(port), ...settings(forTests).flatMap((setting) => ['-c', setting])],
    env: { PATH: process.env['PATH'], TZ: 'UTC' },
    cwd: '/',
    recordFile,
    output: options.log ?? (() => undefined),
    stopSteps: postgresStop,
    ...(place.user ?? {}),
  })
  await waitUntil('Postgres', running, startDeadlineMs, () => answers(urlOf('postgres')))

  const admin = <T>(work: (client: Client) => Promise<T>) => withClient(urlOf('postgres'), 60_000, work)
  return {
    ...running,
    url: urlOf('postgres'),
    port,
    urlOf,
    async createDatabase(name, template) {
      const from = template === undefined ? '' : ` TEMPLATE ${escapeIdentifier(template)}`
      await admin((client) => client.query(`CREATE DATABASE ${escapeIdentifier(name)}${from}`))
      return urlOf(name)
    },
    hasDatabase: (name) =>
      admin(async (client) => {
        const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name])
        return found.rowCount === 1
      }),
    async dropDatabase(name) {
      await admin((client) => client.query(`DROP DATABASE IF EXISTS ${escapeIdentifier(name)} WITH (FORCE)`))
    },
    async stop() {
      await running.stop()
      if (!forTests) return
      removeTree(place.home)
      rmSync(path.join(dir, 'cluster.json'), { force: true })
    },
  }
}

/**
 * These settings are on the command line, so that they also apply to an old cluster. All tests of a package
 * share one server.
 */
function settings(forTests: boolean): string[] {
  const always = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'password_encryption=scram-sha-256',
    'timezone=UTC',
    'log_timezone=UTC',
    `max_connections=${forTests ? 600 : 200}`,
    'log_min_messages=warning',
  ]
  if (!forTests) return [...always, 'idle_in_transaction_session_timeout=60s']
  // Commits stay synchronous, since tests kill the server, which must not lose commits that clients have
  // seen.
  return [...always, 'fsync=off', 'full_page_writes=off', 'autovacuum=off']
}

async function answers(url: string): Promise<boolean> {
  try {
    await withClient(url, 5000, (client) => client.query('SELECT 1'))
    return true
  } catch (error) {
    // The server itself refused the password, so a retry cannot help.
    if (error instanceof Error && 'code' in error && error.code === '28P01') throw error
    return false
  }
}

async function withClient<T>(
  url: string,
  timeoutMs: number,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
  })
  // A lost connection also rejects the pending calls; without a listener the event would end the process.
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
