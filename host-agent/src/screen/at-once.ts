/** Two reads beside each other, for `screen/`. */

/**
 * Starts both, and gives both. A read that throws before it returns a promise fails like any other,
 * and leaves none behind that nobody awaits.
 */
export const atOnce = <A, B>(first: () => Promise<A>, second: () => Promise<B>): Promise<[A, B]> =>
  Promise.all([Promise.resolve().then(first), Promise.resolve().then(second)])
