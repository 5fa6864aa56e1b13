/** Limits the concurrent work on one phone. */
import { ApiError } from '@phonerack/shared'

/** Returns the error of a call that was refused before it did anything. */
export const tooMany = (message: string, limit: number): ApiError =>
  new ApiError('rate_limited', { message, details: { limit, retry_after_seconds: 1 } })

/** Returns a function that runs `work`. The function throws ApiError rate_limited while `most` calls run. */
export function createRoom(most: number, kind: string): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0
  return async (work) => {
    if (running >= most) throw tooMany(`${most} ${kind} run on the phone already.`, most)
    running += 1
    try {
      return await work()
    } finally {
      running -= 1
    }
  }
}
