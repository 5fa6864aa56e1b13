/** Computes the permissions of a stored key at a given time. Pure. */
import { ApiError } from '@phonerack/shared'
import { type Preset, type Scope } from '../../base/core/caller.js'

export const presetScopes: Record<Preset, readonly Scope[]> = {
  agent: ['phones:read', 'phones:control', 'phones:create'],
  admin: ['phones:read', 'phones:control', 'phones:create', 'phones:delete'],
  'read-only': ['phones:read'],
}

/** Why a key is refused, or null. A revoked key counts as revoked even after its expiry. */
export function keyRefusal(
  key: { revokedAt: Date | null; expiresAt: Date | null },
  now: Date,
): ApiError | null {
  if (key.revokedAt) return new ApiError('key_revoked')
  if (key.expiresAt && key.expiresAt <= now) return new ApiError('key_expired')
  return null
}

/**
 * Computes the scopes of a key. A key that is limited to certain phones can never create.
 * @param asked the scopes that a client asked for, which limit the key; empty: all scopes of the preset
 */
export const scopesOf = (preset: Preset, limited: boolean, asked: readonly string[]): readonly Scope[] =>
  presetScopes[preset].filter(
    (scope) => (!limited || scope !== 'phones:create') && (asked.length === 0 || asked.includes(scope)),
  )
