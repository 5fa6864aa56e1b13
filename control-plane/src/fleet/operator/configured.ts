/**
 * The operator token in the configuration (`PHONERACK_OPERATOR_TOKEN_SHA256`). Called when a
 * replica starts.
 */
import { newId } from '@phonerack/shared'
import { type OperatorToken } from '../../gen/prisma/client.js'
import { type Config } from '../../base/config/config.js'
import { StartRefusal } from '../../base/config/refusal.js'
import { type Core } from '../../base/core/core.js'
import { type Database } from '../../base/db/database.js'
import { runningReplica } from '../../base/db/running-replica.js'
import { addAudit } from '../../base/audit/audit.js'
import { byConfiguration, isRevokedByOperator, tokenView } from '../../base/audit/tokens.js'
import { actingAs, inAuditedTransaction, type Origin, type Work } from '../../base/audit/work.js'

/**
 * Refuses a start that would revoke the configured token of a running replica. @throws StartRefusal
 */
export async function refuseOtherToken(
  db: Database,
  config: Pick<Config, 'operatorTokenHash' | 'replicaId' | 'rules'>,
): Promise<void> {
  const { operatorTokenHash: secretHash } = config
  if (secretHash === null) return
  const where = { isConfigured: true, secretHash: { not: secretHash }, revokedAt: null }
  if ((await db.operatorToken.count({ where })) === 0) return
  const running = await runningReplica(db, config)
  if (running === null) return
  throw new StartRefusal(
    `The replica "${running}" runs on this database with another operator token, which this start would revoke. ` +
      'Give all replicas the same PHONERACK_OPERATOR_TOKEN_SHA256 (`up`: copy `secrets.json` of its data directory), or leave it out here. ' +
      'For another token, run `ctl operator token create`; to replace the configured one, stop all replicas first.',
  )
}

/**
 * Makes the configured token valid, unless an operator revoked it, and revokes any earlier
 * configured one. Each change has an audit entry in the name of the configured token.
 */
export async function setConfiguredOperator(
  core: Core,
  secretHash: string,
  replicaId: string,
): Promise<void> {
  const id = newId('operatorToken')
  const from = { address: '', requestId: `start of ${replicaId}` }
  await inAuditedTransaction(core, from, async (work) => {
    const token = await enter(work, id, secretHash)
    await replaceOthers(work, token)
    if (token.revokedAt)
      work.afterCommit(() => core.log.error({ token: token.id }, 'the configured operator token was revoked'))
  })
}

/** Returns the row of the configured token: created, restored, or unchanged. */
async function enter(work: Work<Origin>, id: string, secretHash: string): Promise<OperatorToken> {
  const { tx, now } = work
  const row = { id, secretHash, name: 'configured', isConfigured: true, createdAt: now }
  // Waits for a replica that starts at the same moment with the same configuration.
  const { count } = await tx.operatorToken.createMany({ data: [row], skipDuplicates: true })
  await tx.$queryRaw`select 1 from operator_tokens where secret_hash = ${secretHash} for update`
  const before = await tx.operatorToken.findUniqueOrThrow({ where: { secretHash } })
  if (count === 0 && (before.revokedAt === null || isRevokedByOperator(before))) return before
  const token = await tx.operatorToken.update({
    where: { secretHash },
    data: { revokedAt: null, revokedBy: null },
  })
  const change = { target: token.id, before: count === 0 ? tokenView(before) : null, after: tokenView(token) }
  await addAudit(actingAs(work, token.id, token.name), 'operator_token.configure', change)
  return token
}

async function replaceOthers(work: Work<Origin>, token: OperatorToken): Promise<void> {
  const { tx, now } = work
  const { secretHash } = token
  await tx.$queryRaw`select 1 from operator_tokens
    where is_configured and secret_hash <> ${secretHash} and revoked_at is null order by id for update`
  const others = await tx.operatorToken.findMany({
    where: { isConfigured: true, secretHash: { not: secretHash }, revokedAt: null },
  })
  for (const before of others) {
    const data = { revokedAt: now, revokedBy: byConfiguration }
    const after = await tx.operatorToken.update({ where: { id: before.id }, data })
    const change = { target: before.id, before: tokenView(before), after: tokenView(after) }
    await addAudit(actingAs(work, token.id, token.name), 'operator_token.revoke', change)
  }
}
