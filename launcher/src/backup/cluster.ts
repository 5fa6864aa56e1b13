/**
 * A copy of an embedded Postgres while it runs, by Postgres's interface for backups of files
 * (`pg_backup_start`, chapter "Continuous Archiving" of its manual), since the embedded package has no
 * pg_dump. The copy is complete only with the write-ahead log of the time in which it was made; a replication
 * slot keeps that log.
 */
import { randomBytes } from 'node:crypto'
import {
  createReadStream,
  createWriteStream,
  lstatSync,
  mkdirSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import { openOwned } from './owned.js'
import { Refusal } from './refusal.js'
import { runProgram } from './run.js'

/** Folders whose files belong to the running server; Postgres creates them at a start. Source: pg_basebackup. */
const emptied: ReadonlySet<string> = new Set([
  ...['pg_dynshmem', 'pg_notify', 'pg_replslot', 'pg_serial', 'pg_snapshots', 'pg_stat_tmp', 'pg_subtrans'],
  'pg_wal',
])
const left: ReadonlySet<string> = new Set([
  ...['postmaster.pid', 'postmaster.opts', 'backup_label', 'tablespace_map', 'current_logfiles'],
  // Postgres requires that this file is copied last.
  'global/pg_control',
])

const stopSchema = `select labelfile, spcmapfile, pg_walfile_name(lsn) as last from pg_backup_stop(false)`

/**
 * Writes the cluster as a compressed archive.
 * @param url of a superuser @param data the cluster's folder @param work an absent folder for the copy
 */
export async function copyCluster(
  { url, data, work, archive }: { url: string; data: string; work: string; archive: string },
  signal: AbortSignal,
): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  client.on('error', () => undefined)
  await client.connect()
  const end = () => void client.end().catch(() => undefined)
  // An abort also ends a wait for a checkpoint. The server then ends the backup and drops the slot.
  signal.addEventListener('abort', end, { once: true })
  try {
    const slot = `phonerack_backup_${randomBytes(6).toString('hex')}`
    await client.query('select pg_create_physical_replication_slot($1, true, true)', [slot])
    const started = await client.query<{ first: string }>(
      `select pg_walfile_name(pg_backup_start('phonerack', true)) as first`,
    )
    mkdirSync(work, { mode: 0o700 })
    const copy = copier(data, work, signal)
    await copyTree(data, work, copy)
    const stopped = await client.query<{ labelfile: string; spcmapfile: string; last: string }>(stopSchema)
    const [from, to] = [started.rows[0]?.first, stopped.rows[0]]
    if (from === undefined || to === undefined) throw new Error('Postgres did not name its write-ahead log')
    if (to.spcmapfile.trim() !== '') throw new Refusal('a cluster with tablespaces cannot be copied')
    writeFileSync(path.join(work, 'backup_label'), to.labelfile, { mode: 0o600 })
    await copyLog(data, work, { from, to: to.last }, copy)
  } finally {
    signal.removeEventListener('abort', end)
    await client.end().catch(() => undefined)
    signal.throwIfAborted()
  }
  await runProgram('tar', ['-czf', archive, '-C', work, '.'], { signal })
  rmSync(work, { recursive: true })
}

/**
 * Copies the file with this name in the cluster. A file that Postgres has deleted in the meantime is omitted,
 * because the replay of the log deletes it too.
 */
type Copy = (name: string) => Promise<void>

/**
 * Refuses files of other users than the user that runs Postgres, since that user may replace folders by links
 * during the copy.
 */
function copier(data: string, work: string, signal: AbortSignal): Copy {
  const { uid } = lstatSync(data)
  return async (name) => {
    const fd = openOwned(path.join(data, name), uid)
    if (fd === null) return
    const to = createWriteStream(path.join(work, name), { mode: 0o600, flags: 'wx' })
    await pipeline(createReadStream('', { fd }), to, { signal })
  }
}

async function copyTree(from: string, to: string, copy: Copy): Promise<void> {
  for (const entry of readdirSync(from, { recursive: true, withFileTypes: true })) {
    const name = path.relative(from, path.join(entry.parentPath, entry.name))
    if (emptied.has(name.split(path.sep)[0] ?? '') && name.includes(path.sep)) continue
    if (entry.isDirectory()) mkdirSync(path.join(to, name), { recursive: true, mode: 0o700 })
    else if (entry.isSymbolicLink())
      throw new Refusal(`the cluster has the link ${name}, which cannot be copied`)
    else if (!left.has(name) && !isTemporary(entry.name)) {
      mkdirSync(path.dirname(path.join(to, name)), { recursive: true, mode: 0o700 })
      await copy(name)
    }
  }
  await copy('global/pg_control')
}

const isTemporary = (name: string): boolean =>
  name.startsWith('pgsql_tmp') || name.startsWith('pg_internal.init')

/** The files of the log from `from` to `to`, which have a fixed order. */
async function copyLog(
  data: string,
  work: string,
  { from, to }: { from: string; to: string },
  copy: Copy,
): Promise<void> {
  const folder = path.join(data, 'pg_wal')
  const segments = readdirSync(folder).filter(
    (name) => /^[0-9A-F]{24}$/.test(name) && name >= from && name <= to,
  )
  if (!segments.includes(from) || !segments.includes(to))
    throw new Error(`the write-ahead log from ${from} to ${to} is not complete`)
  mkdirSync(path.join(work, 'pg_wal'), { recursive: true, mode: 0o700 })
  for (const name of segments) await copy(path.join('pg_wal', name))
}
