/**
 * The installation to which a database belongs: its certificate authority (two during a rotation), whose key is
 * encrypted with the service key, and its NATS account. Hosts trust both, so a replica with a different authority or
 * account is refused. Called at each start. docs/decisions/0192
 */
import path from 'node:path'
import { authorityFingerprint, type Logger } from '@phonerack/shared'
import { type Config } from '../config/config.js'
import { StartRefusal } from '../config/refusal.js'
import { Authorities, type AuthoritySet } from '../pki/authorities.js'
import { Authority, newAuthority, splitPem, type AuthorityPem } from '../pki/authority.js'
import { fromPem, readIfThere, toPem } from '../pki/pem.js'
import { ServiceKey } from '../pki/service-key.js'
import { type Installation } from '../../gen/prisma/client.js'
import { addEntry, startActor } from './audit-log.js'
import { inTransaction, type Database } from './database.js'
import { runningReplica } from './running-replica.js'

type Files = Pick<Config, 'pkiDir' | 'serviceKeyFile'>
type Settings = Files & Pick<Config, 'newAuthority' | 'replicaId' | 'rules'>

/**
 * Returns the database's authority. A database without an authority gets the `ca.pem` of an earlier release, or a new
 * authority. Must be called under `takeStartLock`. @param natsAccount null if the broker requires no credentials
 * @throws StartRefusal
 */
export async function openInstallation(
  db: Database,
  config: Settings,
  natsAccount: string | null,
  log: Logger,
): Promise<Authorities> {
  const before = await db.installation.findUnique({ where: { id: 1 } })
  try {
    return await open(db, config, natsAccount, before)
  } catch (error) {
    if (!(error instanceof StartRefusal) || !config.newAuthority) throw error
    const running = await runningReplica(db, config)
    if (running !== null)
      throw new StartRefusal(
        `PHONERACK_NEW_AUTHORITY=yes is refused while the replica "${running}" runs, which has the authority. ${error.message}`,
        { cause: error },
      )
    log.warn({ reason: error.message }, 'replacing the certificate authority: every host must join again')
    await replace(db, config, before)
    return open(db, config, natsAccount, await db.installation.findUnique({ where: { id: 1 } }))
  }
}

async function open(
  db: Database,
  config: Settings,
  natsAccount: string | null,
  found: Installation | null,
): Promise<Authorities> {
  const row = found ?? (await create(db, config, natsAccount))
  const first = await openSet(row, config, [])
  if (natsAccount !== null) await checkAccount(db, row, natsAccount)
  return new Authorities(async ({ signing, other }) => {
    const current = await db.installation.findUniqueOrThrow({ where: { id: 1 } })
    return openSet(current, config, other === null ? [signing] : [signing, other])
  }, first)
}

/**
 * @param known authorities that are not decrypted again, since the service key may have been replaced since the start
 */
async function openSet(row: Installation, files: Files, known: readonly Authority[]): Promise<AuthoritySet> {
  const openOne = async (stored: Stored): Promise<Authority> =>
    known.find(({ caPem }) => caPem === stored.certificate) ??
    Authority.of(await decryptAuthority(stored, row.serviceKeyId, files))
  return {
    signing: await openOne({ certificate: row.caCertificate, key: row.caKey }),
    other:
      row.otherCaCertificate === null || row.otherCaKey === null
        ? null
        : await openOne({ certificate: row.otherCaCertificate, key: row.otherCaKey }),
    isSwitched: row.switchedAt !== null,
    begunAt: row.rotationBegunAt,
  }
}

/** Replaces the authority only if it is still the authority that was read. */
async function replace(db: Database, config: Settings, before: Installation | null): Promise<void> {
  const fresh = {
    ...columnsOf(await encryptAuthority(await newAuthority(), config)),
    natsAccount: null,
    otherCaCertificate: null,
    otherCaKey: null,
    // The service key of the earlier authority may be lost, in which case webhooks need new secrets.
    rotationBegunAt: null,
    switchedAt: null,
    webhookKey: null,
  }
  await inTransaction(db, async (tx) => {
    const { count } =
      before === null
        ? await tx.installation.createMany({ data: [{ id: 1, ...fresh }], skipDuplicates: true })
        : await tx.installation.updateMany({
            where: { id: 1, caCertificate: before.caCertificate, serviceKeyId: before.serviceKeyId },
            data: fresh,
          })
    if (count === 0) return
    await addEntry(tx, startActor(config.replicaId, new Date()), {
      action: 'authority.replace',
      target: null,
      before: before === null ? null : { signing: authorityFingerprint(before.caCertificate) },
      after: { signing: authorityFingerprint(fresh.caCertificate) },
    })
  })
}

