/**
 * Limits the start and end of a recording, as its host reports them, to times that are possible by our clock.
 * Pure.
 */

interface Times {
  startedAt: Date
  endedAt: Date | null
}

const between = (least: Date, at: Date, most: Date): Date =>
  new Date(Math.max(least.getTime(), Math.min(at.getTime(), most.getTime())))

/**
 * @param admittedAt when the recording was requested
 * @param said the time by the host's clock, which may be hours off, or wrong on purpose
 */
export function possibleTimes(
  admittedAt: Date,
  said: { startedAt?: Date | undefined; endedAt?: Date | undefined },
  now: Date,
): Times {
  const startedAt = between(admittedAt, said.startedAt ?? admittedAt, now)
  return { startedAt, endedAt: said.endedAt ? between(startedAt, said.endedAt, now) : null }
}
