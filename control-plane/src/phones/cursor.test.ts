import { ApiError } from '@phonerack/shared'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { decodeCursor, encodeCursor, toPage } from './cursor.js'

it('comes back as it went, for its own list only', () => {
  fc.assert(
    fc.property(fc.date({ noInvalidDate: true }), fc.string(), (at, id) => {
      const cursor = encodeCursor('phones', { at, id })
      expect(decodeCursor('phones', cursor)).toEqual({ at, id })
      expect(() => decodeCursor('ph_aaaaaaaaaaaa', cursor)).toThrow(ApiError)
    }),
  )
})

it('is refused, never a bug, when it is anything else', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(() => decodeCursor('phones', text)).toThrow(ApiError)
    }),
  )
  expect(decodeCursor('phones', null)).toBeNull()
})

it('pages through everything once', () => {
  fc.assert(
    fc.property(fc.nat(30), fc.integer({ min: 1, max: 7 }), (count, limit) => {
      const rows = Array.from({ length: count }, (_, index) => ({
        at: new Date(1000 - index),
        id: `${index}`,
      }))
      const seen: string[] = []
      let from = 0
      for (;;) {
        const page = toPage(
          'x',
          rows.slice(from, from + limit + 1),
          limit,
          (row) => row,
          (row) => row.id,
        )
        seen.push(...page.data)
        if (page.nextCursor === null) break
        from = rows.findIndex((row) => row.id === decodeCursor('x', page.nextCursor)?.id) + 1
      }
      expect(seen).toEqual(rows.map((row) => row.id))
    }),
  )
})
