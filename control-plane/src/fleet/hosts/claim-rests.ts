/**
 * How long this replica waits between two challenges of one claim, or two orders to forget one device: short times as long as a
 * move takes, and longer ones after that. And when a claim is over. Pure. Used by `claims.ts` and `fold.ts`.
 */
import { createLru } from '../../base/lru.js'

/** Milliseconds: the first and the longest time between two checks. */
const restMs = 2000
const longestRestMs = 30_000
/** Checks before the time grows: a claim is judged within a minute. */
const frequent = 30

/** `ttl`: a claim that pauses for so many milliseconds begins again. */
const kept = { max: 10_000, ttl: 5 * 60_000 }

/** Milliseconds for which a claim must be missing before the time in which two hosts claimed the phone begins again. */
export const missingMs = 60_000 + longestRestMs

/** Whether a phone that claimed an identity has not done so for as long as the claim of two hosts takes. */
export const isClaimOver = (claimCheckedAt: Date | null, now: Date): boolean =>
  claimCheckedAt === null || now.getTime() - claimCheckedAt.getTime() >= missingMs

export class ClaimRests {
  /** Checks by device. */
  private readonly checks = createLru<number>(kept)

  /** Milliseconds since the last check before the next one is due. */
  of(deviceId: string): number {
    const beyond = Math.max(0, (this.checks.get(deviceId) ?? 0) - frequent)
    return Math.min(longestRestMs, restMs * 2 ** Math.min(beyond, 10))
  }

  checked(deviceId: string): void {
    this.checks.set(deviceId, (this.checks.get(deviceId) ?? 0) + 1)
  }
}
