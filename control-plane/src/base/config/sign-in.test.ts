import { expect, it } from 'vitest'
import { z } from 'zod'
import { readSignIn, signInEnvironment, signInProblems } from './sign-in.js'

const schema = z.object({ ...signInEnvironment, PHONERACK_SMTP_URL: z.string().optional() })
const read = (env: Record<string, string>) =>
  readSignIn(schema.parse(env), 'https://phones.example', '127.0.0.1')
const problemsOf = (env: Record<string, string>): string[] =>
  signInProblems(schema.parse(env)).map(({ name }) => name)
const smtp = { PHONERACK_SMTP_URL: 'smtp://mail.example' }

it('lets only invited people in by default', () => {
  expect(read({})).toEqual({
    signUp: { who: 'invite', domains: [], creditMicros: 0n },
    providers: [],
    allowed: [],
    allowsHttp: false,
  })
  expect(problemsOf({})).toEqual([])
})

it('has credit exact to a micro-dollar', () => {
  const micros = ['0', '5', '0.000001', '123456789.123456'].map(
    (text) => read({ PHONERACK_SIGN_UP_CREDIT: text }).signUp.creditMicros,
  )
  expect(micros).toEqual([0n, 5_000_000n, 1n, 123_456_789_123_456n])
  for (const text of ['-1', '0.0000001', '1e3', '', 'x'])
    expect([text, schema.safeParse({ PHONERACK_SIGN_UP_CREDIT: text }).success]).toEqual([text, false])
})

it('has domains in lower case, and refuses addresses in their place', () => {
  const env = { PHONERACK_SIGN_UP: 'domain', PHONERACK_SIGN_UP_DOMAINS: 'Example.com, example.org' }
  expect(read(env).signUp.domains).toEqual(['example.com', 'example.org'])
  for (const text of ['@example.com', 'ann@example.com', 'localhost', '*.example.com'])
    expect([text, schema.safeParse({ PHONERACK_SIGN_UP_DOMAINS: text }).success]).toEqual([text, false])
})

it('names settings that do not fit each other', () => {
  expect(problemsOf({ ...smtp, PHONERACK_SIGN_UP: 'domain' })).toEqual(['PHONERACK_SIGN_UP_DOMAINS'])
  expect(problemsOf({ ...smtp, PHONERACK_SIGN_UP_DOMAINS: 'example.com' })).toEqual([
    'PHONERACK_SIGN_UP_DOMAINS',
  ])
  // Without mail and identity providers, no person could prove an address.
  expect(problemsOf({ PHONERACK_SIGN_UP: 'open' })).toEqual(['PHONERACK_SMTP_URL'])
  expect(problemsOf({ ...smtp, PHONERACK_SIGN_UP: 'open' })).toEqual([])
  const gitHub = { PHONERACK_GITHUB_CLIENT_ID: 'c', PHONERACK_GITHUB_CLIENT_SECRET: 'd' }
  const domain = { PHONERACK_SIGN_UP: 'domain', PHONERACK_SIGN_UP_DOMAINS: 'example.com' }
  expect(problemsOf({ ...gitHub, PHONERACK_SIGN_UP: 'open' })).toEqual([])
  expect(problemsOf({ ...gitHub, ...domain })).toEqual(['PHONERACK_SMTP_URL'])
  expect(problemsOf({ ...smtp, ...gitHub, ...domain })).toEqual([])
  expect(problemsOf({ PHONERACK_GOOGLE_CLIENT_ID: 'a' })).toEqual(['PHONERACK_GOOGLE_CLIENT_SECRET'])
  expect(problemsOf({ PHONERACK_OIDC_ISSUER: 'https://login.example' })).toEqual(['PHONERACK_OIDC_CLIENT_ID'])
})

it('reads providers, each with the issuer as it is written', () => {
  const { providers } = read({
    PHONERACK_GOOGLE_CLIENT_ID: 'a',
    PHONERACK_GOOGLE_CLIENT_SECRET: 'b',
    PHONERACK_GITHUB_CLIENT_ID: 'c',
    PHONERACK_GITHUB_CLIENT_SECRET: 'd',
    PHONERACK_OIDC_ISSUER: 'https://login.example/',
    PHONERACK_OIDC_CLIENT_ID: 'e',
  })
  expect(providers).toMatchObject([
    { id: 'google', issuer: 'https://accounts.google.com', clientId: 'a', clientSecret: 'b' },
    { id: 'github', url: 'https://github.com', apiUrl: 'https://api.github.com' },
    { id: 'oidc', issuer: 'https://login.example/', clientId: 'e', clientSecret: null },
  ])
  for (const issuer of ['login.example', 'https://login.example?a=b', 'https://a:b@login.example', 'ftp://x'])
    expect([issuer, schema.safeParse({ PHONERACK_OIDC_ISSUER: issuer }).success]).toEqual([issuer, false])
})
