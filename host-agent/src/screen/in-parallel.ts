/** Runs two reads in parallel, for `screen/`. */

/**
 * Starts both reads and returns both results. A read that throws synchronously fails like a rejected read, and leaves
 * no unawaited promise behind.
 */
export const inParallel = <A, B>(first: () => Promise<A>, second: () => Promise<B>): Promise<[A, B]> =>
  Promise.all([Promise.resolve().then(first), Promise.resolve().then(second)])
