/**
 * The steps that replace the certificate authority while replicas and hosts run, and the progress of each step.
 * Replicas notice a step when they read the authorities again. For `rotate-authority`. docs/decisions/0249
 */
import { X509Certificate } from 'node:crypto'
import { authorityFingerprint } from '@phonerack/shared'
import { type Config } from '../config/config.js'
import { type Installation } from '../../gen/prisma/client.js'
import { newAuthority } from '../pki/authority.js'
import { addEntry, type DatedActor, type Facts } from './audit-log.js'
import { inTransaction, type Database, type Tx } from './database.js'
import { decryptAuthority, encryptAuthority } from './installation.js'
import { schemaVersion } from './schema-version.js'

export interface RotationStatus {
  phase: 'closed' | 'begun' | 'switched'
  /** Fingerprint of the signing authority. */
  signing: string
  /** Fingerprint of the next authority, which signs after the switch; null if no rotation is open. */
  next: string | null
  begunAt: Date | null
  switchedAt: Date | null
  /** Replicas that run. */
  replicas: { id: string; trustsNext: boolean; signsWithNext: boolean }[]
  /** Hosts that are not retired. */
  hosts: RotatingHost[]
}

export interface RotatingHost {
  id: string
  name: string
  lastSeenAt: Date | null
  /** False: the agent is of an earlier release, or has not sent a heartbeat yet. */
  reports: boolean
  trustsNext: boolean
  /** The next authority issued the host's certificate. */
  hasNext: boolean
}

type Rules = Pick<Config['rules'], 'replicaDeadAfterMs'>

/** The two authorities of an open rotation. */
export interface OpenRotation {
  phase: 'begun' | 'switched'
  /** Fingerprint of the next authority. */
  next: string
}

/** Returns null if no rotation is open. */
export async function readOpenRotation(db: Pick<Tx, 'installation'>): Promise<OpenRotation | null> {
  const row = await db.installation.findUnique({
    where: { id: 1 },
    select: { caCertificate: true, otherCaCertificate: true, switchedAt: true },
  })
  return row && openRotationOf(row)
}

function openRotationOf({
  caCertificate,
  otherCaCertificate,
  switchedAt,
}: Pick<Installation, 'caCertificate' | 'otherCaCertificate' | 'switchedAt'>): OpenRotation | null {
  if (otherCaCertificate === null) return null
  return switchedAt === null
    ? { phase: 'begun', next: authorityFingerprint(otherCaCertificate) }
    : { phase: 'switched', next: authorityFingerprint(caCertificate) }
}

/** @throws Error when the database has no authority */
export async function readRotation(
  db: Pick<Tx, 'installation' | 'host' | '$queryRaw'>,
  { replicaDeadAfterMs }: Rules,
): Promise<RotationStatus> {
  const row = await db.installation.findUnique({ where: { id: 1 } })
  if (row === null)
    throw new Error('the database has no certificate authority yet: start the control plane first')
  const { rotationBegunAt: begunAt, switchedAt } = row
  const signing = authorityFingerprint(row.caCertificate)
  const { phase, next } = openRotationOf(row) ?? { phase: 'closed' as const, next: null }
  const replicas = await db.$queryRaw<{ id: string; authorities: string[] }[]>`select id, authorities
    from replicas where beat_at > now() - make_interval(secs => ${replicaDeadAfterMs / 1000}::float8) order by id`
  const hosts = await db.host.findMany({
    where: { retiredAt: null },
    orderBy: [{ name: 'asc' }, { id: 'asc' }],
  })
  return {
    phase,
    signing,
    next,
    begunAt,
    switchedAt,
    replicas: replicas.map(({ id, authorities }) => ({
      id,
      trustsNext: next !== null && authorities.includes(next),
      signsWithNext: next !== null && authorities[0] === next,
    })),
    hosts: hosts.map((host) => ({
      id: host.id,
      name: host.name,
      lastSeenAt: host.lastSeenAt,
      reports: host.trustedAuthorities.length > 0,
      trustsNext: next !== null && host.trustedAuthorities.includes(next),
      hasNext: next !== null && host.certificateAuthority === next,
    })),
  }
}

/** The rotation is not in the state that the step needs, or hosts or replicas are not ready for it. */
export class StepRefused extends Error {
  override readonly name = 'StepRefused'
}

