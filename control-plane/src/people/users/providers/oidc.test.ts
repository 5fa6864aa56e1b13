import { expect, it } from 'vitest'
import { googleIssuer } from '../../../base/config/sign-in.js'
import { identityOf } from './oidc.js'

const issuer = 'https://login.example'
const verified = { email: 'Ann@Example.com', email_verified: true, name: 'Ann' }

it('has a verified address only when the issuer says so', () => {
  expect(identityOf('1', verified, issuer)).toEqual({
    subject: '1',
    email: 'ann@example.com',
    isVerified: true,
    isAuthority: true,
    name: 'Ann',
  })
  for (const email_verified of [undefined, false, null, 'true', 1])
    expect([email_verified, identityOf('1', { ...verified, email_verified }, issuer).isVerified]).toEqual([
      ...[email_verified, false],
    ])
  expect(identityOf('1', { email_verified: true }, issuer)).toMatchObject({ email: null, isVerified: false })
})

it("counts Google's word for its own domain and for those of Workspace only", () => {
  expect(identityOf('1', verified, googleIssuer).isVerified).toBe(false)
  expect(identityOf('1', { ...verified, hd: 'example.com' }, googleIssuer).isVerified).toBe(true)
  expect(identityOf('1', { ...verified, email: 'ann@gmail.com' }, googleIssuer).isVerified).toBe(true)
  expect(identityOf('1', { ...verified, email: 'ann@notgmail.com' }, googleIssuer).isVerified).toBe(false)
})
