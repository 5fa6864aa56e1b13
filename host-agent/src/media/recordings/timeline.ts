/**
 * Computes the times of pictures in a recording: the intervals come from the phone's clock, and the total
 * from the agent's clock. Pure. Used by `writer.ts`.
 */

/**
 * Milliseconds that a picture may be ahead of the agent's clock. A larger difference means that the phone's
 * clock jumped.
 */
const maxAheadMs = 1000

export interface Timeline {
  /**
   * Returns the time in the recording, in milliseconds, of a picture that arrived at `nowMs` (agent's clock). The time
   * is always later than the time of the previous picture.
   */
  picture(ptsUs: bigint, nowMs: number): number
  /** Returns the time in the recording, in milliseconds, at `nowMs`, while the last picture is still on the screen. */
  shownUntil(nowMs: number): number
}

/** The first picture, which arrived at `nowMs`, is at 0. */
export function startTimeline(firstPtsUs: bigint, nowMs: number): Timeline {
  const startedAt = nowMs
  let last = 0
  /** Subtracted from the phone's time. */
  let originUs = firstPtsUs
  return {
    picture(ptsUs, at) {
      const elapsed = at - startedAt
      const ahead = Number(ptsUs - originUs) / 1000 - elapsed
      if (ahead > maxAheadMs) originUs += BigInt(Math.round(ahead * 1000))
      last = Math.max(last + 1, Math.round(Number(ptsUs - originUs) / 1000))
      return last
    },
    shownUntil: (at) => Math.max(last + 1, Math.round(at - startedAt)),
  }
}