/** Creates the next authority. @throws StepRefused; StartRefusal for another service key */
export async function beginRotation(db: Database, config: Config, by: DatedActor): Promise<RotationStatus> {
  const before = await readRotation(db, config.rules)
  if (before.phase !== 'closed') throw new StepRefused('a rotation is open already')
  const row = await db.installation.findUniqueOrThrow({ where: { id: 1 } })
  // The decryption proves that the file contains the service key of the database.
  await decryptAuthority({ certificate: row.caCertificate, key: row.caKey }, row.serviceKeyId, config)
  const next = await encryptAuthority(await newAuthority(), config)
  return inTransaction(db, async (tx) => {
    const { count } = await tx.installation.updateMany({
      where: { id: 1, otherCaCertificate: null, serviceKeyId: next.serviceKeyId },
      data: {
        otherCaCertificate: next.certificate,
        otherCaKey: next.key,
        rotationBegunAt: by.at,
        switchedAt: null,
      },
    })
    if (count !== 1) throw new StepRefused('the installation was changed at the same time: nothing was begun')
    // Earlier releases would trust only one of the authorities.
    await tx.$executeRaw`update schema_version set serves_from = greatest(serves_from, ${schemaVersion}::int)`
    return recorded(tx, by, 'begin', before, await readRotation(tx, config.rules))
  })
}

/**
 * Lets the next authority sign. @param check called with the status after all concurrent joins; throws to refuse the
 * switch @throws StepRefused
 */
export function switchRotation(
  db: Database,
  rules: Rules,
  by: DatedActor,
  check: (status: RotationStatus) => void,
): Promise<RotationStatus> {
  return step(db, rules, by, switching, async (tx, status) => {
    check(status)
    await tx.$executeRaw`update installation set switched_at = ${by.at},
      ca_certificate = other_ca_certificate, ca_key = other_ca_key,
      other_ca_certificate = ca_certificate, other_ca_key = ca_key where id = 1`
  })
}

/** Ends the trust in the earlier authority, and deletes its key. @param check as in `switchRotation` */
export function finishRotation(
  db: Database,
  rules: Rules,
  by: DatedActor,
  check: (status: RotationStatus) => void,
): Promise<RotationStatus> {
  return step(db, rules, by, finishing, async (tx, status) => {
    check(status)
    const { caCertificate } = await tx.installation.findUniqueOrThrow({ where: { id: 1 } })
    await dropNextOfOthers(tx, new X509Certificate(caCertificate))
    await tx.installation.update({ where: { id: 1 }, data: closed })
  })
}

/** Drops the next authority, which is possible only before the switch. */
export const cancelRotation = (db: Database, rules: Rules, by: DatedActor): Promise<RotationStatus> =>
  step(db, rules, by, cancelling, (tx) =>
    tx.installation.update({ where: { id: 1 }, data: closed }).then(() => undefined),
  )

const closed = { otherCaCertificate: null, otherCaKey: null, rotationBegunAt: null, switchedAt: null }

interface Step {
  name: string
  needed: 'begun' | 'switched'
}
const switching: Step = { name: 'switch', needed: 'begun' }
const finishing: Step = { name: 'finish', needed: 'switched' }
const cancelling: Step = { name: 'cancel', needed: 'begun' }

const names = { begun: 'begun, and not switched', switched: 'switched' }

function step(
  db: Database,
  rules: Rules,
  by: DatedActor,
  { name, needed }: Step,
  work: (tx: Tx, status: RotationStatus) => Promise<void>,
): Promise<RotationStatus> {
  return inTransaction(db, async (tx) => {
    // A join locks the row until its host is stored (`operator/admit-host.ts`).
    await tx.$queryRaw`select 1 from installation where id = 1 for update`
    const status = await readRotation(tx, rules)
    if (status.phase !== needed)
      throw new StepRefused(
        `this needs a rotation that has been ${names[needed]}; the current rotation is ${status.phase}`,
      )
    await work(tx, status)
    return recorded(tx, by, name, status, await readRotation(tx, rules))
  })
}

async function recorded(
  tx: Tx,
  by: DatedActor,
  name: string,
  before: RotationStatus,
  after: RotationStatus,
): Promise<RotationStatus> {
  const facts = ({ phase, signing, next }: RotationStatus): Facts => ({ phase, signing, next })
  await addEntry(tx, by, {
    action: `authority.${name}`,
    target: null,
    before: facts(before),
    after: facts(after),
  })
  return after
}

/** Drops next certificates that hosts have not used, which would otherwise be sent again and refused. */
async function dropNextOfOthers(tx: Tx, authority: X509Certificate): Promise<void> {
  const waiting = await tx.host.findMany({
    where: { nextCertificatePem: { not: null } },
    select: { id: true, nextCertificatePem: true },
  })
  const foreign = waiting.filter(
    ({ nextCertificatePem: pem }) => pem !== null && !new X509Certificate(pem).verify(authority.publicKey),
  )
  await tx.host.updateMany({
    where: { id: { in: foreign.map(({ id }) => id) } },
    data: { nextCertificatePem: null, nextCertificateFingerprint: null },
  })
}
