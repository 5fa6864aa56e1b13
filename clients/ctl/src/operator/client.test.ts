// The client repeats a request whose response was lost; all attempts of a write carry the same key.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { type AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { OperatorClient, Unreachable } from './client.js'

let server: Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

/** Drops the connection of the first `lost` requests, then answers. */
async function serve(lost: number): Promise<{ url: string; seen: IncomingMessage[] }> {
  const seen: IncomingMessage[] = []
  server = createServer((request, response) => {
    seen.push(request)
    request.resume()
    request.once('end', () => {
      if (seen.length <= lost) request.socket.destroy()
      else response.end('{}')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen }
}
const keysOf = (seen: IncomingMessage[]) => seen.map(({ headers }) => headers['idempotency-key'])

it('repeats a write with the same key, and uses another key for the next write', async () => {
  const { url, seen } = await serve(2)
  const client = new OperatorClient(url, 'pro_x')
  await client.changeProject('proj_a', { credit_usd: '1' })
  await client.pause()
  const [first, second, third, fourth] = keysOf(seen)
  expect([second, third]).toEqual([first, first])
  expect(first).toMatch(/^ctl-[0-9a-f-]{36}$/)
  expect(fourth).not.toBe(first)
  await new OperatorClient(url, 'pro_x').pause()
  expect(keysOf(seen).at(-1)).not.toBe(first)
})

it('uses a given key, and names it when every response is lost', async () => {
  const { url, seen } = await serve(3)
  const client = new OperatorClient(url, 'pro_x', { idempotencyKey: 'my-own-key' })
  const error = await client.changeProject('proj_a', { credit_usd: '1' }).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(Unreachable)
  expect(String(error)).toContain('--idempotency-key my-own-key')
  expect(keysOf(seen)).toEqual(['my-own-key', 'my-own-key', 'my-own-key'])
})

it('repeats a read without a key, and reports when nothing listens', async () => {
  const { url, seen } = await serve(1)
  await new OperatorClient(url, 'pro_x').service()
  expect(keysOf(seen)).toEqual([undefined, undefined])
  server?.closeAllConnections()
  server?.close()
  await once(server ?? createServer(), 'close')
  const error = await new OperatorClient(url, 'pro_x').pause().catch((thrown: unknown) => thrown)
  expect(String(error)).toContain('is Phonerack running?')
})
