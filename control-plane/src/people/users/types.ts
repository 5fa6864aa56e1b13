/** People who use the console, as other parts see them. */

export const roles = ['viewer', 'member', 'owner'] as const

/** From the least to the most rights. */
export type Role = (typeof roles)[number]

export const atLeast = (role: Role, needed: Role): boolean => roles.indexOf(role) >= roles.indexOf(needed)

export interface User {
  id: string
  name: string
  email: string
  isOperator: boolean
}

/** A user who is signed in. */
export interface SignedIn {
  user: User
  /** The row of the session. */
  sessionId: string
  /** When the password or passkey was last given. */
  signedInAt: Date
}

/** A user's request, as the audit log records it. */
export interface Actor {
  user: Pick<User, 'id' | 'email'>
  address: string
  requestId: string
}
