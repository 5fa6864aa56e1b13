import { settingsOf } from '@phonerack/shared/settings'
import { expect, it } from 'vitest'
import { ZodError } from 'zod'
import { readConfig, variables } from './config.js'
import { settings } from './environment.js'

const least = { DATABASE_URL: 'postgresql://x', NATS_URL: 'tls://x', PHONERACK_PKI_DIR: '/x' }

it('defaults to the specification and accepts overrides', () => {
  const config = readConfig(least)
  expect(config.rules).toMatchObject({
    createDeadlineMs: 180_000,
    hostLateAfterMs: 10_000,
    perSecondMicros: 1000n,
  })
  expect(config.http.baseUrl).toBe('http://127.0.0.1:8080')
  expect(config.http.trustedProxies).toEqual([])
  const proxies = { PHONERACK_TRUSTED_PROXIES: '10.0.0.0/8, 192.0.2.1' }
  expect(readConfig({ ...least, ...proxies }).http.trustedProxies).toEqual(['10.0.0.0/8', '192.0.2.1'])
  expect(() => readConfig({ ...least, PHONERACK_RESTART_GRACE: '901' })).toThrow(/PHONERACK_RESTART_GRACE/)
  expect(readConfig({ ...least, PHONERACK_HOST_LOST_AFTER: '5' }).rules.hostLostAfterMs).toBe(5000)
})

it('deletes no parked phone by default, and gives notice of a day', () => {
  expect(readConfig(least).rules.parkedTtlMs).toBeNull()
  expect(readConfig({ ...least, PHONERACK_PARKED_TTL: '86400' }).rules.parkedTtlMs).toBe(86_400_000)
  for (const wrong of ['86399', '-1', 'soon'])
    expect(() => readConfig({ ...least, PHONERACK_PARKED_TTL: wrong })).toThrow(/PHONERACK_PARKED_TTL/)
})

it('describes each setting once', () => {
  const described = Object.values(settings).flatMap((shape) => settingsOf(shape))
  expect(described.map(({ name }) => name).sort()).toEqual([...variables].sort())
  expect(described.find(({ name }) => name === 'PHONERACK_STOP_WITHIN')).toMatchObject({
    default: '30',
    unit: 'seconds',
    about: expect.stringContaining('finish') as string,
  })
})

it('names missing and invalid variables', () => {
  expect(() => readConfig({})).toThrow(ZodError)
  expect(() => readConfig({ ...least, PHONERACK_HTTP_PORT: 'eighty' })).toThrow(/PHONERACK_HTTP_PORT/)
})

it('accepts payments with both of their secrets, or with neither', () => {
  expect(readConfig(least).payments).toBeNull()
  expect(() => readConfig({ ...least, PHONERACK_STRIPE_SECRET_KEY: 'sk' })).toThrow(/WEBHOOK_SECRET/)
  const both = { PHONERACK_STRIPE_SECRET_KEY: 'sk', PHONERACK_STRIPE_WEBHOOK_SECRET: 'whsec' }
  expect(readConfig({ ...least, ...both }).payments).toMatchObject({
    addsTax: true,
    url: 'https://api.stripe.com',
  })
})

it('refuses a broker on another machine without TLS, unless the operator allows it', () => {
  const refused = /names another machine without TLS.*set PHONERACK_NATS_INSECURE=true/
  expect(() => readConfig({ ...least, NATS_URL: 'nats://192.0.2.7:4222' })).toThrow(refused)
  const hosts = { PHONERACK_HOST_NATS_URL: 'nats://192.0.2.7:4222' }
  expect(() => readConfig({ ...least, ...hosts })).toThrow(/PHONERACK_HOST_NATS_URL/)
  const allowed = { ...least, ...hosts, PHONERACK_NATS_INSECURE: 'true' }
  expect(readConfig(allowed).hostNatsUrl).toBe('nats://192.0.2.7:4222')
})

it('offers hosts the address of its listener for tunnels, which must be one address', () => {
  expect(readConfig(least).tunnels).toBeNull()
  const listen = { PHONERACK_TUNNEL_LISTEN: '192.0.2.21:7720' }
  expect(readConfig({ ...least, ...listen }).tunnels).toEqual({
    listen: { host: '192.0.2.21', port: 7720 },
    address: null,
  })
  const all = { PHONERACK_TUNNEL_LISTEN: '[::]:7720' }
  expect(() => readConfig({ ...least, ...all })).toThrow(/PHONERACK_TUNNEL_ADDRESS/)
  const address = 'replica-1.example:7720'
  expect(readConfig({ ...least, ...all, PHONERACK_TUNNEL_ADDRESS: address }).tunnels).toMatchObject({
    address,
  })
  expect(() => readConfig({ ...least, ...listen, PHONERACK_TUNNEL_ADDRESS: 'a b:1' })).toThrow(
    /PHONERACK_TUNNEL_ADDRESS/,
  )
})

it('allows webhooks without TLS only while nothing outside of this machine reaches the service', () => {
  const allowsHttp = (env: Record<string, string>) => readConfig({ ...least, ...env }).webhooks.allowsHttp
  expect(allowsHttp({})).toBe(true)
  expect(allowsHttp({ PHONERACK_BASE_URL: 'http://localhost:8080' })).toBe(true)
  // The public address belongs to a proxy on the same machine.
  expect(allowsHttp({ PHONERACK_BASE_URL: 'https://phones.example' })).toBe(false)
  expect(allowsHttp({ PHONERACK_HTTP_HOST: '0.0.0.0' })).toBe(false)
  const both = { PHONERACK_HTTP_HOST: '0.0.0.0', PHONERACK_BASE_URL: 'http://127.0.0.1:8080' }
  expect(allowsHttp(both)).toBe(false)
})
