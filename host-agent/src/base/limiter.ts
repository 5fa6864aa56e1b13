/** Runs a limited number of jobs at the same time, in order of arrival. Used for thumbnails and the starts of adb servers. */

export type Limiter = <T>(job: () => Promise<T>) => Promise<T>

/** @param most the number of jobs at the same time */
export function createLimiter(most: number): Limiter {
  let running = 0
  const waiting: (() => void)[] = []
  return async (job) => {
    // A finished job passes its slot to the next waiting job, so that a new job cannot overtake that job.
    if (running >= most) await new Promise<void>((begin) => waiting.push(begin))
    else running += 1
    try {
      return await job()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}
