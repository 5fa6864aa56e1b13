/** Slots and evictions, as pure functions. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chooseEvictions } from './lru.js'
import { createSlots, slotsPerPhone } from './slots.js'

describe('slots', () => {
  it('are at most two, and one per app, for any sequence', () => {
    const step = fc.record({
      id: fc.constantFrom('a', 'b', 'c', 'd'),
      name: fc.constantFrom('x', 'y', 'z'),
      release: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const slots = createSlots()
        const held = new Map<string, string>()
        for (const { id, name, release } of steps) {
          if (release) {
            slots.release(id)
            held.delete(id)
            continue
          }
          const others = [...held].filter(([other]) => other !== id)
          const busy = slots.take(id, name)
          const sameApp = others.some(([, each]) => each === name)
          if (sameApp) expect(busy).toEqual({ busyWith: name })
          else if (others.length >= slotsPerPhone)
            expect(others.map(([, each]) => each)).toContain(busy?.busyWith)
          else {
            expect(busy).toBeNull()
            held.set(id, name)
          }
          expect(new Set(held.values()).size).toBe(held.size)
          expect(held.size).toBeLessThanOrEqual(slotsPerPhone)
        }
      }),
    )
  })
})

describe('evictions', () => {
  const files = fc.uniqueArray(
    fc.record({
      sha256: fc.string({ minLength: 1, maxLength: 3 }),
      size: fc.integer({ min: 1, max: 100 }),
      usedAt: fc.integer({ min: 0, max: 50 }),
    }),
    { selector: ({ sha256 }) => sha256, maxLength: 12 },
  )

  it('free just enough space, least recently used first, and never files in use', () => {
    fc.assert(
      fc.property(files, fc.func(fc.boolean()), fc.nat(200), fc.nat(600), (all, used, needed, limit) => {
        const inUse = (sha256: string) => used(sha256)
        const leaving = chooseEvictions(all, inUse, needed, limit)
        const sum = (list: typeof all) => list.reduce((total, { size }) => total + size, 0)
        const idle = all.filter(({ sha256 }) => !inUse(sha256))
        if (leaving === null) {
          expect(sum(all) - sum(idle) + needed).toBeGreaterThan(limit)
          return
        }
        const gone = idle.filter(({ sha256 }) => leaving.includes(sha256))
        expect(gone.length).toBe(leaving.length)
        expect(sum(all) - sum(gone) + needed).toBeLessThanOrEqual(limit)
        const stays = idle.filter(({ sha256 }) => !leaving.includes(sha256))
        for (const kept of stays)
          for (const left of gone) expect(left.usedAt).toBeLessThanOrEqual(kept.usedAt)
        // Without the last file there would not be enough space.
        const last = gone.find(({ sha256 }) => sha256 === leaving.at(-1))
        if (last) expect(sum(all) - sum(gone) + last.size + needed).toBeGreaterThan(limit)
      }),
    )
  })
})
