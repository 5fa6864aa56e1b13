/** Time as a parameter, so that pure cores do not read a clock. */
export interface Clock {
  now(): Date
}

export const systemClock: Clock = { now: () => new Date() }
