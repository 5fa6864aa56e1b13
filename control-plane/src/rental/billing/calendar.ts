/** Calendar months and minutes, UTC. Pure. */

export const monthStart = (now: Date): Date => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1))

export const minuteStart = (now: Date): Date => new Date(Math.floor(now.getTime() / 60_000) * 60_000)

/** Whole seconds until the next minute, at least 1. */
export const secondsToNextMinute = (now: Date): number =>
  Math.max(1, Math.ceil((minuteStart(now).getTime() + 60_000 - now.getTime()) / 1000))

export const dayStart = (now: Date): Date =>
  new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()))

/** Whole seconds until the next day, at least 1. */
export const secondsToNextDay = (now: Date): number =>
  Math.max(1, Math.ceil((dayStart(now).getTime() + 86_400_000 - now.getTime()) / 1000))
