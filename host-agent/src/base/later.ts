/** A promise and the function that settles it, for answers that arrive on another path than the request. */
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
