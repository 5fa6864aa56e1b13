/**
 * When pictures stand in a recording: by the phone's clock between them, by ours for the whole. Pure: times come in.
 * Used by `writer.ts`.
 */

/** Milliseconds that a picture may be ahead of our clock: more is a clock of the phone that jumped. */
const mostAhead = 1000

export interface Timeline {
  /** Milliseconds of a picture that came at `nowMs` (our clock); later than those of the picture before. */
  picture(ptsUs: bigint, nowMs: number): number
  /** Milliseconds up to which the last picture has stood by `nowMs`. */
  until(nowMs: number): number
}

/** The first picture, which came at `nowMs`, is at 0. */
export function startTimeline(firstPtsUs: bigint, nowMs: number): Timeline {
  const startedAt = nowMs
  let last = 0
  /** What is taken off the phone's time. */
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
