/** `rotate-service-key`: replaces the key that encrypts the certificate authority in the database. */
import { renameSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { plain } from '@phonerack/shared'
import { readConfig } from '../../base/config/config.js'
import { commandActor } from '../../base/db/audit-log.js'
import { openDatabase } from '../../base/db/database.js'
import { rotateServiceKey } from '../../base/db/rotate-service-key.js'
import { takeStartLock } from '../../base/db/start-lock.js'
import { ServiceKey } from '../../base/pki/service-key.js'
import { UsageError } from './usage-error.js'

export const rotateServiceKeyUsage = `       phonerack-control-plane rotate-service-key [--out FILE]

Encrypts the certificate authority in the database with a new service key. Run it with DATABASE_URL
and PHONERACK_PKI_DIR (or PHONERACK_SERVICE_KEY_FILE) of the control plane. Running replicas
continue. After an interruption, run it again.

  --out FILE             writes the new key there and leaves the current file; the default replaces
                         it and keeps the earlier key in the same folder
`

type Environment = Readonly<Record<string, string | undefined>>

/** Returns the text to print. @throws UsageError, StartRefusal */
export async function rotateKey(args: readonly string[], env: Environment): Promise<string> {
  const out = parse(args)
  for (const name of ['DATABASE_URL', 'PHONERACK_PKI_DIR'])
    if (!env[name]) throw new UsageError(`${name} must be set as for the control plane`)
  const config = readConfig({ ...env, NATS_URL: 'nats://127.0.0.1' })
  const { serviceKeyFile: file } = config
  const nextFile = out ?? `${file}.next`
  // The lock keeps replicas from starting with the earlier key until the command ends.
  const lock = await takeStartLock(config.databaseUrl, true)
  const database = openDatabase(config.databaseUrl, 2)
  try {
    // The control plane must be able to read the new file.
    const { to } = await rotateServiceKey(
      database.db,
      { serviceKeyFile: file, nextFile, like: out === null ? file : nextFile },
      commandActor('rotate-service-key', new Date()),
    )
    let kept: string | null = null
    if (out === null) {
      const current = await ServiceKey.read(file)
      if (current !== null && current.id !== to) {
        kept = `${file}.${current.id}`
        renameSync(file, kept)
      }
      renameSync(nextFile, file)
    }
    return [
      `The service key is ${to}, in ${plain(out ?? file)}.`,
      'Copy this file to every other replica before that replica starts again, and into your backup.',
      ...(kept !== null
        ? [
            `The earlier key, ${plain(kept)}, only opens earlier backups: store it with those backups, or delete it.`,
          ]
        : []),
      '',
    ].join('\n')
  } finally {
    await database.close()
    await lock.release()
  }
}

function parse(args: readonly string[]): string | null {
  try {
    const { out } = parseArgs({
      args: [...args],
      allowPositionals: false,
      options: { out: { type: 'string' } },
    }).values
    if (out === '') throw new UsageError('--out is empty')
    return out ?? null
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(error instanceof Error ? (error.message.split('. ', 1)[0] ?? '') : String(error))
  }
}
