/**
 * Limits requests per key, address or other subject and calendar minute (UTC), counted per process.
 */
import { ApiError, type Clock } from '@phonerack/shared'
import { type FastifyInstance } from 'fastify'
import { createLru } from '../../base/lru.js'

const minuteMs = 60_000
/**
 * Unauthenticated clients choose some subjects, so their number is bounded: the least recently counted subject is
 * dropped.
 */
const maxSubjects = 50_000

export interface RateLimit {
  /** @throws ApiError rate_limited, with the seconds until the next minute */
  count(subject: string): void
}

/** `what` is the kind of subject, for the error message. */
export function createRateLimit(perMinute: number, clock: Clock, what = 'key'): RateLimit {
  let minute = -1
  const counts = createLru<number>({ max: maxSubjects })
  return {
    count(subject) {
      const now = clock.now().getTime()
      const current = Math.floor(now / minuteMs)
      if (current !== minute) {
        minute = current
        counts.clear()
      }
      const count = (counts.get(subject) ?? 0) + 1
      counts.set(subject, count)
      if (count <= perMinute) return
      const seconds = Math.max(1, Math.ceil(((minute + 1) * minuteMs - now) / 1000))
      throw new ApiError('rate_limited', {
        message: `The ${what} has sent more than ${perMinute} requests this minute.`,
        details: { limit: perMinute, retry_after_seconds: seconds },
        retryAfterSeconds: seconds,
      })
    },
  }
}

/** Milliseconds before an answer with status 429. */
export const refusalMs = 200

/**
 * Delays the refusals of every limit. A client that repeats a refused request immediately would otherwise use most of
 * the processor.
 */
export const addRefusalPause = (app: FastifyInstance): void =>
  void app.addHook('onSend', (_request, reply, payload, done) => {
    if (reply.statusCode === 429) setTimeout(done, refusalMs, null, payload)
    else done(null, payload)
  })
