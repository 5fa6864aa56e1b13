/** A host's recording space, shared by owners. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hasSpace } from './share.js'

describe("a host's recording space", () => {
  it('cannot be filled by one owner', () => {
    expect(hasSpace(new Map(), 'one', 50, 100)).toBe(true)
    expect(hasSpace(new Map(), 'one', 51, 100)).toBe(false)
    const used = new Map([['one', 50]])
    expect(hasSpace(used, 'one', 1, 100)).toBe(false)
    expect(hasSpace(used, 'two', 33, 100)).toBe(true)
    expect(hasSpace(used, 'two', 34, 100)).toBe(false)
  })

  it('is never exceeded, and has a share for the next owner while all owners keep to their shares', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 0, max: 7 }), fc.integer({ min: 1, max: 400 })), {
          maxLength: 60,
        }),
        (takes) => {
          const used = new Map<string, number>()
          for (const [caller, bytes] of takes) {
            const owner = `owner ${caller}`
            if (hasSpace(used, owner, bytes, 1000)) used.set(owner, (used.get(owner) ?? 0) + bytes)
          }
          expect([...used.values()].reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(1000)
          if (used.size === 1) expect(hasSpace(used, 'another', 300, 1000)).toBe(true)
        },
      ),
    )
  })
})
