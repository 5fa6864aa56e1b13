import fc from 'fast-check'
import { expect, it } from 'vitest'
import { keyRefusal, scopesOf } from './validity.js'
import { presets } from '../../base/core/caller.js'

it('refuses an expired key, and a revoked key with any expiry', () => {
  fc.assert(
    fc.property(
      fc.option(fc.date({ noInvalidDate: true })),
      fc.option(fc.date({ noInvalidDate: true })),
      fc.date({ noInvalidDate: true }),
      (revokedAt, expiresAt, now) => {
        const code = keyRefusal({ revokedAt, expiresAt }, now)?.code ?? null
        if (revokedAt) expect(code).toBe('key_revoked')
        else expect(code).toBe(expiresAt && expiresAt <= now ? 'key_expired' : null)
      },
    ),
  )
})

it('prevents limited keys from creating, and lets only Admin delete', () => {
  for (const preset of presets) {
    expect(scopesOf(preset, true, [])).not.toContain('phones:create')
    expect(scopesOf(preset, false, []).includes('phones:delete')).toBe(preset === 'admin')
    expect(scopesOf(preset, false, [])).toContain('phones:read')
  }
})

it('gives the key of a client only scopes that the client asked for', () => {
  expect(scopesOf('admin', false, ['phones:read', 'phones:control'])).toEqual([
    'phones:read',
    'phones:control',
  ])
  expect(scopesOf('read-only', false, ['phones:read', 'phones:control'])).toEqual(['phones:read'])
  expect(scopesOf('agent', false, ['phones:delete'])).toEqual([])
})
