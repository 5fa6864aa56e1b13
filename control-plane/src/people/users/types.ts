/** Users of the console in the form that other parts use. */

export const roles = ['viewer', 'member', 'owner'] as const

/** Roles, from the least to the most rights. */
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
  /** The time at which the user last gave a password or passkey. */
  signedInAt: Date
}

/** A user's request, in the form that the audit log records. */
export interface Actor {
  user: Pick<User, 'id' | 'email'>
  address: string
  requestId: string
}
