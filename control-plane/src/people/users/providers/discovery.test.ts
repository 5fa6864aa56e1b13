// Metadata and keys of a real issuer: how long they are kept, and when keys are read again.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { parseNetwork } from '../../../base/config/webhooks.js'
import { startOidcIssuer, type OidcIssuer } from '../../../testing/oidc-issuer.js'
import { createResolve } from '../../../events/webhooks/resolve.js'
import { createDiscovery } from './discovery.js'
import { createOutbound } from './outbound.js'

let issuer: OidcIssuer
beforeAll(async () => {
  issuer = await startOidcIssuer()
})
afterAll(() => issuer.close())

const outbound = createOutbound({
  allowed: [parseNetwork('127.0.0.1')],
  allowsHttp: true,
  resolve: createResolve(),
  own: () => [],
})
const signal = (): AbortSignal => AbortSignal.timeout(60_000)

it('keeps both for an hour, and reads keys again for an unknown one at most every 30 seconds', async () => {
  let now = 0
  const discovery = createDiscovery(issuer.url, outbound, () => now)
  const reads = (): number[] =>
    ['/.well-known/openid-configuration', '/jwks'].map(
      (path) => issuer.requests.filter((each) => each === path).length,
    )
  const idOf = async (areOld: boolean): Promise<string | undefined> =>
    (await discovery.keys(signal(), areOld)).keys[0]?.kid
  const first = await idOf(false)
  await issuer.rotate()
  now = 29_999
  expect([await idOf(true), reads()]).toEqual([first, [1, 1]])
  now = 30_000
  expect([await idOf(false), reads()]).toEqual([first, [1, 1]])
  const second = await idOf(true)
  expect([second === first, reads()]).toEqual([false, [1, 2]])
  now = 30_000 + 3_599_999
  expect([await idOf(false), reads()]).toEqual([second, [1, 2]])
  now += 1
  expect([await idOf(false), reads()]).toEqual([second, [2, 3]])
})
