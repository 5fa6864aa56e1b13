import { ApiError } from '@phonerack/shared'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { presets, profiles, type Caller, type Profile } from '../../base/core/caller.js'
import { narrower, scopesWithin, withProfile } from './profile.js'
import { scopesOf } from './validity.js'

const anyProfile = fc.constantFrom(...profiles)
const anyScopes = fc
  .tuple(fc.constantFrom(...presets), fc.boolean())
  .map(([preset, limited]) => scopesOf(preset, limited, []))
const callerWith = (profile: Profile, scopes: Caller['scopes']): Caller => ({
  keyId: 'k',
  keyHash: 'h',
  projectId: 'p',
  ownerId: 'o',
  preset: 'admin',
  phoneIds: null,
  profile,
  scopes: scopesWithin(profile, scopes),
})
const width = (profile: Profile): number => -profiles.indexOf(profile)

it('orders the profiles from full to read-only', () => {
  expect([profiles[0], profiles.at(-1)]).toEqual(['full', 'read-only'])
})

it('never widens a key, and never ignores a narrower header [40.43]', () => {
  fc.assert(
    fc.property(anyProfile, anyProfile, anyScopes, (own, asked, scopes) => {
      const caller = callerWith(own, scopes)
      const narrowed = withProfile(caller, asked)
      expect(width(narrowed.profile)).toBe(Math.min(width(own), width(asked)))
      expect(caller.scopes).toEqual(expect.arrayContaining([...narrowed.scopes]))
      if (asked === 'read-only') expect(narrowed.scopes).toEqual(['phones:read'])
      // Applying a forwarded header again has the same result, so MCP can pass the header on.
      expect(withProfile(narrowed, asked)).toEqual(narrowed)
      expect(withProfile(caller, narrowed.profile)).toEqual(narrowed)
      expect(withProfile(caller, undefined)).toEqual(caller)
    }),
  )
})

it('takes the narrower of two profiles, in any order', () => {
  fc.assert(
    fc.property(anyProfile, anyProfile, anyProfile, (a, b, c) => {
      expect(narrower(a, b)).toBe(narrower(b, a))
      expect(narrower(narrower(a, b), c)).toBe(narrower(a, narrower(b, c)))
      expect(narrower('full', a)).toBe(a)
    }),
  )
})

it('refuses every other text', () => {
  const other = fc.oneof(
    fc.string().filter((text) => !(profiles as readonly string[]).includes(text)),
    fc.constantFrom('', 'Full', ' read-only', 'read_only', 'full, full', '__proto__', 'constructor'),
  )
  fc.assert(
    fc.property(anyProfile, other, (own, header) => {
      const attempt = () => withProfile(callerWith(own, ['phones:read']), header)
      expect(attempt).toThrow(ApiError)
      expect(attempt).toThrow(/Phonerack-Profile/)
    }),
  )
})
