/**
 * Limits how many transactions of one owner run concurrently in this replica. A request that waits for the row lock of
 * a project holds a connection, so without a limit one tenant could occupy the whole pool.
 */
import { ApiError, onAbort } from '@phonerack/shared'
import { tooBusy } from './busy.js'

export interface GateLimits {
  /** Concurrent transactions of one owner. */
  running: number
  /** Waiting requests of one owner. */
  waiting: number
  /** Milliseconds that a request waits for its turn. */
  waitMs: number
}

/**
 * Each owner gets a fifth of the pool. A request waits for its turn as long as a query waits for a connection of the
 * pool.
 */
export const gateLimits = (poolSize: number): GateLimits => ({
  running: Math.ceil(poolSize / 5),
  waiting: 100,
  waitMs: 10_000,
})

interface Line {
  running: number
  /** Waiting requests in the order of their arrival. */
  waiting: Set<() => void>
}

/** Seconds until the client may retry. */
const retryAfter = 2

export class OwnerGate {
  /** Owners without requests have no entry. */
  private readonly lines = new Map<string, Line>()

  constructor(private readonly limits: GateLimits) {}

  /**
   * Runs `work` when it is the owner's turn. @param signal aborts the wait for the turn, but not `work` @throws
   * ApiError rate_limited if too many requests wait, service_unavailable if the turn does not come before the timeout; nothing was
   * done
   */
  async run<T>(ownerId: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const line = this.lines.get(ownerId) ?? { running: 0, waiting: new Set() }
    this.lines.set(ownerId, line)
    if (line.running < this.limits.running) line.running += 1
    else await this.wait(line, signal)
    try {
      return await work()
    } finally {
      this.pass(ownerId, line)
    }
  }

  /** Gives the turn to the first waiting request. */
  private pass(ownerId: string, line: Line): void {
    const [first] = line.waiting
    if (first) return first()
    line.running -= 1
    if (line.running === 0) this.lines.delete(ownerId)
  }

  private wait(line: Line, signal: AbortSignal | undefined): Promise<void> {
    const { waiting, waitMs } = this.limits
    if (line.waiting.size >= waiting)
      throw new ApiError('rate_limited', {
        message: `The owner of the project already has ${waiting} requests that wait for their turn.`,
        next: 'Wait until earlier requests are answered, then send the request again.',
        details: { limit: waiting },
        retryAfterSeconds: retryAfter,
      })
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(timer)
        forget()
        line.waiting.delete(enter)
      }
      const enter = (): void => {
        leave()
        resolve()
      }
      const giveUp = (): void => {
        leave()
        reject(tooBusy(signal?.reason))
      }
      let forget = (): void => undefined
      const timer = setTimeout(giveUp, waitMs)
      line.waiting.add(enter)
      if (signal) forget = onAbort(signal, giveUp)
    })
  }
}
