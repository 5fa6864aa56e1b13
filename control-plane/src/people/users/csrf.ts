/** Tokens against forged requests: a MAC of a random cookie and the session. docs/decisions/0288 */
import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'

export interface Csrf {
  /** Returns a random value for the cookie. */
  newSeed(): string
  /** @param session the value of the session cookie; empty if signed out */
  tokenOf(seed: string, session: string): string
  isValid(token: string, seed: string, session: string): boolean
}

/** @param secret the secret of the console */
export function createCsrf(secret: Buffer): Csrf {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'phonerack console csrf', 32))
  const tokenOf = (seed: string, session: string): string =>
    createHmac('sha256', key)
      .update(JSON.stringify([seed, session]))
      .digest('base64url')
  return {
    newSeed: () => randomBytes(32).toString('base64url'),
    tokenOf,
    isValid(token, seed, session) {
      const [given, expected] = [Buffer.from(token), Buffer.from(tokenOf(seed, session))]
      return seed !== '' && given.length === expected.length && timingSafeEqual(given, expected)
    },
  }
}
