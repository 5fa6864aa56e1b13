/** A promise with the function that settles it, for an answer that arrives separately from its request. */
export interface Later<T> {
  readonly promise: Promise<T>
  readonly resolve: (value: T) => void
}

export function later<T>(): Later<T> {
  let resolve: (value: T) => void = () => undefined
  const promise = new Promise<T>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}
