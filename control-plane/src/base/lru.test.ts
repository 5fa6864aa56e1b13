import { describe, expect, it } from 'vitest'
import { createLru } from './lru.js'
import { exposedGc } from '../testing/garbage.js'

describe('a cache', () => {
  it('drops the least recently used entry when it is full', () => {
    const cache = createLru<number>({ max: 2 })
    cache.set('a', 1).set('b', 2)
    cache.get('a')
    cache.set('c', 3)
    expect([cache.get('a'), cache.get('b'), cache.get('c'), cache.size]).toEqual([1, undefined, 3, 2])
  })

  it('allocates no room for entries that it does not hold', () => {
    const clean = exposedGc()
    const inUse = (): number => {
      clean()
      return process.memoryUsage().heapUsed
    }
    const before = inUse()
    const caches = Array.from({ length: 20 }, () => createLru<number>({ max: 1_000_000 }))
    expect(inUse() - before).toBeLessThan(20_000_000)
    expect(caches).toHaveLength(20)
  })
})
