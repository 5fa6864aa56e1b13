/**
 * Orders the calls for one phone, and work that gives way to all calls: pictures for walls of thumbnails.
 * Used by `gate.ts`. docs/decisions/0297
 */

export interface Turns {
  /** Runs a call. Aborts work that gives way, and starts no such work until the call has ended. */
  first<T>(call: () => Promise<T>): Promise<T>
  /** Runs `work` with a signal that aborts when a call begins. Returns null when a call runs, or has aborted `work`. */
  giveWay<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T | null>
}

export function createTurns(): Turns {
  let calls = 0
  const giving = new Set<AbortController>()
  return {
    async first(call) {
      calls += 1
      for (const control of giving) control.abort()
      try {
        return await call()
      } finally {
        calls -= 1
      }
    },
    async giveWay(work) {
      if (calls > 0) return null
      const control = new AbortController()
      giving.add(control)
      try {
        return await work(control.signal)
      } catch (error) {
        if (control.signal.aborted) return null
        throw error
      } finally {
        giving.delete(control)
      }
    },
  }
}
