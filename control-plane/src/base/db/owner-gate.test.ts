/** The order, bounds and ends of the wait for a turn. */
import { ApiError } from '@phonerack/shared'
import { expect, it } from 'vitest'
import { OwnerGate, gateLimits } from './owner-gate.js'

const limits = { running: 2, waiting: 3, waitMs: 60_000 }

/** Work that ends on command, and the names of the work that has begun. */
function setUp(changed: Partial<typeof limits> = {}) {
  const gate = new OwnerGate({ ...limits, ...changed })
  const begun: string[] = []
  const ends = new Map<string, (error?: Error) => void>()
  const enter = (name: string, { owner = 'a', signal }: { owner?: string; signal?: AbortSignal } = {}) => {
    const ended = gate.run(
      owner,
      () =>
        new Promise<string>((resolve, reject) => {
          begun.push(name)
          ends.set(name, (error) => (error ? reject(error) : resolve(name)))
        }),
      signal,
    )
    ended.catch(() => undefined)
    return ended
  }
  const settled = () => new Promise((resolve) => setImmediate(resolve))
  return { enter, begun, settled, end: (name: string, error?: Error) => ends.get(name)?.(error) }
}

const refusalOf = (work: Promise<unknown>): Promise<ApiError> =>
  work.then(
    () => Promise.reject(new Error('it was not refused')),
    (error: unknown) => {
      if (error instanceof ApiError) return error
      throw error
    },
  )

it('lets each owner run a fifth of the pool, and at least one', () => {
  expect([2, 5, 6, 20].map((pool) => gateLimits(pool).running)).toEqual([1, 1, 2, 4])
})

it('runs no more than the limit of one owner, and the others in the order of their arrival', async () => {
  const { enter, begun, settled, end } = setUp()
  const all = ['1', '2', '3', '4'].map((name) => enter(name))
  await settled()
  expect(begun).toEqual(['1', '2'])
  end('2')
  await settled()
  expect(begun).toEqual(['1', '2', '3'])
  end('1', new Error('rolled back'))
  await settled()
  expect(begun).toEqual(['1', '2', '3', '4'])
  end('3')
  end('4')
  await expect(all[0]).rejects.toThrow('rolled back')
  expect(await Promise.all(all.slice(1))).toEqual(['2', '3', '4'])
})

it('does not make one owner wait for another', async () => {
  const { enter, begun, settled } = setUp()
  for (const name of ['1', '2', '3']) void enter(name)
  void enter('b', { owner: 'b' })
  await settled()
  expect(begun).toEqual(['1', '2', 'b'])
})

it('refuses a request when as many wait as may, and takes it when one has ended', async () => {
  const { enter, begun, settled, end } = setUp()
  for (const name of ['1', '2', '3', '4', '5']) void enter(name)
  const refused = await refusalOf(enter('6'))
  expect(refused).toMatchObject({ code: 'rate_limited', retryAfterSeconds: 2, details: { limit: 3 } })
  expect(refused.next).toMatch(/again/)
  end('1')
  await settled()
  void enter('6')
  for (const name of ['2', '3', '4', '5']) {
    end(name)
    await settled()
  }
  expect(begun).toEqual(['1', '2', '3', '4', '5', '6'])
})

it('takes a request out of the line when its client has gone', async () => {
  const { enter, begun, settled, end } = setUp()
  const client = new AbortController()
  void enter('1')
  void enter('2')
  const left = enter('3', { signal: client.signal })
  void enter('4')
  client.abort()
  expect((await refusalOf(left)).code).toBe('service_unavailable')
  expect((await refusalOf(enter('5', { signal: client.signal }))).code).toBe('service_unavailable')
  end('1')
  await settled()
  expect(begun).toEqual(['1', '2', '4'])
})

it('does not end work that has begun when its client goes', async () => {
  const { enter, settled, end } = setUp({ running: 1 })
  const client = new AbortController()
  const work = enter('1', { signal: client.signal })
  const next = enter('2', { signal: client.signal })
  end('1')
  await work
  await settled()
  client.abort()
  end('2')
  expect(await next).toBe('2')
})

it('refuses a request that waits longer than the limit for its turn', async () => {
  const { enter } = setUp({ running: 1, waitMs: 20 })
  void enter('1')
  const refused = await refusalOf(enter('2'))
  expect(refused).toMatchObject({ code: 'service_unavailable', retryAfterSeconds: 2 })
})
