/** For tests: counts the work of a function, since its time depends on the machine. */
import { vi } from 'vitest'

/** Returns the same list, with a counter of the reads of its entries. */
export function countReads<T>(list: readonly T[]): { list: readonly T[]; reads: () => number } {
  let reads = 0
  const counted = new Proxy(list, {
    get(target, key) {
      if (typeof key === 'string' && /^\d+$/.test(key)) reads += 1
      return Reflect.get(target, key) as unknown
    },
  })
  return { list: counted, reads: () => reads }
}

/** Returns the number of calls of `RegExp.prototype.test` during `work`. */
export function countTests(work: () => unknown): number {
  const test = vi.spyOn(RegExp.prototype, 'test')
  try {
    work()
    return test.mock.calls.length
  } finally {
    test.mockRestore()
  }
}

/** Returns the sum of the lengths of all lists that `work` copies or visits by an iterator. */
export function countIterated(work: () => unknown): number {
  const iterator = Array.prototype[Symbol.iterator]
  let entries = 0
  Array.prototype[Symbol.iterator] = function (this: unknown[]) {
    entries += this.length
    return iterator.call(this)
  }
  try {
    work()
  } finally {
    Array.prototype[Symbol.iterator] = iterator
  }
  return entries
}
