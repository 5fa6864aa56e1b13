/**
 * `phonerack-control-plane backup` and `restore`. They work like the scripts, with the folders and the
 * database in the settings of the control plane. The control plane imports only this file.
 */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { duration, folder, parsed, type BackupOptions, type RestoreOptions } from './args.js'
import { runWithin } from './main.js'
import { restoreBackup } from './read.js'
import { UsageError } from './refusal.js'
import { backupReport, restoreReport } from './report.js'
import { writeBackup } from './write.js'

export { UsageError } from './refusal.js'

type Environment = Readonly<Record<string, string | undefined>>

/** The folder of `nats-config` in docs/operations.md. */
const natsFolder = '/etc/phonerack/nats-server'

export const backupUsage = `       phonerack-control-plane backup --to DIR [options]

Writes a backup into the new folder DIR/phonerack-TIME while replicas run: the database of
DATABASE_URL, the keys of NATS, earlier service keys, and a list of the stored files. Keys are
encrypted with the service key, which the backup does not contain: keep a copy of it elsewhere. Run
it as root; it needs pg_dump, at least as new as the server (postgresql-client).

  --nats-dir DIR         folder of nats-config (default: ${natsFolder})
  --with-service-key     includes the service key in clear text: the backup then suffices for a
                         restore, and for anyone who gets it to act as this installation
  --deadline TIME        gives up after this time, such as 30m or 2h (default: 1h)
`

export const restoreUsage = `       phonerack-control-plane restore BACKUP --data DIR [options]

Restores a backup into an empty database, and its keys into the folders pki and nats of DIR, which
must be absent or empty. The database gets a new epoch: no device is handed out before its host has
confirmed that it is clean. DATABASE_URL names server, user and password. Stop all replicas first.

  --database NAME        the empty database on that server (default: that of DATABASE_URL)
  --service-key FILE     the service key, if neither the backup nor this machine has it
  --deadline TIME        gives up after this time, such as 30m or 2h (default: 1h)
`

/** Returns the text to print. @throws UsageError, Refusal */
export async function backupService(args: readonly string[], env: Environment): Promise<string> {
  return runWithin(backupOptions(args, env), async (options, signal) =>
    backupReport(await writeBackup(options, signal)),
  )
}

/** Returns the text to print. @throws UsageError, Refusal */
export async function restoreService(args: readonly string[], env: Environment): Promise<string> {
  return runWithin(restoreOptions(args, env), async (options, signal) => {
    const content = await restoreBackup(options, signal)
    const database = options.databaseUrl === null ? '' : new URL(options.databaseUrl).pathname.slice(1)
    const next = `set the database of DATABASE_URL to ${database} for every control plane, and start them`
    return restoreReport(options.data, content, next)
  })
}

const shared = { deadline: { type: 'string' } } as const

function backupOptions(args: readonly string[], env: Environment): BackupOptions {
  const { values } = parsed(() =>
    parseArgs({
      args: [...args],
      options: {
        ...shared,
        to: { type: 'string' },
        'nats-dir': { type: 'string' },
        'with-service-key': { type: 'boolean' },
      },
    }),
  )
  const to = folder('to', values.to)
  if (to === null) throw new UsageError('--to must name the folder for the backup')
  const { databaseUrl, pkiDir, serviceKeyFile } = settings(env)
  return {
    // `apt-get purge` deletes this folder, so a backup in it is refused.
    data: path.dirname(pkiDir),
    to,
    databaseUrl: databaseUrl.href,
    pkiDir,
    serviceKeyFile,
    natsDir: folder('nats-dir', values['nats-dir']) ?? natsFolder,
    withServiceKey: values['with-service-key'] ?? false,
    deadlineMs: duration(values.deadline),
  }
}

function restoreOptions(args: readonly string[], env: Environment): RestoreOptions {
  const { values, positionals } = parsed(() =>
    parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        ...shared,
        data: { type: 'string' },
        database: { type: 'string' },
        'service-key': { type: 'string' },
      },
    }),
  )
  const [from, ...others] = positionals
  if (from === undefined || from === '') throw new UsageError('the folder of the backup must be named')
  if (others.length > 0) throw new UsageError(`only one backup can be restored, not also ${others.join(' ')}`)
  const data = folder('data', values.data)
  if (data === null) throw new UsageError('--data must name the folder for the keys')
  const { databaseUrl, serviceKeyFile } = settings(env)
  if (values.database !== undefined) databaseUrl.pathname = `/${encodeURIComponent(values.database)}`
  if (databaseUrl.pathname.length < 2) throw new UsageError('--database must name a database')
  return {
    from: path.resolve(from),
    data,
    databaseUrl: databaseUrl.href,
    serviceKeyFile: folder('service-key', values['service-key']),
    ownKeyFile: existsSync(serviceKeyFile) ? serviceKeyFile : null,
    deadlineMs: duration(values.deadline),
  }
}

function settings(env: Environment): { databaseUrl: URL; pkiDir: string; serviceKeyFile: string } {
  const { DATABASE_URL: url, PHONERACK_PKI_DIR: dir, PHONERACK_SERVICE_KEY_FILE: key } = env
  for (const [name, value] of Object.entries({ DATABASE_URL: url, PHONERACK_PKI_DIR: dir }))
    if (!value) throw new UsageError(`${name} must be set as for the control plane`)
  if (!url || !URL.canParse(url)) throw new UsageError('DATABASE_URL must be a URL')
  const pkiDir = path.resolve(dir ?? '')
  return { databaseUrl: new URL(url), pkiDir, serviceKeyFile: key || path.join(pkiDir, 'service.key') }
}
