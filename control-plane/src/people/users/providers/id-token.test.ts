import { createHmac } from 'node:crypto'
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT, type CryptoKey, type JSONWebKeySet } from 'jose'
import { beforeAll, expect, it } from 'vitest'
import { UnknownKey, verifyIdToken } from './id-token.js'
import { ProviderFailed } from './types.js'

const now = new Date('2026-01-02T03:04:05Z')
const seconds = Math.floor(now.getTime() / 1000)
const expected = { issuer: 'https://issuer.example', clientId: 'client', nonce: 'n'.repeat(43), now }
const good = {
  iss: expected.issuer,
  aud: expected.clientId,
  nonce: expected.nonce,
  sub: '1',
  iat: seconds,
  exp: seconds + 300,
}

let privateKey: CryptoKey
let keys: JSONWebKeySet
beforeAll(async () => {
  const pair = await generateKeyPair('RS256')
  privateKey = pair.privateKey
  keys = { keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'a' }] }
})

const sign = (claims: Record<string, unknown>, kid = 'a'): Promise<string> => {
  const sent = Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined))
  return new SignJWT(sent).setProtectedHeader({ alg: 'RS256', kid }).sign(privateKey)
}
const check = (token: string) => verifyIdToken(token, keys, expected)

it('accepts a token for this client and this sign-in whose audience can be a list', async () => {
  expect(await check(await sign({ ...good, email: 'ann@example.com' }))).toMatchObject({ sub: '1' })
  expect(await check(await sign({ ...good, aud: ['client'], azp: 'client' }))).toMatchObject({ sub: '1' })
})

it.each<[string, Record<string, unknown>]>([
  ['another issuer', { iss: 'https://other.example' }],
  ['the issuer with a slash', { iss: 'https://issuer.example/' }],
  ['no issuer', { iss: undefined }],
  ['another audience', { aud: 'other' }],
  ['a second audience', { aud: ['client', 'other'] }],
  ['no audience', { aud: undefined }],
  ['another authorized party', { azp: 'other' }],
  ['another nonce', { nonce: 'm'.repeat(43) }],
  ['a part of the nonce', { nonce: 'n' }],
  ['no nonce', { nonce: undefined }],
  ['a time that is over', { exp: seconds - 61 }],
  ['no end', { exp: undefined }],
  ['an old time of issue', { iat: seconds - 3600 }],
  ['a time of issue in the future', { iat: seconds + 3600, exp: seconds + 7200 }],
  ['a start in the future', { nbf: seconds + 3600 }],
  ['no subject', { sub: undefined }],
  ['an empty subject', { sub: '' }],
  ['a subject that is a number', { sub: 1 }],
])('refuses %s', async (_name, claims) => {
  await expect(check(await sign({ ...good, ...claims }))).rejects.toThrow(ProviderFailed)
})

it('refuses tokens without a signature, with a MAC, or with the signature of another key', async () => {
  await expect(check(new UnsecuredJWT(good).encode())).rejects.toThrow(ProviderFailed)
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const content = `${part({ alg: 'HS256', kid: 'a' })}.${part(good)}`
  // The attack uses the public key as the secret of a MAC.
  const mac = createHmac('sha256', JSON.stringify(keys.keys[0])).update(content).digest('base64url')
  await expect(check(`${content}.${mac}`)).rejects.toThrow(ProviderFailed)
  const other = await generateKeyPair('RS256')
  const forged = await new SignJWT(good).setProtectedHeader({ alg: 'RS256', kid: 'a' }).sign(other.privateKey)
  await expect(check(forged)).rejects.toThrow(ProviderFailed)
  await expect(check('not a token')).rejects.toThrow(ProviderFailed)
})

it('says that a key is unknown, so that keys can be read again', async () => {
  await expect(check(await sign(good, 'b'))).rejects.toThrow(UnknownKey)
})
