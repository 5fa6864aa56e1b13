/** What an operator does with API keys. The key is shown once, here. */
import { ApiError, hashSecret, limits, newId, newSecret, subjects } from '@phonerack/shared'
import { z } from 'zod'
import { inTransaction, type Tx } from '../db/database.js'
import { type Core } from '../phones/core.js'
import { presets } from '../services.js'
import { invalidField } from './input.js'
import { findProject } from './projects.js'

const day = 86_400_000
const lives = { '30d': 30 * day, '90d': 90 * day, '1y': 365 * day, never: null } as const

export const newKeySchema = z.strictObject({
  project: z.string(),
  preset: z.enum(presets).default('agent'),
  phones: z.array(z.string()).min(limits.keyPhones.min).max(limits.keyPhones.max).optional(),
  expires: z.enum(['30d', '90d', '1y', 'never']).default('90d'),
  name: z.string().trim().min(1).max(80).optional(),
})

export async function createKey(core: Core, input: z.infer<typeof newKeySchema>) {
  await findProject(core, input.project)
  const made = await inTransaction(core.db, (tx) => addKey(tx, input, core.clock.now()))
  core.log.info(
    { audit: 'key.created', api_key: made.id, project: input.project, preset: input.preset },
    'an operator made a key',
  )
  return made
}

/** @throws ApiError key_limit; validation_failed for phones of others */
export async function addKey(tx: Tx, input: z.infer<typeof newKeySchema>, now: Date) {
  const id = newId('key')
  const secret = newSecret('apiKey')
  const life = lives[input.expires]
  const expiresAt = life === null ? null : new Date(now.getTime() + life)
  const phoneIds = [...new Set(input.phones ?? [])]
  await tx.$queryRaw`select 1 from projects where id = ${input.project} for update`
  const active = await tx.apiKey.count({
    where: {
      projectId: input.project,
      revokedAt: null,
      OR: [{ expiresAt: null }, { expiresAt: { gt: now } }],
    },
  })
  if (active >= limits.activeKeys) throw new ApiError('key_limit', { details: { limit: limits.activeKeys } })
  const own = await tx.phone.count({ where: { id: { in: phoneIds }, projectId: input.project } })
  if (own !== phoneIds.length) throw invalidField('phones', 'must be phones of the project')
  await tx.apiKey.create({
    data: {
      id,
      projectId: input.project,
      name: input.name ?? input.preset,
      preset: input.preset,
      secretHash: hashSecret(secret),
      expiresAt,
      createdAt: now,
      phones: { create: phoneIds.map((phoneId) => ({ phoneId })) },
    },
  })
  return {
    id,
    key: secret,
    preset: input.preset,
    project: input.project,
    expires_at: expiresAt?.toISOString() ?? null,
  }
}

export async function listKeys(core: Core, projectId: string) {
  const keys = await core.db.apiKey.findMany({
    where: { projectId },
    include: { phones: true },
    orderBy: { createdAt: 'desc' },
  })
  return keys.map((key) => ({
    id: key.id,
    name: key.name,
    preset: key.preset,
    project: key.projectId,
    phones: key.phones.map((phone) => phone.phoneId),
    created_at: key.createdAt.toISOString(),
    expires_at: key.expiresAt?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
  }))
}

/** Takes effect on every replica at once, or, without the broker, within a second. */
export async function revokeKey(core: Core, id: string) {
  const key = await core.db.apiKey.findUnique({ where: { id } })
  if (!key) throw new ApiError('not_found', { message: 'There is no such key.', details: { key: id } })
  const revokedAt = key.revokedAt ?? core.clock.now()
  await core.db.apiKey.updateMany({ where: { id, revokedAt: null }, data: { revokedAt } })
  core.bus.publish(subjects.keyChanged, { key_hash: key.secretHash })
  core.log.info({ audit: 'key.revoked', api_key: id }, 'an operator revoked a key')
  return { id, revoked_at: revokedAt.toISOString() }
}
