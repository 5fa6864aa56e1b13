/** Caches with a maximum number of entries, which drop the least recently used entries. */
import { LRUCache } from 'lru-cache'

interface LruOptions {
  /** Maximum number of entries. */
  max: number
  /** Milliseconds that an entry lives. Default: no limit. */
  ttl?: number
  /** Milliseconds for which the clock's reading is reused. Default: 1. */
  ttlResolution?: number
}

/**
 * Counts entries by `maxSize`. With `max`, lru-cache allocates its arrays for all entries when it is created, which
 * took 10 to 20 ms and up to 2 MB for each of a control plane's twelve caches.
 */
export const createLru = <V extends boolean | number | object>({
  max,
  ...times
}: LruOptions): LRUCache<string, V> =>
  new LRUCache<string, V>({ ...times, maxSize: max, sizeCalculation: () => 1 })
