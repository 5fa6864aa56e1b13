import { expect, it } from 'vitest'
import { readConsoles, type ConsoleConfigs } from './console.js'

const loopback = { host: '127.0.0.1', port: 8090 }
const defaults = { PHONERACK_OPERATOR_PAGES: 'operator' } as const
type Chosen = Partial<Parameters<typeof readConsoles>[0]>
const read = (env: Chosen, baseUrl: string, listen = loopback): ConsoleConfigs =>
  readConsoles({ ...defaults, ...env }, baseUrl, listen)
const readConsole = (env: Chosen, baseUrl: string) => read(env, baseUrl).console

it.each([
  ['http://127.0.0.1:7700', 'http://localhost:7700', 'localhost'],
  ['http://[::1]:7700', 'http://localhost:7700', 'localhost'],
  ['https://phones.example', 'https://phones.example', 'phones.example'],
  ['http://192.0.2.1:8080', 'http://192.0.2.1:8080', null],
])('the console of %s is at %s, with passkeys of %s', (baseUrl, origin, rpId) => {
  const found = readConsole({}, baseUrl)
  expect([found.origin, found.passkeys?.rpId ?? null]).toEqual([origin, rpId])
  // A page at an IP address can sign in, without passkeys.
  expect(found.origins).toContain(new URL(baseUrl).origin)
  expect(found.passkeys?.origins ?? []).not.toContain('http://127.0.0.1:7700')
})

it('has its own address, and a domain above it as the relying party', () => {
  const environment = {
    PHONERACK_CONSOLE_URL: 'https://console.example.com',
    PHONERACK_PASSKEY_RP_ID: 'example.com',
  }
  expect(readConsole(environment, 'https://api.example.com')).toEqual({
    origin: 'https://console.example.com',
    origins: ['https://console.example.com', 'https://api.example.com'],
    linkOrigin: 'https://console.example.com',
    operatorOrigin: 'http://localhost:8090',
    cookiePrefix: 'phonerack',
    hasOperatorPages: false,
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

it.each([
  ['127.0.0.1', ['http://localhost:8090', 'http://127.0.0.1:8090'], 'localhost'],
  ['0.0.0.0', ['http://localhost:8090', 'http://127.0.0.1:8090'], 'localhost'],
  ['::1', ['http://localhost:8090', 'http://127.0.0.1:8090'], 'localhost'],
  ['10.1.2.3', ['http://10.1.2.3:8090'], null],
  ['fd00::1', ['http://[fd00::1]:8090'], null],
  ['rack.internal', ['http://rack.internal:8090'], 'rack.internal'],
])('the operators’ console on %s has its own origins, cookies and passkeys', (host, origins, rpId) => {
  const { operatorConsole } = read({}, 'https://phones.example', { host, port: 8090 })
  expect(operatorConsole).toMatchObject({
    origin: origins[0],
    origins,
    linkOrigin: 'https://phones.example',
    isSecure: false,
    cookiePrefix: 'phonerack-operator',
    hasOperatorPages: true,
  })
  expect(operatorConsole.passkeys?.rpId ?? null).toBe(rpId)
})

it('the operators’ console has the address of its proxy, and shares passkeys below one domain', () => {
  const env = {
    PHONERACK_OPERATOR_CONSOLE_URL: 'https://racks.example.com',
    PHONERACK_PASSKEY_RP_ID: 'example.com',
  }
  const { console: own, operatorConsole } = read(env, 'https://phones.example.com')
  expect(own.operatorOrigin).toBe('https://racks.example.com')
  expect(operatorConsole).toMatchObject({ origin: 'https://racks.example.com', isSecure: true })
  expect([own.passkeys?.rpId, operatorConsole.passkeys?.rpId]).toEqual(['example.com', 'example.com'])
})
