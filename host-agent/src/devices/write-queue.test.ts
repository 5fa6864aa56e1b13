/** Writes run one at a time and in order, and the queue never blocks. */
import { ApiError } from '@phonerack/shared'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createWriteQueue } from './write-queue.js'

const never = new AbortController().signal
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

describe('write queue', () => {
  it('runs writes one at a time in order of arrival, even after failures and aborts', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('ends', 'fails', 'given up'), { minLength: 1, maxLength: 12 }),
        async (kinds) => {
          const queue = createWriteQueue()
          const order: number[] = []
          let running = 0
          const outcomes = await Promise.allSettled(
            kinds.map((kind, index) => {
              const gone = new AbortController()
              const mine = queue.run(gone.signal, 5000, async () => {
                running += 1
                expect(running).toBe(1)
                order.push(index)
                await pause(1)
                running -= 1
                if (kind === 'fails') throw new Error('failed')
                return index
              })
              if (kind === 'given up' && index > 0) gone.abort()
              return mine
            }),
          )
          const ran = kinds.flatMap((kind, index) => (kind === 'given up' && index > 0 ? [] : [index]))
          expect(order).toEqual(ran)
          kinds.forEach((kind, index) => {
            const good = kind === 'ends' || (kind === 'given up' && index === 0)
            expect(outcomes[index]?.status).toBe(good ? 'fulfilled' : 'rejected')
          })
          await queue.idle()
          expect(queue.busy).toBe(false)
        },
      ),
      { numRuns: 40 },
    )
  })

  it('refuses writes that waited too long as rate_limited, and never runs them [22.17, 30.41]', async () => {
    const queue = createWriteQueue()
    let ran = false
    const long = queue.run(never, 1000, () => pause(120))
    const late = queue.run(never, 30, () => {
      ran = true
      return Promise.resolve()
    })
    await expect(late).rejects.toMatchObject({
      code: 'rate_limited',
      retryable: true,
      details: { retry_after_seconds: 1 },
    })
    await long
    expect(await queue.run(never, 1000, () => Promise.resolve('next'))).toBe('next')
    expect(ran).toBe(false)
  })

  it('refuses a write when the queue is full, and accepts it when a write has ended', async () => {
    const queue = createWriteQueue(2)
    let end = (): void => undefined
    const running = queue.run(never, 1000, () => new Promise<void>((resolve) => (end = resolve)))
    const [first, second] = [queue.run(never, 5000, () => pause(1)), queue.run(never, 5000, () => pause(1))]
    const refused = queue.run(never, 5000, () => pause(1))
    await expect(refused).rejects.toMatchObject({ code: 'rate_limited', details: { limit: 2 } })
    end()
    await Promise.all([running, first, second])
    expect(await queue.run(never, 5000, () => Promise.resolve('next'))).toBe('next')
  })

  it('reports that nothing was done for writes aborted before their turn', async () => {
    const queue = createWriteQueue()
    const gone = new AbortController()
    const long = queue.run(never, 1000, () => pause(50))
    const waiting = queue.run(gone.signal, 1000, () => Promise.resolve())
    gone.abort()
    await expect(waiting).rejects.toThrow(ApiError)
    await expect(waiting).rejects.toMatchObject({ code: 'phone_unavailable' })
    await long
  })
})
