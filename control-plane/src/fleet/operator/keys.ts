/** Operators' changes of API keys. A key is shown only in the response that creates it. */
import { ApiError, hashSecret, limits, newId, newSecret, subjects } from '@phonerack/shared'
import { z } from 'zod'
import { type Tx } from '../../base/db/database.js'
import { type ApiKey, type Connector } from '../../gen/prisma/client.js'
import { type Core } from '../../base/core/core.js'
import { expiryFrom, expirySchema } from '../../base/audit/expiry.js'
import { invalidField, nameSchema, refSchema } from '../../base/validation/fields.js'
import { findProject } from './projects.js'
import { type Change, type Origin, type Work } from '../../base/audit/work.js'
import { presets, profiles, type Preset, type Profile } from '../../base/core/caller.js'

export const newKeySchema = z.strictObject({
  project: refSchema,
  preset: z.enum(presets).default('agent'),
  profile: z.enum(profiles).optional(),
  phones: z.array(refSchema).min(limits.keyPhones.min).max(limits.keyPhones.max).optional(),
  expires: expirySchema.default('90d'),
  name: nameSchema.optional(),
})

/** `prk_` and the first six of the 43 random characters, by which a person recognises a key. */
const shownCharacters = 10

/** A person's choices for a key that another program gets. */
export const keyRightsSchema = newKeySchema.pick({ preset: true, profile: true, phones: true, expires: true })

type NewKey = Awaited<ReturnType<typeof addKey>>

export async function createKey(work: Work, input: z.infer<typeof newKeySchema>): Promise<Change<NewKey>> {
  await findProject(work.tx, input.project)
  const made = await addKey(work.tx, input, work.now)
  const after = await work.tx.apiKey.findUniqueOrThrow({ where: { id: made.id }, include: { phones: true } })
  return { result: made, target: made.id, before: null, after: keyView(after) }
}

export const countActiveKeys = (db: Pick<Tx, 'apiKey'>, projectId: string, now: Date): Promise<number> =>
  db.apiKey.count({
    where: { projectId, revokedAt: null, OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] },
  })

/** @throws ApiError validation_failed for phones of other projects */
export async function checkPhones(tx: Pick<Tx, 'phone'>, projectId: string, phones: string[]): Promise<void> {
  const phoneIds = [...new Set(phones)]
  const own = await tx.phone.count({ where: { id: { in: phoneIds }, projectId } })
  if (own !== phoneIds.length) throw invalidField('phones', 'must contain IDs of phones in the project')
}

/** @throws ApiError key_limit; validation_failed for phones of other projects */
export async function addKey(tx: Tx, input: z.infer<typeof newKeySchema>, now: Date) {
  const id = newId('key')
  const secret = newSecret('apiKey')
  const expiresAt = expiryFrom(input.expires, now)
  const profile = input.profile ?? 'full'
  const phoneIds = [...new Set(input.phones ?? [])]
  await tx.$queryRaw`select 1 from projects where id = ${input.project} for update`
  const active = await countActiveKeys(tx, input.project, now)
  if (active >= limits.activeKeys) throw new ApiError('key_limit', { details: { limit: limits.activeKeys } })
  await checkPhones(tx, input.project, phoneIds)
  await tx.apiKey.create({
    data: {
      id,
      projectId: input.project,
      name: input.name ?? input.preset,
      preset: input.preset,
      profile,
      secretHash: hashSecret(secret),
      prefix: secret.slice(0, shownCharacters),
      expiresAt,
      createdAt: now,
      isLimited: input.phones !== undefined,
      phones: { create: phoneIds.map((phoneId) => ({ phoneId })) },
    },
  })
  return {
    id,
    key: secret,
    name: input.name ?? input.preset,
    preset: input.preset,
    profile,
    project: input.project,
    expires_at: expiresAt?.toISOString() ?? null,
  }
}

export async function listKeys(core: Core, projectId: string) {
  const keys = await core.db.apiKey.findMany({
    // The list omits connectors whose client has not fetched its tokens.
    where: {
      projectId,
      OR: [
        { connector: null },
        { connector: { codeUsedAt: { not: null } } },
        { expiresAt: { gt: core.clock.now() } },
      ],
    },
    include: { phones: true, connector: true },
    // At most 50 keys are active. Only the newest revoked keys are listed.
    orderBy: [{ revokedAt: { sort: 'desc', nulls: 'first' } }, { createdAt: 'desc' }],
    take: 500,
  })
  return keys
    .sort((one, other) => other.createdAt.getTime() - one.createdAt.getTime())
    .map((key) => ({
      ...keyView(key),
      last_used_at: key.lastUsedAt?.toISOString() ?? null,
      last_used_address: key.lastUsedAddress,
      connector: key.connector && connectorView(key.connector),
    }))
}

/** `host`: the host that publishes the client's metadata, or the host that the browser returned to. */
const connectorView = ({ clientId, clientName, redirectUri }: Connector) => ({
  client_id: clientId,
  client_name: clientName,
  host: new URL(URL.canParse(clientId) ? clientId : redirectUri).host,
})

const keyView = (key: ApiKey & { phones: { phoneId: string }[] }) => ({
  id: key.id,
  name: key.name,
  prefix: key.prefix,
  preset: key.preset as Preset,
  profile: key.profile as Profile,
  project: key.projectId,
  phones: key.phones.map((phone) => phone.phoneId),
  created_at: key.createdAt.toISOString(),
  expires_at: key.expiresAt?.toISOString() ?? null,
  revoked_at: key.revokedAt?.toISOString() ?? null,
})

/** Takes effect on every replica immediately, or within a second when the broker is unavailable. */
export async function revokeKey(
  work: Work<Origin>,
  id: string,
): Promise<Change<{ id: string; revoked_at: string }>> {
  const { tx, core, now } = work
  await tx.$queryRaw`select 1 from api_keys where id = ${id} for update`
  const key = await tx.apiKey.findUnique({ where: { id }, include: { phones: true } })
  if (!key) throw new ApiError('not_found', { message: 'There is no such key.', details: { key: id } })
  const revokedAt = key.revokedAt ?? now
  await tx.apiKey.update({ where: { id }, data: { revokedAt } })
  // Replicas cache a connector's key under the hashes of its tokens.
  const tokens = await tx.connectorToken.findMany({
    where: { keyId: id, kind: 'access', expiresAt: { gt: now } },
    select: { hash: true },
  })
  for (const hash of [key.secretHash, ...tokens.map((token) => token.hash)])
    work.afterCommit(() => core.bus.publish(subjects.keyChanged, { key_hash: hash }))
  const result = { id, revoked_at: revokedAt.toISOString() }
  return { result, target: id, before: keyView(key), after: keyView({ ...key, revokedAt }) }
}
