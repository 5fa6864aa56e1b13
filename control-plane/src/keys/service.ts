/** `KeyService` of the wall: finds a key by its hash, remembers it for a second, forgets it at once when it changes. */
import { ApiError, hashSecret, isSecret, keyChangedSchema, subjects } from '@phonerack/shared'
import { type Caller, type KeyService, type Preset } from '../services.js'
import { type Core } from '../phones/core.js'
import { keyRefusal, scopesOf } from './validity.js'

/** The longest time that a revocation may go unseen. */
const staleAfterMs = 1000
const rememberedKeys = 10_000

interface Found {
  caller: Caller
  revokedAt: Date | null
  expiresAt: Date | null
}

export function createKeyService(core: Core): KeyService & { close(): void } {
  const cache = new Map<string, { found: Found; readAt: number }>()
  const subscription = core.bus.subscribe(subjects.keyChanged, (message) => {
    const parsed = keyChangedSchema.safeParse(message)
    if (parsed.success) cache.delete(parsed.data.key_hash)
  })

  const find = async (hash: string): Promise<Found | null> => {
    const known = cache.get(hash)
    if (known && performance.now() - known.readAt < staleAfterMs) return known.found
    const readAt = performance.now()
    const found = await readKey(core, hash)
    cache.delete(hash)
    if (found) cache.set(hash, { found, readAt })
    if (cache.size > rememberedKeys) cache.clear()
    return found
  }

  return {
    async authenticate(secret) {
      const found = isSecret('apiKey', secret) ? await find(hashSecret(secret)) : null
      if (!found) throw new ApiError('invalid_api_key')
      const refusal = keyRefusal(found, core.clock.now())
      if (refusal) throw refusal
      return found.caller
    },
    close: () => subscription.unsubscribe(),
  }
}

async function readKey(core: Core, hash: string): Promise<Found | null> {
  const key = await core.db.apiKey.findUnique({ where: { secretHash: hash }, include: { phones: true } })
  if (!key) return null
  // The table's check constraint allows no other text.
  const preset = key.preset as Preset
  const phoneIds = key.phones.length > 0 ? key.phones.map((phone) => phone.phoneId) : null
  return {
    caller: {
      keyId: key.id,
      keyHash: hash,
      projectId: key.projectId,
      preset,
      scopes: scopesOf(preset, phoneIds !== null),
      phoneIds,
    },
    revokedAt: key.revokedAt,
    expiresAt: key.expiresAt,
  }
}
