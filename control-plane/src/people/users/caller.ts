/** A member's request to the services behind `/v1`, with the scopes of the member's role. */
import { type Caller, type Preset } from '../../base/core/caller.js'
import { presetScopes } from '../../rental/keys/validity.js'
import { type Role, type User } from './types.js'

/** The preset whose scopes a role has. */
const presetOf: Readonly<Record<Role, Preset>> = { viewer: 'read-only', member: 'admin', owner: 'admin' }

/** @param signal aborts when the client closes the request */
export function callerOfUser(
  user: User,
  { id, ownerId, role }: { id: string; ownerId: string; role: Role },
  signal: AbortSignal,
): Caller {
  const preset = presetOf[role]
  return {
    keyId: user.id,
    keyHash: '',
    projectId: id,
    ownerId,
    preset,
    profile: 'full',
    scopes: presetScopes[preset],
    phoneIds: null,
    isPerson: true,
    signal,
    effects: { mayHaveBegun: false },
  }
}
