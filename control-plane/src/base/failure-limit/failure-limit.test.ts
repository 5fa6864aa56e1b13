/**
 * The limit of requests without a valid key or token: which requests count, which are still
 * accepted, and what is remembered.
 */
import { ApiError } from '@phonerack/shared'
import { type IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { createNetworkOf, networkOf, siteOf, unknownNetwork } from './network.js'
import { createFailureLimit, keyFailures, type FailureLimit } from './failure-limit.js'

const clock = { at: new Date('2026-03-01T10:00:05Z'), now: () => clock.at }
const make = (trustedProxies: string[] = []): FailureLimit =>
  createFailureLimit({ trustedProxies, perMinute: 3, clock })

const from = (remoteAddress: string | undefined, forwarded?: string): IncomingMessage =>
  ({
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
    connection: { remoteAddress },
    socket: { remoteAddress },
  }) as unknown as IncomingMessage

const fail = async (
  failureLimit: FailureLimit,
  request: IncomingMessage,
  isKnown = false,
): Promise<string> => {
  try {
    return await failureLimit.guard(request, {
      isKnown: () => Promise.resolve(isKnown),
      failures: keyFailures,
      work: () => (isKnown ? Promise.resolve('let in') : Promise.reject(new ApiError('invalid_api_key'))),
    })
  } catch (error) {
    if (error instanceof ApiError) return error.code
    throw error
  }
}
const times = async (
  count: number,
  failureLimit: FailureLimit,
  request: IncomingMessage,
): Promise<string[]> => {
  const codes: string[] = []
  for (let each = 0; each < count; each += 1) codes.push(await fail(failureLimit, request))
  return codes
}

describe('a network', () => {
  it('is an IPv4 address, even when it is mapped into IPv6', () => {
    expect(networkOf('203.0.113.7')).toBe('203.0.113.7')
    expect(networkOf('::ffff:203.0.113.7')).toBe('203.0.113.7')
    expect(networkOf('::ffff:cb00:7107')).toBe('203.0.113.7')
  })
  it('is the /64 of an IPv6 address', () => {
    expect(networkOf('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2::/64')
    expect(networkOf('2001:db8:1:2:ffff::1')).toBe('2001:db8:1:2::/64')
    expect(networkOf('2001:db8:1:3::1')).toBe('2001:db8:1:3::/64')
    expect(networkOf('fe80::1%eth0')).toBe('fe80::/64')
  })
  it('is of a site, the /48 of an IPv6 address', () => {
    for (const [network, site] of [
      ['2001:db8:1:2::/64', '2001:db8:1::/48'],
      ['203.0.113.7', '203.0.113.7'],
      [unknownNetwork, unknownNetwork],
      ['a/b', 'a/b'],
    ] as const)
      expect(siteOf(network)).toBe(site)
  })
  it('has its own name when the client has disconnected, and nothing that a client sends makes it fail', () => {
    for (const proxies of [[], ['127.0.0.1', '10.0.0.0/8']]) {
      const of = createNetworkOf(proxies)
      expect(of(from(undefined))).toBe(unknownNetwork)
      expect(of(from(undefined, '203.0.113.7'))).toBe(unknownNetwork)
      for (const sent of ['', ',', '%', 'unknown', '::1%', '::ffff:300.1.1.1', '1', 'a'.repeat(9000)])
        expect(typeof of(from('10.0.0.1', sent))).toBe('string')
    }
  })
})

describe('unauthenticated requests', () => {
  it('are refused after too many failures in a minute, but not with a valid secret from the same address', async () => {
    const failureLimit = make()
    const request = from('203.0.113.1')
    expect(await times(4, failureLimit, request)).toEqual([
      ...Array.from({ length: 3 }, () => 'invalid_api_key'),
      'rate_limited',
    ])
    expect(await fail(failureLimit, request, true)).toBe('let in')
    expect(await fail(failureLimit, request)).toBe('rate_limited')
    expect(await fail(failureLimit, from('203.0.113.2'))).toBe('invalid_api_key')
    clock.at = new Date(clock.at.getTime() + 60_000)
    expect(await fail(failureLimit, request)).toBe('invalid_api_key')
  })

  it('count together when they share a /64, and separately when they do not', async () => {
    const failureLimit = make()
    for (const address of ['2001:db8::1', '2001:db8::2', '2001:db8::3:0:0:1'])
      expect(await fail(failureLimit, from(address))).toBe('invalid_api_key')
    expect(await fail(failureLimit, from('2001:db8::4'))).toBe('rate_limited')
    expect(await fail(failureLimit, from('2001:db8:0:1::1'))).toBe('invalid_api_key')
  })

  it('are distinguished by X-Forwarded-For only behind a configured proxy', async () => {
    const direct = make()
    for (let each = 0; each < 3; each += 1) await fail(direct, from('203.0.113.1', `198.51.100.${each}`))
    expect(await fail(direct, from('203.0.113.1', '198.51.100.9'))).toBe('rate_limited')
    const behind = make(['10.0.0.0/8'])
    await times(3, behind, from('10.0.0.1', '198.51.100.1'))
    expect(await fail(behind, from('10.0.0.1', '198.51.100.1'))).toBe('rate_limited')
    // The client's own entry is left of the proxy's.
    expect(await fail(behind, from('10.0.0.1', '198.51.100.2, 198.51.100.1'))).toBe('rate_limited')
    expect(await fail(behind, from('10.0.0.1', '198.51.100.2'))).toBe('invalid_api_key')
  })

  it('from more addresses than are remembered are limited together, but not with valid secrets', async () => {
    const failureLimit = make()
    for (let each = 0; each < 300; each += 1) failureLimit.failed(`203.0.${each >> 8}.${each & 255}`)
    expect(await fail(failureLimit, from('192.0.2.1'))).toBe('rate_limited')
    expect(await fail(failureLimit, from('192.0.2.1'), true)).toBe('let in')
  })

  it('are limited even when they disconnect before each response', async () => {
    const failureLimit = make()
    const codes: string[] = []
    for (let each = 0; each < 20; each += 1) {
      const request = from('203.0.113.1')
      const refused = failureLimit.guard(request, {
        isKnown: null,
        failures: keyFailures,
        work: () => {
          Object.defineProperty(request.socket, 'remoteAddress', { value: undefined })
          return Promise.reject(new ApiError('invalid_api_key'))
        },
      })
      await refused.catch((error: unknown) =>
        codes.push(error instanceof ApiError ? error.code : String(error)),
      )
    }
    expect(codes).toEqual([
      ...Array.from({ length: 3 }, () => 'invalid_api_key'),
      ...Array.from({ length: 17 }, () => 'rate_limited'),
    ])
  })

  it('count only failures of a key', async () => {
    const failureLimit = make()
    const request = from('203.0.113.1')
    for (let each = 0; each < 10; each += 1)
      await expect(
        failureLimit.guard(request, {
          isKnown: null,
          failures: keyFailures,
          work: () => Promise.reject(new ApiError('internal_error')),
        }),
      ).rejects.toMatchObject({ code: 'internal_error' })
    expect(failureLimit.isLimited(failureLimit.networkOf(request))).toBe(false)
  })
})
