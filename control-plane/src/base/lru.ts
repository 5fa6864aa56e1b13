/** Caches with a maximum number of entries; the least recently used ones make room. */
import { LRUCache } from 'lru-cache'

export interface LruOptions {
  /** Entries. */
  max: number
  /** Milliseconds that an entry lives. Default: without end. */
  ttl?: number
  /** Milliseconds for which the clock's reading is reused. Default: 1. */
  ttlResolution?: number
}

/**
 * Counts entries by `maxSize`: with `max`, lru-cache allocates and fills its arrays for all of them when
 * it is created, which took 10 to 20 ms and up to 2 MB for each of a control plane's twelve caches.
 */
export const createLru = <V extends boolean | number | object>({
  max,
  ...times
}: LruOptions): LRUCache<string, V> =>
  new LRUCache<string, V>({ ...times, maxSize: max, sizeCalculation: () => 1 })
