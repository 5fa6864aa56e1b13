/**
 * Times of pictures in a recording: by the phone's clock between pictures, by the
 * agent's clock overall. Pure: times are passed in. Used by `writer.ts`.
 */

/**
 * Milliseconds that a picture may be ahead of the agent's clock: more means that the
 * phone's clock jumped.
 */
const mostAhead = 1000

export interface Timeline {
  /**
   * Milliseconds of a picture that arrived at `nowMs` (agent's clock); later than the
   * previous picture's.
   */
  picture(ptsUs: bigint, nowMs: number): number
  /** Milliseconds up to which the last picture was shown by `nowMs`. */
  until(nowMs: number): number
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
      if (ahead > mostAhead) originUs += BigInt(Math.round(ahead * 1000))
      last = Math.max(last + 1, Math.round(Number(ptsUs - originUs) / 1000))
      return last
    },
    until: (at) => Math.max(last + 1, Math.round(at - startedAt)),
  }
}
