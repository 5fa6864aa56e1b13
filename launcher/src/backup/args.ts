/** The command lines of `./scripts/backup` and `./scripts/restore`. */
import path from 'node:path'
import { parseArgs } from 'node:util'
import { UsageError } from './refusal.js'

export interface BackupOptions {
  /** Data directory of `up`, absolute. It provides the defaults of the other options. */
  data: string
  /** Folder in which the backup is created, absolute. */
  to: string
  /** Null: the embedded Postgres of `data`. */
  databaseUrl: string | null
  pkiDir: string
  natsDir: string
  serviceKeyFile: string
  withServiceKey: boolean
  deadlineMs: number
}

export interface RestoreOptions {
  /** Folder of the backup, absolute. */
  from: string
  /** New data directory, absolute. */
  data: string
  databaseUrl: string | null
  /** The file of the service key; null: the backup contains the key. */
  serviceKeyFile: string | null
  /** The service key file of this installation, for a backup that does not contain its key; null: unknown. */
  ownKeyFile: string | null
  deadlineMs: number
}

export const backupUsage = `Usage: ./scripts/backup --to DIR [options]

Writes a backup into a new folder in DIR while Phonerack runs, or while it does not: the database,
the keys of NATS and the secrets of the data directory, and a list of the stored files. Keys are
encrypted with the service key, which the backup does not contain: keep a copy of it elsewhere.

  --to DIR            gets the folder phonerack-TIME; must be outside of the data directory
  --data DIR          data directory of up (default: .phonerack in the checkout)
  --database-url U    the Postgres to dump with pg_dump, instead of the embedded one of --data
  --pki-dir DIR       has service.key (default: DATA/pki)
  --nats-dir DIR      keys of NATS, as nats-config writes them (default: DATA/nats)
  --service-key FILE  the service key, if it is not in --pki-dir
  --with-service-key  includes the service key in clear text: the backup then suffices for a
                      restore, and for anyone who gets it to act as this installation
  --deadline TIME     gives up after this time, such as 30m or 2h (default: 1h)
  --help              print this text

The password of --database-url comes from the variable PGPASSWORD, or from a file as of psql: ~/.pgpass,
or the one that PGPASSFILE names. pg_dump must be at least as new as the server. PHONERACK_PG_BIN names the folder of the client
programs of Postgres if they are neither in PATH nor in /usr/lib/postgresql.
`

export const restoreUsage = `Usage: ./scripts/restore BACKUP --data DIR [options]

Restores a backup of ./scripts/backup into a new data directory, from which ./scripts/up starts. The
database gets a new epoch: no device is handed out before its host has confirmed that it is clean.

  BACKUP              folder of the backup
  --data DIR          the new data directory; must be absent or empty
  --service-key FILE  the service key, unless the backup contains it
  --database-url U    an empty database, for a backup that was made with --database-url
  --deadline TIME     gives up after this time, such as 30m or 2h (default: 1h)
  --help              print this text

The password of --database-url comes from the variable PGPASSWORD, or from a file as of psql: ~/.pgpass,
or the one that PGPASSFILE names.
`

const shared = {
  data: { type: 'string' },
  'database-url': { type: 'string' },
  'service-key': { type: 'string' },
  deadline: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const

/** Null when help was requested. @param root the checkout @throws UsageError */
export function parseBackupArgs(argv: readonly string[], root: string): BackupOptions | null {
  const options = {
    ...shared,
    to: { type: 'string' },
    'pki-dir': { type: 'string' },
    'nats-dir': { type: 'string' },
    'with-service-key': { type: 'boolean' },
  } as const
  const { values, positionals } = parsed(() =>
    parseArgs({ args: [...argv], allowPositionals: true, options }),
  )
  if (values.help === true) return null
  if (positionals.length > 0) throw new UsageError(`backup takes no argument ${positionals.join(' ')}`)
  const data = folder('data', values.data) ?? path.join(root, '.phonerack')
  const to = folder('to', values.to)
  if (to === null) throw new UsageError('--to must name the folder for the backup')
  const pkiDir = folder('pki-dir', values['pki-dir']) ?? path.join(data, 'pki')
  return {
    data,
    to,
    pkiDir,
    databaseUrl: databaseUrl(values['database-url']),
    natsDir: folder('nats-dir', values['nats-dir']) ?? path.join(data, 'nats'),
    serviceKeyFile: folder('service-key', values['service-key']) ?? path.join(pkiDir, 'service.key'),
    withServiceKey: values['with-service-key'] ?? false,
    deadlineMs: duration(values.deadline),
  }
}

/** Null when help was requested. @throws UsageError */
export function parseRestoreArgs(argv: readonly string[]): RestoreOptions | null {
  const { values, positionals } = parsed(() =>
    parseArgs({ args: [...argv], allowPositionals: true, options: shared }),
  )
  if (values.help === true) return null
  const [from, ...others] = positionals
  if (from === undefined || from === '') throw new UsageError('the folder of the backup must be named')
  if (others.length > 0) throw new UsageError(`only one backup can be restored, not also ${others.join(' ')}`)
  const data = folder('data', values.data)
  if (data === null) throw new UsageError('--data must name the new data directory')
  return {
    from: path.resolve(from),
    data,
    databaseUrl: databaseUrl(values['database-url']),
    serviceKeyFile: folder('service-key', values['service-key']),
    ownKeyFile: null,
    deadlineMs: duration(values.deadline),
  }
}

/** @throws UsageError */
export function parsed<T>(parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    const message = error instanceof Error ? (error.message.split('. ', 1)[0] ?? '') : String(error)
    throw new UsageError(message, { cause: error })
  }
}

/**
 * An absolute path; null when the option was omitted.
 * @throws UsageError
 */
export function folder(name: string, text: string | undefined): string | null {
  if (text === '') throw new UsageError(`--${name} must not be empty`)
  return text === undefined ? null : path.resolve(text)
}

function databaseUrl(text: string | undefined): string | null {
  if (text === undefined) return null
  const names = URL.canParse(text) ? new URL(text) : null
  if (names === null || !['postgres:', 'postgresql:'].includes(names.protocol) || names.pathname.length < 2)
    throw new UsageError(
      '--database-url must be a URL such as postgresql://USER@HOST/DATABASE, with the name of a database',
    )
  if (names.password !== '' || names.searchParams.has('password'))
    throw new UsageError(
      '--database-url must not contain a password, since every user of the machine can read the arguments of a process: set PGPASSWORD, or PGPASSFILE to a file of mode 0600',
    )
  return text
}

const units = { s: 1000, m: 60_000, h: 3_600_000 } as const

/** Milliseconds. @throws UsageError */
export function duration(text = '1h'): number {
  const [, count = '', unit = ''] = /^(\d{1,6})([smh])$/.exec(text) ?? []
  const ms = Number(count) * units[unit as keyof typeof units]
  if (!(ms > 0)) throw new UsageError(`--deadline must be a duration such as 30m or 2h, not ${text}`)
  // A timer of Node.js holds at most 24 days.
  return Math.min(ms, 2_000_000_000)
}
