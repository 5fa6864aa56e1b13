/** Writes a backup. Its folder gets its final name only when it is complete. */
import { existsSync, mkdirSync, realpathSync, renameSync, rmSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { BackupOptions } from './args.js'
import { copyCluster } from './cluster.js'
import { dumpDatabase, majorVersion, query } from './dump.js'
import { BackupKey } from './key.js'
import { describeFile, names, writeManifest, type Content } from './manifest.js'
import { listObjects } from './objects.js'
import { Refusal } from './refusal.js'
import { checkRoom, sizeOf } from './room.js'
import { syncDisk } from './run.js'
import { collectSecrets } from './secrets.js'
import { openSource, type Source } from './source.js'

export interface Backup {
  dir: string
  content: Content
}

/** @throws Refusal, and the reason of `signal` once it is aborted; no file remains then */
export async function writeBackup(options: BackupOptions, signal: AbortSignal): Promise<Backup> {
  const { key, text: keyText } = readKey(options.serviceKeyFile)
  const to = openTarget(options)
  const secrets = JSON.stringify(collectSecrets(options))
  const createdAt = new Date().toISOString()
  const dir = path.join(to, `phonerack-${createdAt.replaceAll(/[-:]|\.\d+/g, '')}`)
  if (existsSync(dir)) throw new Refusal(`${dir} exists already`)
  const part = `${dir}.${process.pid}.part`
  const source = await openSource(options.data, options.databaseUrl)
  let isOurs = false
  try {
    const facts = await readFacts(source.url)
    checkKey(facts.service_key_id, key, options.serviceKeyFile)
    // A cluster needs space for its copy and the archive. A dump is smaller than its database.
    checkRoom(to, source.cluster === null ? facts.size : 2 * sizeOf(source.cluster))
    if (existsSync(part)) throw new Refusal(`${part} exists already: remove it`)
    mkdirSync(part, { mode: 0o700 })
    isOurs = true
    const write = (name: string, text: string | Buffer) =>
      writeFileSync(path.join(part, name), text, { mode: 0o600, flag: 'wx' })
    const database = await writeDatabase(source, part, signal)
    const { text, ...objects } = await listObjects(source.url)
    write(names.objects, text)
    write(names.secrets, key.seal(secrets, createdAt))
    if (options.withServiceKey) write(names.serviceKey, keyText)
    const files = [
      database,
      names.objects,
      names.secrets,
      ...(options.withServiceKey ? [names.serviceKey] : []),
    ]
    const content: Content = {
      format: 1,
      created_at: createdAt,
      database: {
        kind: source.cluster === null ? 'dump' : 'cluster',
        postgres: await majorVersion(source.url),

        size: source.cluster === null ? facts.size : sizeOf(source.cluster),
        migration: facts.migration,
      },
      service_key_id: key.id,
      contains_service_key: options.withServiceKey,
      objects,
      files: [],
    }
    for (const name of files) content.files.push(await describeFile(part, name, signal))
    writeManifest(part, content, key)
    await syncDisk(part, signal)
    renameSync(part, dir)
    await syncDisk(to, signal)
    return { dir, content }
  } finally {
    if (isOurs) rmSync(part, { recursive: true, force: true })
    await source.release()
  }
}

async function writeDatabase({ url, cluster }: Source, part: string, signal: AbortSignal): Promise<string> {
  if (cluster === null) {
    // The file is created before pg_dump writes it, so that other users can never read it.
    writeFileSync(path.join(part, names.dump), '', { mode: 0o600 })
    await dumpDatabase(url, path.join(part, names.dump), signal)
    return names.dump
  }
  const [archive, work] = [path.join(part, names.cluster), path.join(part, 'cluster')]
  writeFileSync(archive, '', { mode: 0o600 })
  await copyCluster({ url, data: cluster, work, archive }, signal)
  return names.cluster
}

function readKey(file: string): { key: BackupKey; text: string } {
  if (!existsSync(file))
    throw new Refusal(`${file} is missing: name the service key of a control plane with --service-key`)
  const text = readFileSync(file, 'utf8')
  return { key: new BackupKey(text, file), text }
}

/** The folder in which the backup is created. */
function openTarget({ to, data }: BackupOptions): string {
  mkdirSync(to, { recursive: true, mode: 0o700 })
  const real = realpathSync(to)
  const inside = existsSync(data) ? path.relative(realpathSync(data), real) : '..'
  if (inside === '' || (!inside.startsWith('..') && !path.isAbsolute(inside)))
    throw new Refusal(`${to} is in the data directory ${data}, which it must outlive: choose another folder`)
  return real
}

interface Facts extends Record<string, unknown> {
  migration: string
  service_key_id: string | null
  size: number
}

/** @throws Refusal for a database that no control plane has used */
async function readFacts(url: string): Promise<Facts> {
  const [tables] = await query<{ ours: boolean }>(
    url,
    `select to_regclass('installation') is not null and to_regclass('_prisma_migrations') is not null as ours`,
  )
  if (tables?.ours !== true) throw new Refusal('the database has no tables of Phonerack: start it once first')
  const [facts] = await query<Facts>(
    url,
    `select (select max(migration_name) from _prisma_migrations where finished_at is not null) as migration,
            (select service_key_id from installation where id = 1) as service_key_id,
            pg_database_size(current_database())::float8 as size`,
  )
  if (facts === undefined) throw new Error('the database did not answer')
  return facts
}

function checkKey(inDatabase: string | null, key: BackupKey, file: string): void {
  if (inDatabase === null)
    throw new Refusal('the database has no certificate authority yet: start the control plane once first')
  if (inDatabase !== key.id)
    throw new Refusal(
      `${file} is the service key ${key.id}, but the database is encrypted with ${inDatabase}: copy service.key of a running control plane here`,
    )
}
