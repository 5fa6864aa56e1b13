// One database belongs to one installation: replicas share its certificate authority and its broker account,
// and others do not start. With real Postgres and real replicas.
import { randomBytes } from 'node:crypto'
import { copyFile, mkdir, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { createAccount } from '@nats-io/jwt'
import { authorityFingerprint, newSecret, hashSecret } from '@phonerack/shared'
import { beforeAll, expect, it } from 'vitest'
import { StartRefusal } from '../config/refusal.js'
import { newAuthority } from '../pki/authority.js'
import { eventually, useWorld, type Plane } from '../../testing/world.js'
import { openDatabase, type Database } from './database.js'
import { takeStartLock } from './start-lock.js'

const world = useWorld()
let plane: Plane
beforeAll(async () => {
  plane = await world.start()
})

async function newFolder(): Promise<string> {
  const dir = path.join(world.dir, `pki-${randomBytes(4).toString('hex')}`)
  await mkdir(dir, { recursive: true })
  return dir
}

/** Starts another replica with its own folder. */
const beside = (first: Plane, env: Record<string, string>) => world.start({ beside: first, env })

/** The message of the refusal to start. */
async function refusal(first: Plane, env: Record<string, string>): Promise<string> {
  const error: unknown = await beside(first, env).then(
    () => null,
    (reason: unknown) => reason,
  )
  if (!(error instanceof StartRefusal)) throw new Error('no refusal', { cause: error })
  return error.message
}

const token = async ({ operator, operatorToken }: Plane) =>
  (
    await operator.inject({
      url: '/operator/v1/service',
      headers: { authorization: `Bearer ${operatorToken}` },
    })
  ).statusCode

it('refuses a replica without the service key, and says which file to copy', async () => {
  const dir = await newFolder()
  const message = await refusal(plane, { PHONERACK_PKI_DIR: dir })
  expect(message).toContain('belongs to another installation')
  expect(message).toContain(`Copy \`service.key\` of a running replica to ${dir}/service.key`)
  expect(message).toContain('PHONERACK_NEW_AUTHORITY=yes')
  expect(message).not.toContain('password')
  await expect(stat(`${dir}/service.key`)).rejects.toThrow('ENOENT')
})

it('refuses a replica with another service key', async () => {
  const dir = await newFolder()
  const other = await world.start()
  await copyFile(`${other.config.pkiDir}/service.key`, `${dir}/service.key`)
  expect(await refusal(plane, { PHONERACK_PKI_DIR: dir })).toContain(`${dir}/service.key is another key`)
})

it('gives the same authority to each replica that has the service key, with the key encrypted in the database', async () => {
  const file = path.join(await newFolder(), 'of-the-service.pem')
  await copyFile(`${plane.config.pkiDir}/service.key`, file)
  const env = { PHONERACK_PKI_DIR: await newFolder(), PHONERACK_SERVICE_KEY_FILE: file }
  const second = await beside(plane, env)
  const row = await plane.app.core.db.installation.findUniqueOrThrow({ where: { id: 1 } })
  expect(second.app.authority.caPem).toBe(plane.app.authority.caPem)
  expect(row.caCertificate).toBe(plane.app.authority.caPem)
  // PKCS #8 of a P-256 key begins with this.
  expect(Buffer.from(row.caKey).includes(Buffer.from('3081870201003013', 'hex'))).toBe(false)
  expect((await stat(`${plane.config.pkiDir}/service.key`)).mode & 0o777).toBe(0o600)
  await second.close()
})

it('refuses an authority that the database exchanged', async () => {
  const own = await world.start()
  const foreign = await newAuthority()
  await own.close()
  await rewrite(own, (db) =>
    db.installation.update({ where: { id: 1 }, data: { caCertificate: foreign.certificatePem } }),
  )
  expect(await refusal(own, {})).toContain('was changed in the database')
})

it('takes over the authority of an earlier release, and refuses to replace one that hosts trust', async () => {
  const old = await newAuthority()
  const dir = await newFolder()
  await writeFile(`${dir}/ca.pem`, `${old.certificatePem}${old.privateKeyPem}`, { mode: 0o600 })
  const upgraded = await world.start({ env: { PHONERACK_PKI_DIR: dir } })
  expect(upgraded.app.authority.caPem).toBe(old.certificatePem)
  await upgraded.agent('rack')
  await upgraded.close()
  await rewrite(upgraded, (db) => db.installation.deleteMany())
  const empty = await newFolder()
  expect(await refusal(upgraded, { PHONERACK_PKI_DIR: empty })).toContain(
    `Copy \`ca.pem\` of a running replica to ${empty}/ca.pem`,
  )
  const again = await beside(upgraded, { PHONERACK_PKI_DIR: dir })
  expect(again.app.authority.caPem).toBe(old.certificatePem)
  await again.close()
})

it('refuses a replica with another broker account', async () => {
  const seedFile = path.join(await newFolder(), 'account.seed')
  await writeFile(seedFile, new TextDecoder().decode(createAccount().getSeed()))
  const message = await refusal(plane, {
    PHONERACK_PKI_DIR: plane.config.pkiDir,
    NATS_ACCOUNT_SEED_FILE: seedFile,
  })
  expect(message).toContain('NATS account')
  expect(message).toContain('NATS_URL')
})

it('replaces a lost authority when the operator asks for it and no replica has it', async () => {
  const own = await world.start()
  const before = own.app.authority.caPem
  const env = { PHONERACK_PKI_DIR: await newFolder(), PHONERACK_NEW_AUTHORITY: 'yes' }
  expect(await refusal(own, env)).toContain(`refused while the replica "${own.config.replicaId}" runs`)
  await own.close()
  const after = await beside(own, env)
  expect(after.app.authority.caPem).not.toBe(before)
  await after.close()
  const again = await beside(own, env)
  expect(again.app.authority.caPem).toBe(after.app.authority.caPem)
  const entries = await again.app.core.db.auditEntry.findMany({ where: { action: 'authority.replace' } })
  expect(entries).toHaveLength(1)
  expect(entries[0]).toMatchObject({
    requestId: `start of ${after.config.replicaId}`,
    tokenId: 'configuration',
    before: { signing: authorityFingerprint(before) },
    after: { signing: authorityFingerprint(after.app.authority.caPem) },
  })
  await again.close()
})

it('keeps the authority while a process with the same replica ID runs', async () => {
  const own = await world.start()
  const env = { PHONERACK_PKI_DIR: await newFolder(), PHONERACK_NEW_AUTHORITY: 'yes' }
  const { replicaId } = own.config
  const again = world.start({ beside: own, env, replicaId })
  await expect(again).rejects.toThrow(`refused while the replica "${replicaId}" runs`)
  const row = await own.app.core.db.installation.findUniqueOrThrow({ where: { id: 1 } })
  expect(row.caCertificate).toBe(own.app.authority.caPem)
})

it('keeps the authority when another replica that had begun to start runs by then', async () => {
  const own = await world.start()
  await own.close()
  await rewrite(own, async (db) => {
    // The other replica has read the authority, and has not sent its first beat.
    const other = await takeStartLock(own.config.databaseUrl, false)
    const env = { PHONERACK_PKI_DIR: await newFolder(), PHONERACK_NEW_AUTHORITY: 'yes' }
    const refused = refusal(own, env)
    await eventually(async () => {
      const waiting = await db.$queryRaw<unknown[]>`select 1 as waits from pg_locks
        where locktype = 'advisory' and not granted
          and database = (select oid from pg_database where datname = current_database())`
      return waiting.length > 0
    })
    await db.replica.create({ data: { id: 'other', beatAt: inAnHour() } })
    await other.release()
    expect(await refused).toContain('refused while the replica "other" runs')
    expect((await db.installation.findUniqueOrThrow({ where: { id: 1 } })).caCertificate).toBe(
      own.app.authority.caPem,
    )
  })
})

it('creates no authority while a replica of an earlier release runs', async () => {
  const own = await world.start()
  await own.close()
  await rewrite(own, async (db) => {
    await db.installation.deleteMany()
    await db.replica.create({ data: { id: 'earlier', beatAt: inAnHour() } })
    const dir = await newFolder()
    expect(await refusal(own, { PHONERACK_PKI_DIR: dir })).toContain(`Copy its \`ca.pem\` to ${dir}/ca.pem`)
    expect(await db.installation.count()).toBe(0)
  })
})

it('refuses another operator token while a replica runs, whose token stays valid', async () => {
  const env = { PHONERACK_OPERATOR_TOKEN_SHA256: hashSecret(newSecret('operator')) }
  const message = await refusal(plane, env)
  expect(message).toContain(`replica "${plane.config.replicaId}"`)
  expect(message).toContain('ctl operator token create')
  expect(await token(plane)).toBe(200)
  const own = await world.start()
  await own.close()
  const replaced = await beside(own, env)
  expect(await token(replaced)).toBe(401)
  await replaced.close()
})

/** A beat that stays fresh for the whole test. */
const inAnHour = () => new Date(Date.now() + 3_600_000)

/** Changes the rows of a database whose replica has stopped. */
async function rewrite(stopped: Plane, work: (db: Database) => Promise<unknown>): Promise<void> {
  const opened = openDatabase(stopped.config.databaseUrl, 1)
  try {
    await work(opened.db)
  } finally {
    await opened.close()
  }
}
