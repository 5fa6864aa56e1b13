/**
 * Implements `KeyService`: finds a key by its hash or by the hash of a connector's access token, caches the
 * key for a second, and evicts it immediately when the key changes.
 */
import { EventEmitter } from 'node:events'
import { ApiError, hashSecret, isSecret, keyChangedSchema, subjects } from '@phonerack/shared'
import { createLru } from '../../base/lru.js'
import { Prisma } from '../../gen/prisma/client.js'
import { createSecretLookup, type SecretLookup } from '../../base/db/secret-lookup.js'
import { type Core } from '../../base/core/core.js'
import { keyRefusal, scopesOf } from './validity.js'
import { type Caller, type Preset, type Profile, type StepSettings } from '../../base/core/caller.js'
import { scopesWithin } from './profile.js'
import { createKeyUse } from './use.js'
import { type KeyService } from './types.js'

/** `ttl`: milliseconds for which a revocation may be unnoticed. Every read checks the exact time. */
const remembered = { max: 10_000, ttl: 1000, ttlResolution: 0 }

interface Found {
  caller: Caller
  revokedAt: Date | null
  expiresAt: Date | null
}

interface Row {
  id: string
  secretHash: string
  projectId: string
  ownerId: string
  preset: string
  profile: string
  revokedAt: Date | null
  expiresAt: Date | null
  /** The key is limited to `phoneIds`; otherwise it may use all phones of the project. */
  isLimited: boolean
  askedScopes: string[]
  phoneIds: string[]
  stepsEnabled: boolean
  stepsText: boolean
  stepsPictures: string
  shellEnabled: boolean
}

export function createKeyService(core: Core): KeyService & { close(): Promise<void> } {
  const cache = createLru<Found>(remembered)
  const use = createKeyUse(core)
  const watchers = new EventEmitter().setMaxListeners(0)
  const subscription = core.bus.subscribe(subjects.keyChanged, (message) => {
    const parsed = keyChangedSchema.safeParse(message)
    if (!parsed.success) return
    cache.delete(parsed.data.key_hash)
    watchers.emit(parsed.data.key_hash)
  })

  const known = createSecretLookup(async (hashes) => {
    const now = core.clock.now()
    const rows = await core.db.apiKey.findMany({
      where: {
        secretHash: { in: hashes },
        revokedAt: null,
        OR: [{ expiresAt: null }, { expiresAt: { gt: now } }],
      },
      select: { secretHash: true },
    })
    return rows.map(({ secretHash }) => secretHash)
  })

  const knownTokens = createSecretLookup(async (hashes) => {
    const now = core.clock.now()
    const rows = await core.db.connectorToken.findMany({
      where: { hash: { in: hashes }, expiresAt: { gt: now }, connector: { key: { revokedAt: null } } },
      select: { hash: true },
    })
    return rows.map(({ hash }) => hash)
  })

  const find = async (hash: string, isToken: boolean): Promise<Found | null> => {
    const cached = cache.get(hash)
    if (cached) return cached
    const readAt = performance.now()
    const found = await (isToken ? readToken(core, hash) : readKey(core, hash))
    // The row may change during the read, so the time counts from the start of the read.
    if (found) cache.set(hash, found, { start: readAt })
    else cache.delete(hash)
    lookupFor(isToken).remember(hash, found !== null && keyRefusal(found, core.clock.now()) === null)
    return found
  }

  const lookupFor = (isToken: boolean): SecretLookup => (isToken ? knownTokens : known)
  const isTokenSecret = (secret: string): boolean => isSecret('connectorAccess', secret)

  return {
    async authenticate(secret) {
      const isToken = isTokenSecret(secret)
      const found = isToken || isSecret('apiKey', secret) ? await find(hashSecret(secret), isToken) : null
      if (!found) throw new ApiError('invalid_api_key')
      const refusal = keyRefusal(found, core.clock.now())
      if (refusal) throw refusal
      return found.caller
    },
    isKnown: (secret) => lookupFor(isTokenSecret(secret)).has(hashSecret(secret)),
    noteUse: (keyId, address) => use.note(keyId, address),
    watch(keyHash, onChange) {
      watchers.on(keyHash, onChange)
      return () => void watchers.off(keyHash, onChange)
    },
    async close() {
      known.close()
      knownTokens.close()
      subscription.unsubscribe()
      await use.close()
    },
  }
}

const columns = Prisma.sql`k.id, k.secret_hash as "secretHash", k.project_id as "projectId",
    j.owner_id as "ownerId", j.steps_enabled as "stepsEnabled", j.steps_text as "stepsText",
    j.steps_pictures as "stepsPictures", j.shell_enabled as "shellEnabled", k.preset, k.profile, k.revoked_at as "revokedAt", k.is_limited as "isLimited",
    k.asked_scopes as "askedScopes",
    array(select p.phone_id from api_key_phones p where p.key_id = k.id) as "phoneIds"`

async function readKey(core: Core, hash: string): Promise<Found | null> {
  const [key] = await core.read<Row>(Prisma.sql`select ${columns}, k.expires_at as "expiresAt"
    from api_keys k join projects j on j.id = k.project_id where k.secret_hash = ${hash}`)
  return key ? foundOf(key) : null
}

/** The key of the connector that has the access token. */
async function readToken(core: Core, hash: string): Promise<Found | null> {
  const [key] = await core.read<Row>(Prisma.sql`select ${columns},
    least(t.expires_at, k.expires_at) as "expiresAt"
    from connector_tokens t join api_keys k on k.id = t.key_id join projects j on j.id = k.project_id
    where t.hash = ${hash} and t.kind = 'access'`)
  return key ? foundOf(key) : null
}

function foundOf(key: Row): Found {
  // The table's check constraints allow no other values.
  const preset = key.preset as Preset
  const profile = key.profile as Profile
  // Triggers prevent a limited key without phones. If such a key existed, it would see no phone.
  const phoneIds = key.isLimited ? key.phoneIds : null
  return {
    caller: {
      keyId: key.id,
      keyHash: key.secretHash,
      projectId: key.projectId,
      ownerId: key.ownerId,
      preset,
      profile,
      scopes: scopesWithin(profile, scopesOf(preset, key.isLimited, key.askedScopes)),
      phoneIds,
      steps: key.stepsEnabled
        ? { text: key.stepsText, pictures: key.stepsPictures as StepSettings['pictures'] }
        : null,
      hasShell: key.shellEnabled,
    },
    revokedAt: key.revokedAt,
    expiresAt: key.expiresAt,
  }
}
