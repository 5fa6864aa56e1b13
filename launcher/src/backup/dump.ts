/**
 * Dumps and restores a Postgres of the operator with `pg_dump` and `pg_restore`, of a version that supports
 * the server.
 */
import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import pg from 'pg'
import { findProgram, isExecutable } from '../programs/path.js'
import { Refusal } from './refusal.js'
import { runProgram } from './run.js'

const debianFolder = '/usr/lib/postgresql'

/** Runs one query. @throws Refusal when the server cannot be reached */
export async function query<T extends pg.QueryResultRow>(url: string, text: string): Promise<T[]> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 10_000,
    query_timeout: 60_000,
  })
  client.on('error', () => undefined)
  try {
    await client.connect()
  } catch (cause) {
    const why = cause instanceof Error ? cause.message || ('code' in cause && String(cause.code)) : ''
    throw new Refusal(`cannot connect to ${withoutPassword(url)}: ${why || String(cause)}`, { cause })
  }
  try {
    return (await client.query<T>(text)).rows
  } finally {
    await client.end().catch(() => undefined)
  }
}

export async function majorVersion(url: string): Promise<number> {
  const [row] = await query<{ server_version_num: string }>(url, 'show server_version_num')
  return Math.trunc(Number(row?.server_version_num) / 10_000)
}

export async function dumpDatabase(url: string, file: string, signal: AbortSignal): Promise<void> {
  const program = await clientProgram('pg_dump', await majorVersion(url), signal)
  const options = ['--format=custom', '--no-owner', '--no-privileges', '--lock-wait-timeout=60s']
  await runProgram(program, [...options, `--file=${file}`, `--dbname=${withoutPassword(url)}`], {
    signal,
    env: passwordOf(url),
  })
}

/** Loads a dump into an empty database, in one transaction. @throws Refusal */
export async function loadDump(url: string, file: string, signal: AbortSignal): Promise<void> {
  const program = await clientProgram('pg_restore', await majorVersion(url), signal)
  const options = ['--no-owner', '--no-privileges', '--exit-on-error', '--single-transaction']
  await runProgram(program, [...options, `--dbname=${withoutPassword(url)}`, file], {
    signal,
    env: passwordOf(url),
  })
}

/** @throws Refusal */
export async function checkEmpty(url: string): Promise<void> {
  const found = await query(
    url,
    `select 1 from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname not like 'pg\\_%' and n.nspname <> 'information_schema' limit 1`,
  )
  if (found.length > 0)
    throw new Refusal(`${withoutPassword(url)} is not empty: create another database with createdb`)
}

/** Finds the oldest program that supports the server, so that other servers of this version can read the dump. */
async function clientProgram(name: string, major: number, signal: AbortSignal): Promise<string> {
  const named = process.env['PHONERACK_PG_BIN']
  const candidates = named ? [path.join(named, name)] : installed(name)
  const known: { file: string; version: number }[] = []
  for (const file of candidates) {
    if (!isExecutable(file)) continue
    const version = Number(/\) (\d+)/.exec(await runProgram(file, ['--version'], { signal }))?.[1])
    if (version > 0) known.push({ file, version })
  }
  const usable = known.filter(({ version }) => version >= major).toSorted((a, b) => a.version - b.version)[0]
  if (usable !== undefined) return usable.file
  const reason =
    known.length === 0
      ? `${name} is missing`
      : `${name} ${Math.max(...known.map(({ version }) => version))} is too old for this server`
  throw new Refusal(
    `${reason}: install the package postgresql-client-${major}, or set PHONERACK_PG_BIN to the folder of ${name} ${major} or newer`,
  )
}

function installed(name: string): string[] {
  const versions = existsSync(debianFolder) ? readdirSync(debianFolder) : []
  const found = versions.map((version) => path.join(debianFolder, version, 'bin', name))
  const first = findProgram(name)
  return first === null ? found : [first, ...found]
}

/** Every user of the machine can read the arguments of a process, so the URL must not contain the password. */
function withoutPassword(url: string): string {
  const parsed = new URL(url)
  parsed.password = ''
  parsed.searchParams.delete('password')
  return parsed.href
}

/** Environment variables with the password for the programs. */
function passwordOf(url: string): Record<string, string> {
  const { password, searchParams } = new URL(url)
  const found = searchParams.get('password') ?? decodeURIComponent(password)
  const { PGPASSWORD = '', PGPASSFILE = '' } = process.env
  return Object.fromEntries(
    Object.entries({ PGPASSWORD: found || PGPASSWORD, PGPASSFILE }).filter(([, text]) => text !== ''),
  )
}
