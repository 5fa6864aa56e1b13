/**
 * The limit of open requests per key: waits and streams over real sockets, and the ends of a count.
 */
import { type AddressInfo } from 'node:net'
import { PassThrough } from 'node:stream'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startApi, type TestApi } from '../../testing/api.js'

let api: TestApi
let origin: string
let closeAll: () => Promise<void>
const streams: PassThrough[] = []
beforeAll(async () => {
  const base = await startApi({ devices: 1 })
  const recordings = {
    ...base.plane.app.services.recordings,
    // A video whose end the test controls.
    video: () => {
      const stream = new PassThrough()
      streams.push(stream)
      stream.write('half')
      return Promise.resolve({ stream, sizeBytes: 8, part: null })
    },
  }
  api = await base.beside({ waitsPerKey: 2, streamsPerKey: 1 }, { services: { recordings } })
  closeAll = () => base.close()
  await api.app.listen({ host: '127.0.0.1', port: 0 })
  origin = `http://127.0.0.1:${(api.app.server.address() as AddressInfo).port}`
})
afterAll(() => closeAll())

const get = (path: string, key: string, signal?: AbortSignal): Promise<Response> =>
  fetch(`${origin}${path}`, { headers: { authorization: `Bearer ${key}` }, signal: signal ?? null })

/** The server notices an end a moment after the client. */
const onceAllowed = async (path: string, key: string): Promise<Response> => {
  for (;;) {
    const answer = await get(path, key)
    if (answer.status !== 429) return answer
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

/** Waits until this many more requests wait than before. */
const waiting = (): ((count: number) => Promise<void>) => {
  const before = api.called('phones.wait').length
  return async (count) => {
    while (api.called('phones.wait').length < before + count)
      await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

it("refuses a wait above the key's limit, and accepts one after another has ended or was interrupted [20.65]", async () => {
  const phone = await api.placePhone('starting')
  const calls = waiting()
  const path = `/v1/phones/${phone}?wait=ready&timeout=30`
  const cut = new AbortController()
  const first = get(path, api.key)
  const second = get(path, api.key, cut.signal)
  await calls(2)
  const refused = await get(path, api.key)
  expect(refused.status).toBe(429)
  expect(refused.headers.get('retry-after')).toBe('5')
  expect(((await refused.json()) as { error: object }).error).toMatchObject({
    code: 'rate_limited',
    retryable: true,
    next: 'Wait until one of them ends, or send the request without `wait`.',
    details: { limit: 2, retry_after_seconds: 5 },
  })
  // Another key and a request without a wait are not affected.
  expect((await get(`/v1/phones/${phone}`, api.key)).status).toBe(200)
  const other = get(path, await api.keyOf('agent'))
  await calls(3)

  cut.abort()
  await expect(second).rejects.toThrow()
  const third = onceAllowed(path, api.key)
  await calls(4)
  await api.movePhone(phone, { status: 'ready' })
  for (const answer of [first, other, third]) expect((await answer).status).toBe(200)
  expect((await get(path, api.key)).status).toBe(200)
})

it('answers a write immediately when its key has too many waits: the write is done', async () => {
  const slow = await api.placePhone('starting')
  const calls = waiting()
  const waits = [1, 2].map(() => get(`/v1/phones/${slow}?wait=ready&timeout=30`, api.key))
  await calls(2)
  for (const device of api.agent.devices.values()) device.onStart = () => new Promise(() => undefined)
  const made = await fetch(`${origin}/v1/phones`, {
    method: 'POST',
    headers: { authorization: `Bearer ${api.key}` },
  })
  expect(made.status).toBe(202)
  expect(((await made.json()) as { status: string }).status).toBe('creating')
  await api.movePhone(slow, { status: 'ready' })
  await Promise.all(waits)
})

it("refuses a download above the key's limit, and accepts one after another was read or closed", async () => {
  const phone = await api.placePhone('parked')
  const path = `/v1/phones/${phone}/recordings/rec_aaaaaaaaaaaa/video`
  const first = await get(path, api.key)
  expect(first.status).toBe(200)
  const refused = await get(path, api.key)
  expect(refused.status).toBe(429)
  expect(((await refused.json()) as { error: object }).error).toMatchObject({
    code: 'rate_limited',
    next: expect.stringContaining('Finish or close one of them') as string,
    details: { limit: 1 },
  })
  expect(streams).toHaveLength(1)
  streams[0]?.end('done')
  expect(await first.text()).toBe('halfdone')
  const second = await onceAllowed(path, api.key)
  await second.body?.cancel()
  const third = await onceAllowed(path, api.key)
  streams[2]?.end('done')
  expect(await third.text()).toBe('halfdone')
})
