/** Time as a parameter, so that pure cores read no clock. */
export interface Clock {
  now(): Date
}

export const systemClock: Clock = { now: () => new Date() }
