/**
 * Computes the profile of a request: the profile of its key, narrowed by the header `Phonerack-Profile`.
 * Pure. docs/decisions/0267
 */
import { ApiError } from '@phonerack/shared'
import { profiles, type Caller, type Profile, type Scope } from '../../base/core/caller.js'
import { validationFailed } from '../../base/validation/validation-error.js'

export const profileHeader = 'Phonerack-Profile'

const isProfile = (text: string): text is Profile => (profiles as readonly string[]).includes(text)

export const narrower = (a: Profile, b: Profile): Profile =>
  profiles.indexOf(a) > profiles.indexOf(b) ? a : b

/**
 * Returns the caller with the profile that the request's header names.
 * @throws ApiError validation_failed
 */
export function withProfile(caller: Caller, header: string | undefined): Caller {
  if (header === undefined) return caller
  if (!isProfile(header))
    throw validationFailed('headers', [
      {
        path: [profileHeader],
        message: `must be ${profiles.map((name) => `"${name}"`).join(' or ')}`,
        alternatives: profiles,
      },
    ])
  const profile = narrower(caller.profile, header)
  return { ...caller, profile, scopes: scopesWithin(profile, caller.scopes) }
}

/** `read-only` keeps only the scopes of the preset with that name. */
export const scopesWithin = (profile: Profile, scopes: readonly Scope[]): readonly Scope[] =>
  profile === 'read-only' ? scopes.filter((scope) => scope === 'phones:read') : scopes

/** The error of a request whose profile leaves out the scope. */
export const outsideProfile = (profile: Profile, scope: Scope): ApiError =>
  new ApiError('insufficient_scope', {
    message: `The profile ${profile} of this request leaves out the scope ${scope}, which the request needs.`,
    next: `Use an API key with a wider profile and the scope ${scope}, and no header ${profileHeader} that narrows it.`,
    details: { required: scope, profile },
  })
