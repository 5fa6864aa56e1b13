/** The moments at which the tests of clients cut the connection of a call. */

/**
 * `arrived`: how many attempts of the cut call reached the service, for a call that the client does not
 * repeat.
 */
export const cuts = [
  { moment: 'before the request arrives', heldAfter: null, arrived: 0 },
  { moment: 'before the answer', heldAfter: 0, arrived: 1 },
  { moment: 'in the middle of the answer', heldAfter: 40, arrived: 1 },
] as const
export type Cut = (typeof cuts)[number]