async function create(db: Database, files: Settings, natsAccount: string | null): Promise<Installation> {
  const earlier = await readIfThere(path.join(files.pkiDir, 'ca.pem'))
  if (earlier === null) {
    const running = await runningReplica(db, files)
    // A replica that started at the same moment has created the row.
    const made = await db.installation.findUnique({ where: { id: 1 } })
    if (made !== null) return made
    if (running !== null)
      throw new StartRefusal(
        `The replica "${running}" runs on this database with the certificate authority of an earlier release, and ${files.pkiDir} has no ca.pem. ` +
          `Copy its \`ca.pem\` to ${files.pkiDir}/ca.pem and start again, or stop that replica first.`,
      )
  }
  if (earlier === null && (await db.host.count({ where: { retiredAt: null } })) > 0)
    throw new StartRefusal(
      `The database has hosts, which trust the certificate authority of a running replica, and ${files.pkiDir} has no ca.pem. ` +
        `Copy \`ca.pem\` of a running replica to ${files.pkiDir}/ca.pem and start again. ${ifLost}`,
    )
  const pem = earlier === null ? await newAuthority() : splitPem(earlier)
  const data = columnsOf(await encryptAuthority(pem, files))
  // Another replica may insert the same row: the first insert wins.
  await db.installation.createMany({ data: [{ id: 1, ...data, natsAccount }], skipDuplicates: true })
  return db.installation.findUniqueOrThrow({ where: { id: 1 } })
}

/** An authority in the form that the database stores. */
export interface Stored {
  certificate: string
  /** The key, encrypted with the service key. */
  key: Uint8Array<ArrayBuffer>
}

const columnsOf = ({ certificate, key, serviceKeyId }: Stored & { serviceKeyId: string }) => ({
  caCertificate: certificate,
  caKey: key,
  serviceKeyId,
})

export async function encryptAuthority(
  authority: AuthorityPem,
  { serviceKeyFile }: Pick<Files, 'serviceKeyFile'>,
): Promise<Stored & { serviceKeyId: string }> {
  const serviceKey = await ServiceKey.ensure(serviceKeyFile)
  return { ...sealAuthority(authority, serviceKey), serviceKeyId: serviceKey.id }
}

export const sealAuthority = ({ certificatePem, privateKeyPem }: AuthorityPem, by: ServiceKey): Stored => ({
  certificate: certificatePem,
  key: by.seal(fromPem('PRIVATE KEY', privateKeyPem), contextOf(certificatePem)),
})

/** @throws StartRefusal if the file contains a different key than the key with this ID */
export async function decryptAuthority(
  stored: Stored,
  serviceKeyId: string,
  { serviceKeyFile }: Pick<Files, 'serviceKeyFile'>,
): Promise<AuthorityPem> {
  const key = await ServiceKey.read(serviceKeyFile)
  if (key?.id !== serviceKeyId) throw foreign(serviceKeyId, serviceKeyFile, key)
  try {
    const der = key.open(stored.key, contextOf(stored.certificate))
    return { certificatePem: stored.certificate, privateKeyPem: toPem('PRIVATE KEY', der) }
  } catch (error) {
    throw new StartRefusal(
      `The certificate authority was changed in the database: ${serviceKeyFile} is its service key (${key.id}) but does not open it. ` +
        `Restore the table "installation" from a backup. ${ifLost}`,
      { cause: error },
    )
  }
}

/** The encrypted key is bound to its certificate. */
const contextOf = (certificatePem: string): string => `phonerack certificate authority\n${certificatePem}`

const ifLost =
  'If no copy exists, start once with PHONERACK_NEW_AUTHORITY=yes: every host must join again afterwards, with the token of `ctl host rejoin`.'

function foreign(serviceKeyId: string, file: string, key: ServiceKey | null): StartRefusal {
  const why = key === null ? `${file} does not exist` : `${file} is another key (${key.id})`
  return new StartRefusal(
    `The database belongs to another installation, whose hosts would refuse this replica: the certificate authority in it needs the service key ${serviceKeyId}, and ${why}. ` +
      `Copy \`service.key\` of a running replica to ${file} and start again, or set DATABASE_URL (\`up --database-url\`) to another database. ` +
      `See "Several replicas" in docs/operations.md. ${ifLost}`,
  )
}

async function checkAccount(db: Database, row: Installation, natsAccount: string): Promise<void> {
  const expected = row.natsAccount ?? (await claimAccount(db, natsAccount))
  if (expected === natsAccount) return
  throw new StartRefusal(
    `The hosts of this installation use the NATS account ${expected}, and NATS_ACCOUNT_SEED_FILE is the seed of ${natsAccount}: this replica could not reach any host. ` +
      `Set NATS_URL (\`up --nats-url\`), NATS_CREDS_FILE and NATS_ACCOUNT_SEED_FILE to the values of the running replicas. ${ifLost}`,
  )
}

async function claimAccount(db: Database, natsAccount: string): Promise<string | null> {
  await db.installation.updateMany({ where: { id: 1, natsAccount: null }, data: { natsAccount } })
  return (await db.installation.findUniqueOrThrow({ where: { id: 1 } })).natsAccount
}
