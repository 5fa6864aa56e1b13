/** Requests per key and calendar minute (UTC), counted in this process. */
import { ApiError, type Clock } from '@phonerack/shared'

const minuteMs = 60_000

export interface RateLimit {
  /** @throws ApiError rate_limited, with the seconds until the next minute */
  count(keyId: string): void
}

export function createRateLimit(perMinute: number, clock: Clock): RateLimit {
  let minute = -1
  let counts = new Map<string, number>()
  return {
    count(keyId) {
      const now = clock.now().getTime()
      const current = Math.floor(now / minuteMs)
      if (current !== minute) {
        minute = current
        counts = new Map()
      }
      const count = (counts.get(keyId) ?? 0) + 1
      counts.set(keyId, count)
      if (count <= perMinute) return
      throw new ApiError('rate_limited', {
        message: `This key has sent more than ${perMinute} requests this minute.`,
        details: { limit: perMinute },
        retryAfterSeconds: Math.max(1, Math.ceil(((minute + 1) * minuteMs - now) / 1000)),
      })
    },
  }
}
