/** Settings of the sign-in that other parts also need, without loading better-auth. */

/** The path of better-auth's endpoints. */
export const authPath = '/console/api/auth'

/** The header in which this server passes the client's address to better-auth. */
export const addressHeader = 'x-phonerack-client-address'

export const password = { min: 10, max: 128 }

/** Seconds after a sign-in in which a user may change keys and passkeys. */
export const recentSignIn = 900

/** Seconds for a sign-in at an identity provider. better-auth's cookie lives for half of that time. */
export const stateLife = 600
