/** Limits to what a host can say of a recording: a host must not use up a project's room on all hosts. Pure. */

/** A second. The agents' encoder makes 4 Mbit/s; a busy screen may take twice as much. */
const bytesPerSecond = 1_000_000n
/** Of a file without a second of video. */
const leastBytes = 1_000_000n

/** Milliseconds that a host may record on after it answered an order to stop. */
const stopsWithinMs = 60_000

/** The most bytes that a recording can have between the two times. */
export const possibleBytes = (startedAt: Date, until: Date): bigint =>
  leastBytes + (BigInt(Math.max(0, until.getTime() - startedAt.getTime())) * bytesPerSecond) / 1000n

export const isStopIgnored = (stopAskedAt: Date | null, now: Date): boolean =>
  stopAskedAt !== null && now.getTime() - stopAskedAt.getTime() > stopsWithinMs
