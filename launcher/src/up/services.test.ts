/** When a process of ours counts as healthy: not when another one answers at its port. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { isHealthy } from './services.js'

it('is healthy by its own token only, and not when nobody listens', async () => {
  const foreign = createServer((request, response) => {
    const isKnown = request.url === '/healthz' || request.headers.authorization === 'Bearer theirs'
    response.writeHead(isKnown ? 200 : 401).end('{}')
  })
  foreign.listen(0, '127.0.0.1')
  await once(foreign, 'listening')
  const base = `http://127.0.0.1:${(foreign.address() as AddressInfo).port}`
  expect(await isHealthy(`${base}/healthz`)).toBe(true)
  expect(await isHealthy(`${base}/operator/v1/hosts`, 'ours')).toBe(false)
  expect(await isHealthy(`${base}/operator/v1/hosts`, 'theirs')).toBe(true)
  foreign.closeAllConnections()
  foreign.close()
  await once(foreign, 'close')
  expect(await isHealthy(`${base}/healthz`)).toBe(false)
})
