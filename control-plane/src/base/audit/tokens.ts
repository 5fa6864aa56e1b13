/**
 * Operator tokens: created, listed and revoked by operators. A token is shown only in the response
 * that creates it.
 */
import { ApiError, hashSecret, newId, newSecret } from '@phonerack/shared'
import { z } from 'zod'
import { type OperatorToken } from '../../gen/prisma/client.js'
import { type Core } from '../core/core.js'
import { nameSchema } from '../validation/fields.js'
import { refusalOf } from './auth.js'
import { expirySchema, expiryFrom } from './expiry.js'
import { type Change, type Work } from './work.js'

export const newTokenSchema = z.strictObject({ name: nameSchema, expires: expirySchema.default('90d') })

/** `revokedBy` of a token that was removed from the configuration. */
export const byConfiguration = 'configuration'

/**
 * A token that an operator revoked stays revoked when the configuration names it again. Any other revoked token becomes
 * valid again.
 */
export const isRevokedByOperator = (token: Pick<OperatorToken, 'revokedAt' | 'revokedBy'>): boolean =>
  token.revokedAt !== null && token.revokedBy !== byConfiguration

export async function createToken(
  work: Work,
  input: z.infer<typeof newTokenSchema>,
): Promise<Change<ReturnType<typeof tokenView> & { token: string }>> {
  const secret = newSecret('operator')
  const token = await work.tx.operatorToken.create({
    data: {
      id: newId('operatorToken'),
      secretHash: hashSecret(secret),
      name: input.name,
      createdBy: work.actor.tokenId,
      createdAt: work.now,
      expiresAt: expiryFrom(input.expires, work.now),
    },
  })
  const view = tokenView(token)
  return { result: { ...view, token: secret }, target: token.id, before: null, after: view }
}

export async function listTokens(core: Core) {
  return (await core.db.operatorToken.findMany({ orderBy: { createdAt: 'desc' } })).map(tokenView)
}

/**
 * Revokes a token, which every replica refuses from the commit on, since no replica caches tokens. Links and join
 * tokens that the token created end with it (`givers.ts`). Tokens that it created stay valid, and are in the result.
 */
export async function revokeToken(
  work: Work,
  id: string,
): Promise<Change<ReturnType<typeof tokenView> & { created_tokens: { id: string; name: string }[] }>> {
  const { tx, now, actor } = work
  await tx.$queryRaw`select 1 from operator_tokens where id = ${id} for update`
  const before = await tx.operatorToken.findUnique({ where: { id } })
  if (!before)
    throw new ApiError('not_found', { message: 'There is no such operator token.', details: { token: id } })
  const data = {
    revokedAt: before.revokedAt ?? now,
    // The value keeps the configuration from making the token valid again.
    revokedBy: isRevokedByOperator(before) ? before.revokedBy : actor.tokenId,
  }
  await tx.operatorToken.update({ where: { id }, data })
  const after = tokenView({ ...before, ...data })
  const created = await tx.operatorToken.findMany({ where: { createdBy: id }, orderBy: { createdAt: 'asc' } })
  const valid = created
    .filter((token) => !refusalOf(token, now))
    .map(({ id: createdId, name }) => ({ id: createdId, name }))
  return { result: { ...after, created_tokens: valid }, target: id, before: tokenView(before), after }
}

const iso = (at: Date | null): string | null => at?.toISOString() ?? null

export const tokenView = (token: OperatorToken) => ({
  id: token.id,
  name: token.name,
  created_by: token.createdBy,
  created_at: token.createdAt.toISOString(),
  expires_at: iso(token.expiresAt),
  last_used_at: iso(token.lastUsedAt),
  revoked_at: iso(token.revokedAt),
  revoked_by: token.revokedBy,
})
