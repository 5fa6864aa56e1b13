/** Who is an operator: bearer of a `pro_` token whose hash is in the table. */
import { ApiError, hashSecret, isSecret } from '@phonerack/shared'
import { type FastifyRequest } from 'fastify'
import { type Core } from '../phones/core.js'

/** @throws ApiError unauthorized */
export async function requireOperator(core: Core, request: FastifyRequest): Promise<void> {
  const match = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')
  const token = match?.[1] ?? ''
  const row = isSecret('operator', token)
    ? await core.db.operatorToken.findUnique({ where: { secretHash: hashSecret(token) } })
    : null
  if (!row) throw new ApiError('unauthorized', { message: 'The operator token is missing or unknown.' })
}

/** Makes the configured token valid, and any other that the configuration had set before invalid. */
export async function setConfiguredOperator(core: Core, secretHash: string): Promise<void> {
  const name = 'configured'
  await core.db.$transaction([
    core.db.operatorToken.deleteMany({ where: { name, secretHash: { not: secretHash } } }),
    core.db.operatorToken.upsert({ where: { secretHash }, create: { secretHash, name }, update: {} }),
  ])
}
