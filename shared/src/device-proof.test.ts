import fc from 'fast-check'
import { expect, it } from 'vitest'
import { identityOf, identityPattern, isProven, newNonce, newSeed, signClaim } from './device-proof.js'

const seed = newSeed()
const claim = { nonce: newNonce(), hostId: 'hst_aaaaaaaaaaaa', serial: '10.0.0.7:5555' }
const signed = { ...claim, identity: identityOf(seed) }

it('proves a claim with the key of the phone', () => {
  expect(signed.identity).toMatch(identityPattern)
  expect(isProven(signed, signClaim(seed, claim))).toBe(true)
})

it('derives the public key of RFC 8032, test 1', () => {
  const known = '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60'
  const publicKey = Buffer.from(identityOf(known), 'base64url').toString('hex')
  expect(publicKey).toBe('d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a')
})

it.each([
  ['another challenge', { nonce: newNonce() }],
  ['another host', { hostId: 'hst_bbbbbbbbbbbb' }],
  ['another serial', { serial: '10.0.0.8:5555' }],
  ['another phone', { identity: identityOf(newSeed()) }],
  ['a text that is not a key', { identity: 'A'.repeat(42) }],
])('refuses the signature for %s', (_, change) => {
  expect(isProven({ ...signed, ...change }, signClaim(seed, claim))).toBe(false)
})

it('refuses any signature that the key did not make', () => {
  const text = fc.string({ maxLength: 20 })
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), text, text, (signature, serial, nonce) => {
      expect(isProven({ ...signed, serial, nonce }, signature)).toBe(false)
    }),
    { numRuns: 50 },
  )
})
