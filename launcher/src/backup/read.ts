/**
 * Restores a backup to a data directory from which `up` starts, or to a database of the operator and a folder
 * of keys.
 */
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import type { RestoreOptions } from './args.js'
import { checkEmpty, loadDump, query } from './dump.js'
import { BackupKey } from './key.js'
import { checkNames, copyChecked, names, readManifest, type Content } from './manifest.js'
import { Refusal } from './refusal.js'
import { checkRoom } from './room.js'
import { syncDisk } from './run.js'
import { writePrivate, writeSecrets } from './secrets.js'

/** The bytes of the log that a cluster writes when it starts. */
const logBytes = 64_000_000

/** @throws Refusal, and the reason of `signal` once it is aborted; the data directory is then unchanged */
export async function restoreBackup(options: RestoreOptions, signal: AbortSignal): Promise<Content> {
  const { from, data, databaseUrl } = options
  const { content, isSignedBy } = readManifest(from)
  const { key, text: keyText } = readKey(options, content)
  if (!isSignedBy(key)) throw new Refusal(`the backup is damaged: its list of files was changed`)
  checkNames(from, content)
  checkKind(content, databaseUrl)
  if (databaseUrl !== null) await checkEmpty(databaseUrl)
  const embedded = databaseUrl === null ? await import('./embedded.js') : null
  const isNew = !existsSync(data)
  if (!isNew && readdirSync(data).length > 0)
    throw new Refusal(`${data} is not empty: restore into a new folder`)
  mkdirSync(data, { recursive: true, mode: 0o700 })
  const unlock = embedded?.lockData(data)
  try {
    const copied = content.files.reduce((sum, { bytes }) => sum + bytes, 0)
    checkRoom(data, copied + (databaseUrl === null ? content.database.size + logBytes : 0))
    const copy = mkdtempSync(path.join(data, '.backup-'))
    await copyChecked(from, copy, content, signal)
    const secrets = key.open(readFileSync(path.join(copy, names.secrets)), content.created_at)
    writePrivate(path.join(data, 'pki', 'service.key'), keyText)
    writeSecrets(data, secrets)
    if (embedded !== null)
      await embedded.restoreEmbedded(data, path.join(copy, names.cluster), signal, renewEpoch)
    if (databaseUrl !== null) {
      await loadDump(databaseUrl, path.join(copy, names.dump), signal)
      await renewEpoch(databaseUrl)
    }
    rmSync(copy, { recursive: true })
    await syncDisk(data, signal)
    unlock?.()
    return content
  } catch (error) {
    embedded?.eraseEmbedded(data)
    for (const name of readdirSync(data)) rmSync(path.join(data, name), { recursive: true, force: true })
    if (isNew) rmSync(data, { recursive: true, force: true })
    throw error
  }
}

function readKey(
  { from, serviceKeyFile, ownKeyFile }: RestoreOptions,
  content: Content,
): { key: BackupKey; text: string } {
  const file =
    serviceKeyFile ?? (content.contains_service_key ? path.join(from, names.serviceKey) : ownKeyFile)
  if (file === null)
    throw new Refusal(
      `the backup does not contain its service key ${content.service_key_id}: name the file with --service-key`,
    )
  if (!existsSync(file)) throw new Refusal(`${file} is missing`)
  const text = readFileSync(file, 'utf8')
  const key = new BackupKey(text, file)
  if (key.id !== content.service_key_id)
    throw new Refusal(
      `${file} is the service key ${key.id}, but the backup needs ${content.service_key_id}; after a rotation, that is service.key.${content.service_key_id} in the folder of service.key`,
    )
  return { key, text }
}

function checkKind({ database }: Content, url: string | null): void {
  if (database.kind === 'dump' && url === null)
    throw new Refusal('the backup has a dump: name an empty database with --database-url')
  if (database.kind === 'cluster' && url !== null)
    throw new Refusal('the backup has the files of an embedded Postgres: restore it without --database-url')
}

/** Sets a new epoch before any control plane starts, like `ctl service restored`. docs/decisions/0141 */
async function renewEpoch(url: string): Promise<void> {
  const epoch = randomBytes(16).toString('hex')
  await query(
    url,
    `begin;
     update database_epoch set epoch = '${epoch}', changed_at = now() where id = 1;
     update listened set counts_from_ms = total_ms;
     commit`,
  )
}
