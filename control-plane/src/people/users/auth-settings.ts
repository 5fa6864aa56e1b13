/** Settings of the sign-in that other parts need too, without better-auth itself. */

/** Where better-auth's endpoints are. */
export const authPath = '/console/api/auth'

/** The header in which our own server gives the client's address. */
export const addressHeader = 'x-phonerack-client-address'

export const password = { min: 10, max: 128 }

/** Seconds after a sign-in in which keys and passkeys may be changed. */
export const recentSignIn = 900

/** Seconds that a sign-in at an identity provider may take. better-auth's cookie lives for half of it. */
export const stateLife = 600
