/** What a stored key may do at a time. Pure. */
import { ApiError } from '@phonerack/shared'
import { type Preset, type Scope } from '../core/caller.js'

export const presetScopes: Record<Preset, readonly Scope[]> = {
  agent: ['phones:read', 'phones:control', 'phones:create'],
  admin: ['phones:read', 'phones:control', 'phones:create', 'phones:delete'],
  'read-only': ['phones:read'],
}

/** Why a key does not work, or null. A revoked key stays revoked when it also expired. */
export function keyRefusal(
  key: { revokedAt: Date | null; expiresAt: Date | null },
  now: Date,
): ApiError | null {
  if (key.revokedAt) return new ApiError('key_revoked')
  if (key.expiresAt && key.expiresAt <= now) return new ApiError('key_expired')
  return null
}

/** The scopes of a key; one that is limited to certain phones can never create. */
export const scopesOf = (preset: Preset, limited: boolean): readonly Scope[] =>
  limited ? presetScopes[preset].filter((scope) => scope !== 'phones:create') : presetScopes[preset]
