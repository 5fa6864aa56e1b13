/**
 * The certificate of the broker, signed by the authority of hosts and control planes. One file contains the certificate
 * and its key, so that a renewal replaces both together. For `nats-config`. docs/decisions/0220
 */
import { X509Certificate } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import path from 'node:path'
import { createLogger, makePrivateFolder, plain, replacePrivate } from '@phonerack/shared'
import { readConfig } from '../../base/config/config.js'
import { addEntry, commandActor } from '../../base/db/audit-log.js'
import { openDatabase, type Database } from '../../base/db/database.js'
import { openInstallation } from '../../base/db/installation.js'
import { applyMigrations } from '../../base/db/migrate.js'
import { takeStartLock } from '../../base/db/start-lock.js'
import { type Authorities } from '../../base/pki/authorities.js'
import { StartRefusal } from '../../base/config/refusal.js'
import { UsageError } from './usage-error.js'

type Environment = Readonly<Record<string, string | undefined>>

/** Variables of the control plane that this program needs to open the authority. */
const needed = ['DATABASE_URL', 'PHONERACK_PKI_DIR'] as const

export const certificateFile = (dir: string): string => path.join(dir, 'broker.pem')

/** Whether the environment names the database and the service key of an installation. */
export const hasAuthority = (env: Environment): boolean => needed.every((name) => env[name])

/** @throws UsageError */
export function checkName(name: string): void {
  if (isIP(name) !== 0) return
  if (
    !/^(?=.{1,253}$)[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*$/.test(
      name,
    )
  )
    throw new UsageError(`--name must be a DNS name or an IP address, not ${plain(name)}`)
  // Host agents have names with this ending.
  if (/\.phonerack\.internal$/i.test(name))
    throw new UsageError('--name must not end with .phonerack.internal')
}

/**
 * Creates a certificate, unless there is one with these names that has more than a third of its life left. @param names
 * the names by which clients connect to the broker
 */
export async function ensureCertificate(
  dir: string,
  names: readonly string[],
  env: Environment,
): Promise<void> {
  const known = readCertificate(dir)
  if (known !== null && isFresh(known, new Date()) && sameNames(namesOf(known), names)) return
  await issueCertificate(dir, names, env)
}

/** Replaces the certificate and its key; the names stay the same. @throws UsageError when there is no certificate */
export async function renewCertificate(dir: string, env: Environment): Promise<Date> {
  const known = readCertificate(dir)
  if (known === null)
    throw new UsageError(
      `${plain(certificateFile(dir))} does not exist: --renew is for a certificate that nats-config has created`,
    )
  return issueCertificate(dir, namesOf(known), env)
}

/** Returns the time at which the certificate ends. */
async function issueCertificate(dir: string, names: readonly string[], env: Environment): Promise<Date> {
  const { certificatePem, privateKeyPem } = await withAuthority(env, async ({ signing }, db) => {
    const issued = await signing.issueBroker(names)
    await addEntry(db, commandActor('nats-config', new Date()), {
      action: 'nats.issue_certificate',
      target: null,
      before: null,
      after: {
        names,
        expires_at: new Date(new X509Certificate(issued.certificatePem).validTo).toISOString(),
      },
    })
    return issued
  })
  makePrivateFolder(dir)
  // The user that runs nats-server may own the file.
  replacePrivate(certificateFile(dir), certificatePem + privateKeyPem)
  return new Date(new X509Certificate(certificatePem).validTo)
}

/** Opens the installation as a starting replica does, and creates it in an empty database. */
async function withAuthority<T>(
  env: Environment,
  work: (authorities: Authorities, db: Database) => Promise<T>,
): Promise<T> {
  const missing = needed.filter((name) => !env[name])
  if (missing.length > 0)
    throw new UsageError(
      `${missing.join(' and ')} must have the same values as for the control plane, whose authority signs the certificate`,
    )
  // The command runs before the broker does.
  const config = readConfig({ ...env, NATS_URL: 'nats://127.0.0.1', PHONERACK_NEW_AUTHORITY: 'no' })
  await applyMigrations(config.databaseUrl).catch((error: unknown) => {
    throw error instanceof StartRefusal
      ? error
      : new Error(`the database of DATABASE_URL cannot be used: ${whyOf(error)}`, { cause: error })
  })
  const lock = await takeStartLock(config.databaseUrl, false)
  const database = openDatabase(config.databaseUrl, 2)
  try {
    const { db } = database
    return await work(await openInstallation(db, config, null, createLogger('nats-config')), db)
  } finally {
    await database.close()
    await lock.release()
  }
}

/** Node.js reports several refused addresses as one error without a message. */
const whyOf = (error: unknown): string =>
  (error instanceof Error && (error.message || ('code' in error && String(error.code)))) || String(error)

function readCertificate(dir: string): X509Certificate | null {
  const file = certificateFile(dir)
  return existsSync(file) ? new X509Certificate(readFileSync(file)) : null
}

const isFresh = ({ validFrom, validTo }: X509Certificate, now: Date): boolean => {
  const [from, to] = [Date.parse(validFrom), Date.parse(validTo)]
  return to - now.getTime() > (to - from) / 3
}

const sameNames = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((name) => b.includes(name))

/** Node.js prints the names as `DNS:a, IP Address:192.0.2.7`. */
const namesOf = ({ subjectAltName = '' }: X509Certificate): string[] =>
  subjectAltName
    .split(', ')
    .map((name) => /^(?:DNS|IP Address):(.+)$/.exec(name)?.[1])
    .filter((name) => name !== undefined)
