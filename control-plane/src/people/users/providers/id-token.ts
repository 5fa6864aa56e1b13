/** Checks ID tokens. OpenID Connect Core 1.0, section 3.1.3.7. */
import { timingSafeEqual } from 'node:crypto'
import { createLocalJWKSet, errors, jwtVerify, type JSONWebKeySet } from 'jose'
import { z } from 'zod'
import { ProviderFailed } from './types.js'

/** Only algorithms with a public key. A MAC would need the client's secret, and `none` proves nothing. */
const algorithms = [
  ...(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'] as const),
  ...(['ES256', 'ES384', 'ES512', 'EdDSA'] as const),
]

/** Seconds by which clocks may differ. */
const clockTolerance = 60
/** Seconds since the token was issued. The token was just requested. */
const maxTokenAge = 600

const claimsSchema = z.looseObject({
  sub: z.string().min(1).max(255),
  aud: z.union([z.string(), z.array(z.string())]),
  azp: z.string().optional(),
  nonce: z.string(),
})

export type Claims = z.infer<typeof claimsSchema>

export interface Expected {
  issuer: string
  clientId: string
  nonce: string
  now: Date
}

/** The signature was made with a key that the set lacks, so the issuer may have new keys. */
export class UnknownKey extends ProviderFailed {}

const isEqual = (one: string, other: string): boolean => {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** @throws ProviderFailed, UnknownKey */
export async function verifyIdToken(
  token: string,
  keys: JSONWebKeySet,
  { issuer, clientId, nonce, now }: Expected,
): Promise<Claims> {
  const payload = await verified(token, keys, { issuer, clientId, now })
  const parsed = claimsSchema.safeParse(payload)
  if (!parsed.success) throw new ProviderFailed('the ID token lacks claims')
  const { aud, azp } = parsed.data
  // A second audience could use its token here.
  if ([aud].flat().some((each) => each !== clientId))
    throw new ProviderFailed('the ID token has another audience')
  if (azp !== undefined && azp !== clientId)
    throw new ProviderFailed('the ID token was issued to another client')
  if (!isEqual(parsed.data.nonce, nonce)) throw new ProviderFailed('the ID token is of another sign-in')
  return parsed.data
}

async function verified(
  token: string,
  keys: JSONWebKeySet,
  { issuer, clientId, now }: Omit<Expected, 'nonce'>,
): Promise<unknown> {
  try {
    const { payload } = await jwtVerify(token, createLocalJWKSet(keys), {
      issuer,
      audience: clientId,
      clockTolerance,
      maxTokenAge,
      currentDate: now,
      algorithms: [...algorithms],
      requiredClaims: ['sub', 'exp', 'iat', 'nonce'],
    })
    return payload
  } catch (error) {
    const Failed = error instanceof errors.JWKSNoMatchingKey ? UnknownKey : ProviderFailed
    throw new Failed('the ID token is not valid', { cause: error })
  }
}
