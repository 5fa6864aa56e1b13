/** Time as a value that is passed in, so that cores have no clock of their own. */
export interface Clock {
  now(): Date
}

export const systemClock: Clock = { now: () => new Date() }
