/** `backup.json`: lists the files of a backup, signed with the service key, so that a changed backup is refused. */
import { createHash } from 'node:crypto'
import {
  createReadStream,
  createWriteStream,
  existsSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { z } from 'zod'
import { openRegular } from '../postgres/regular.js'
import type { BackupKey } from './key.js'
import { Refusal } from './refusal.js'

const contentSchema = z.object({
  format: z.literal(1),
  created_at: z.iso.datetime(),
  database: z.object({
    /** `cluster`: all files of an embedded Postgres. `dump`: the custom format of pg_dump. */
    kind: z.enum(['cluster', 'dump']),
    /** Major version of the server. */
    postgres: z.int(),
    /** Bytes of the database. */
    size: z.int(),
    /** The newest migration. */
    migration: z.string(),
  }),
  service_key_id: z.string(),
  contains_service_key: z.boolean(),
  /** Files of tenants in the storage. The backup lists them, but does not contain them. */
  objects: z.object({ count: z.int(), bytes: z.int() }),
  files: z.array(z.object({ name: z.string(), bytes: z.int(), sha256: z.string() })),
})
export type Content = z.infer<typeof contentSchema>

const manifestSchema = z.object({ content: z.unknown(), signature: z.string() })

const manifestName = 'backup.json'
export const names = {
  cluster: 'cluster.tar.gz',
  dump: 'database.dump',
  secrets: 'secrets.sealed',
  objects: 'objects.jsonl',
  serviceKey: 'service.key',
} as const

/** Name, bytes and SHA-256 of a file of the backup. */
export async function describeFile(dir: string, name: string, signal: AbortSignal) {
  const hash = createHash('sha256')
  const file = path.join(dir, name)
  for await (const chunk of createReadStream(file, { signal })) hash.update(chunk as Buffer)
  return { name, bytes: statSync(file).size, sha256: hash.digest('hex') }
}

export function writeManifest(dir: string, content: Content, key: BackupKey): void {
  const manifest = { content, signature: key.sign(JSON.stringify(content)) }
  writeFileSync(path.join(dir, manifestName), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 })
}

/**
 * The content before its signature is checked, from which the key is chosen.
 * @throws Refusal
 */
export function readManifest(dir: string): { content: Content; isSignedBy: (key: BackupKey) => boolean } {
  const file = path.join(dir, manifestName)
  if (!existsSync(file))
    throw new Refusal(`${dir} is not a backup: it has no ${manifestName}, which is written last`)
  const { content, signature } = parse(file, manifestSchema)
  const signed = JSON.stringify(content)
  const format = z.looseObject({ format: z.unknown() }).safeParse(content).data?.format
  if (format !== 1)
    throw new Refusal(`${dir} has the format ${String(format)}, which this release cannot read`)
  const checked = contentSchema.safeParse(content)
  if (!checked.success) throw new Refusal(`${file} is damaged: ${z.prettifyError(checked.error)}`)
  return { content: checked.data, isSignedBy: (key) => key.hasSigned(signed, signature) }
}

function parse<T>(file: string, schema: z.ZodType<T>): T {
  try {
    return schema.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch (cause) {
    throw new Refusal(`${file} is damaged`, { cause })
  }
}

/** Refuses a list with files that this release does not know, before anything is written. @throws Refusal */
export function checkNames(dir: string, content: Content): void {
  for (const { name } of content.files) {
    const isOurs = Object.values(names).some((known) => known === name)
    if (!isOurs)
      throw new Refusal(`the backup names ${JSON.stringify(name)}, which this release does not know`)
    if (!existsSync(path.join(dir, name))) throw new Refusal(`the backup is incomplete: ${name} is missing`)
  }
}

/**
 * Copies each file and compares the copy with the manifest, so that only checked files are restored: the
 * owner of the backup may change it during the restore.
 * @param to an empty folder that only this user can enter @throws Refusal
 */
export async function copyChecked(
  dir: string,
  to: string,
  content: Content,
  signal: AbortSignal,
): Promise<void> {
  for (const { name, bytes, sha256 } of content.files) {
    const opened = openRegular(path.join(dir, name))
    if (opened === 'absent') throw new Refusal(`the backup is incomplete: ${name} is missing`)
    if (opened === 'irregular') throw new Refusal(`the backup is damaged: ${name} is not a regular file`)
    const hash = createHash('sha256')
    // The limit prevents a growing file from filling the disk.
    const from = createReadStream('', { fd: opened.fd, end: bytes })
    from.on('data', (chunk) => hash.update(chunk))
    await pipeline(from, createWriteStream(path.join(to, name), { mode: 0o600, flags: 'wx' }), { signal })
    if (hash.digest('hex') !== sha256)
      throw new Refusal(`the backup is damaged: ${name} has changed since it was written`)
  }
}
