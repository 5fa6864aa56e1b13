/** When a recording began and ended, from what its host says: within the time that is possible by our clock. Pure. */

interface Times {
  startedAt: Date
  endedAt: Date | null
}

const between = (least: Date, at: Date, most: Date): Date =>
  new Date(Math.max(least.getTime(), Math.min(at.getTime(), most.getTime())))

/** @param admittedAt when it was asked for; @param said by the host's clock, which may be hours off, or lie */
export function possibleTimes(
  admittedAt: Date,
  said: { startedAt?: Date | undefined; endedAt?: Date | undefined },
  now: Date,
): Times {
  const startedAt = between(admittedAt, said.startedAt ?? admittedAt, now)
  return { startedAt, endedAt: said.endedAt ? between(startedAt, said.endedAt, now) : null }
}
