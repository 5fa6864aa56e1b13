/**
 * Computes how long this replica waits between two challenges of a claim, or between two orders to forget a
 * device: a short time while a move usually takes that long, then a longer time. Decides when a claim is
 * over. Pure. Used by `claims.ts` and `fold.ts`.
 */
import { createLru } from '../../base/lru.js'

/** Milliseconds: the first and the longest time between two checks. */
const restMs = 2000
const longestRestMs = 30_000
/** Checks at the first interval. A claim is decided within a minute. */
const frequent = 30

/** The count of a claim that pauses for `ttl` milliseconds begins again. */
const kept = { max: 10_000, ttl: 5 * 60_000 }

/**
 * Milliseconds after which a missing claim is over. A later claim then starts the time of the conflict again.
 */
export const missingMs = 60_000 + longestRestMs

/** Whether a phone that claimed an identity has not claimed it for `missingMs`. */
export const isClaimOver = (claimCheckedAt: Date | null, now: Date): boolean =>
  claimCheckedAt === null || now.getTime() - claimCheckedAt.getTime() >= missingMs

export class ClaimRests {
  /** The number of checks by device. */
  private readonly checks = createLru<number>(kept)

  /** Milliseconds from the last check to the next. */
  of(deviceId: string): number {
    const beyond = Math.max(0, (this.checks.get(deviceId) ?? 0) - frequent)
    return Math.min(longestRestMs, restMs * 2 ** Math.min(beyond, 10))
  }

  checked(deviceId: string): void {
    this.checks.set(deviceId, (this.checks.get(deviceId) ?? 0) + 1)
  }
}
