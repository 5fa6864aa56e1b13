/**
 * Limits the size that a host may report, since a host must not use up a project's space on all hosts. Pure.
 */

/** Limit of bytes per second. The agents' encoder produces 4 Mbit/s; a busy screen may take twice as much. */
const bytesPerSecond = 1_000_000n
/** Limit for a file with less than a second of video. */
const leastBytes = 1_000_000n

/** Milliseconds that a host may continue after it confirmed a stop. */
const stopsWithinMs = 60_000

/** The maximum size of a recording between two times. */
export const possibleBytes = (startedAt: Date, until: Date): bigint =>
  leastBytes + (BigInt(Math.max(0, until.getTime() - startedAt.getTime())) * bytesPerSecond) / 1000n

export const isStopIgnored = (stopAskedAt: Date | null, now: Date): boolean =>
  stopAskedAt !== null && now.getTime() - stopAskedAt.getTime() > stopsWithinMs
