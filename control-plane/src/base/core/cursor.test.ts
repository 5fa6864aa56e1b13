import { randomBytes } from 'node:crypto'
import { ApiError } from '@phonerack/shared'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Cursors, type CursorScope } from './cursor.js'

const key = randomBytes(32)
const cursors = new Cursors(key)
const scope: CursorScope = { projectId: 'proj_a', list: 'phones' }
function refused(work: () => unknown): void {
  expect(work).toThrow(ApiError)
}

describe.each([
  ['signed', { projectId: 'proj_a', list: 'phones' }],
  ['encrypted', { projectId: 'proj_a', list: 'phones', isSealed: true }],
] satisfies [string, CursorScope][])('a cursor that is %s', (_form, scope) => {
  it('decodes on every replica, for its own list and project only [11.4, 19.3]', () => {
    const replica = new Cursors(Buffer.from(key))
    fc.assert(
      fc.property(fc.date({ noInvalidDate: true }), fc.string(), (at, id) => {
        const cursor = cursors.encode(scope, { at, id })
        expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/)
        expect(replica.decode(scope, cursor)).toEqual({ at, id })
        refused(() => cursors.decode({ ...scope, list: 'uploads' }, cursor))
        refused(() => cursors.decode({ ...scope, projectId: 'proj_b' }, cursor))
        refused(() => new Cursors(randomBytes(32)).decode(scope, cursor))
      }),
    )
  })

  it('is refused when any of its characters is changed, removed or added', () => {
    const cursor = cursors.encode(scope, { at: new Date(1_795_333_701_512), id: 'ph_aaaaaaaaaaaa' })
    for (let index = 0; index < cursor.length; index += 1) {
      const other = cursor[index] === 'A' ? 'B' : 'A'
      refused(() => cursors.decode(scope, cursor.slice(0, index) + other + cursor.slice(index + 1)))
      refused(() => cursors.decode(scope, cursor.slice(0, index)))
      refused(() => cursors.decode(scope, cursor.slice(0, index) + cursor.slice(index + 1)))
    }
    for (const more of ['=', 'A', ' ', '\n', '\0']) refused(() => cursors.decode(scope, cursor + more))
  })

  it('is refused with an error, not a crash, for any other text [7.6, 19.4]', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => refused(() => cursors.decode(scope, text))),
    )
    refused(() => cursors.decode(scope, 'é'.repeat(60)))
    expect(cursors.decode(scope, null)).toBeNull()
  })
})

it('shows its position only when it is not encrypted', () => {
  const position = { at: new Date(0), id: 'number-1234567' }
  const shown = (cursor: string): boolean =>
    [0, 1, 2, 3].some((skipped) =>
      Buffer.from(cursor.slice(skipped), 'base64url').toString('latin1').includes('1234567'),
    )
  expect(shown(cursors.encode(scope, position))).toBe(true)
  expect(shown(cursors.encode({ ...scope, isSealed: true }, position))).toBe(false)
  refused(() => cursors.decode(scope, cursors.encode({ ...scope, isSealed: true }, position)))
  refused(() => cursors.decode({ ...scope, isSealed: true }, cursors.encode(scope, position)))
})

it('pages through every item once', () => {
  fc.assert(
    fc.property(fc.nat(30), fc.integer({ min: 1, max: 7 }), (count, limit) => {
      const rows = Array.from({ length: count }, (_, index) => ({
        at: new Date(1000 - index),
        id: `${index}`,
      }))
      const seen: string[] = []
      let from = 0
      for (;;) {
        const page = cursors.toPage(
          scope,
          rows.slice(from, from + limit + 1),
          limit,
          (row) => row,
          (row) => row.id,
        )
        seen.push(...page.data)
        if (page.nextCursor === null) break
        from = rows.findIndex((row) => row.id === cursors.decode(scope, page.nextCursor)?.id) + 1
      }
      expect(seen).toEqual(rows.map((row) => row.id))
    }),
  )
})
