import { expect, it } from 'vitest'
import { readConsole } from './console.js'

it.each([
  ['http://127.0.0.1:7700', 'http://localhost:7700', 'localhost'],
  ['http://[::1]:7700', 'http://localhost:7700', 'localhost'],
  ['https://phones.example', 'https://phones.example', 'phones.example'],
  ['http://192.0.2.1:8080', 'http://192.0.2.1:8080', null],
])('the console of %s is at %s, with passkeys of %s', (baseUrl, origin, rpId) => {
  const read = readConsole({}, baseUrl)
  expect([read.origin, read.passkeys?.rpId ?? null]).toEqual([origin, rpId])
  // A page at an IP address can sign in, without passkeys.
  expect(read.origins).toContain(new URL(baseUrl).origin)
  expect(read.passkeys?.origins ?? []).not.toContain('http://127.0.0.1:7700')
})

it('has its own address, and a domain above it as the relying party', () => {
  const environment = {
    PHONERACK_CONSOLE_URL: 'https://console.example.com',
    PHONERACK_PASSKEY_RP_ID: 'example.com',
  }
  expect(readConsole(environment, 'https://api.example.com')).toEqual({
    origin: 'https://console.example.com',
    origins: ['https://console.example.com', 'https://api.example.com'],
    passkeys: { rpId: 'example.com', origins: ['https://console.example.com', 'https://api.example.com'] },
    isSecure: true,
    mail: null,
  })
})

it('has no passkeys for a relying party that is not the host or a domain above it', () => {
  const environment = { PHONERACK_PASSKEY_RP_ID: 'other.example' }
  expect(readConsole(environment, 'https://phones.example').passkeys).toBeNull()
  const lookalike = { PHONERACK_PASSKEY_RP_ID: 'example.com' }
  expect(readConsole(lookalike, 'https://notexample.com').passkeys).toBeNull()
})
