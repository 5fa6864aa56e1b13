/** Authenticates operators by a `pro_` token whose hash is in the table, and which is neither expired nor revoked. */
import { ApiError, hashSecret, isSecret } from '@phonerack/shared'
import { type AuditActor } from '../db/audit-log.js'
import { createSecretLookup, type SecretLookup } from '../db/secret-lookup.js'
import { type OperatorToken } from '../../gen/prisma/client.js'
import { type Core } from '../core/core.js'

/** `last_used_at` is written at most this often, in milliseconds. */
const lastUsedAccuracyMs = 60_000

/** The sender of an operator's request. */
export interface Operator extends AuditActor {
  /** Returns the token, with which responses are encrypted. The token is never stored or logged. */
  secret: () => string
}

/** Looks up tokens for addresses that have failed too often. Concurrent callers share a query. */
export const createTokenLookup = (core: Core): SecretLookup =>
  createSecretLookup(async (hashes) => {
    const rows = await core.db.operatorToken.findMany({
      where: {
        secretHash: { in: hashes },
        revokedAt: null,
        OR: [{ expiresAt: null }, { expiresAt: { gt: core.clock.now() } }],
      },
      select: { secretHash: true },
    })
    return rows.map(({ secretHash }) => secretHash)
  })

/**
 * Reads the table each time, so that every replica refuses a revoked token immediately. @throws
 * ApiError unauthorized
 */
export async function authenticateOperator(
  core: Core,
  secret: string,
  { address, requestId }: Pick<AuditActor, 'address' | 'requestId'>,
): Promise<Operator> {
  const token = isSecret('operator', secret)
    ? await core.db.operatorToken.findUnique({ where: { secretHash: hashSecret(secret) } })
    : null
  const now = core.clock.now()
  const refusal = refusalOf(token, now)
  if (token && refusal)
    core.log.warn(
      { token: token.id, address, request_id: requestId, reason: refusal.details },
      'a token of an operator that is no longer valid was used',
    )
  if (!token || refusal) throw refusal ?? unknownToken()
  await noteUse(core, token, now)
  return { tokenId: token.id, tokenName: token.name, address, requestId, secret: () => secret }
}

const unknownToken = (): ApiError =>
  new ApiError('unauthorized', {
    message: 'The operator token is missing or unknown.',
    next: 'Send Authorization: Bearer <operator token>.',
    details: { reason: 'unknown' },
  })

/** Returns null for a valid token. */
export function refusalOf(
  token: Pick<OperatorToken, 'name' | 'expiresAt' | 'revokedAt'> | null,
  now: Date,
): ApiError | null {
  if (!token) return unknownToken()
  const reason = token.revokedAt ? 'revoked' : token.expiresAt && token.expiresAt <= now ? 'expired' : null
  if (reason === null) return null
  return new ApiError('unauthorized', {
    message: `The operator token "${token.name}" ${reason === 'revoked' ? 'was revoked' : 'has expired'}.`,
    next: 'Ask another operator for a new token: ./scripts/ctl operator token create --name NAME',
    details: { reason },
  })
}

async function noteUse(core: Core, token: OperatorToken, now: Date): Promise<void> {
  if (token.lastUsedAt && now.getTime() - token.lastUsedAt.getTime() < lastUsedAccuracyMs) return
  await core.db.operatorToken.updateMany({ where: { id: token.id }, data: { lastUsedAt: now } })
}
