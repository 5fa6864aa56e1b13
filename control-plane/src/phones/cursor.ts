/** Cursors of newest-first pages: opaque to clients, bound to what they page through. */
import { ApiError } from '@phonerack/shared'
import { z } from 'zod'

export interface Position {
  at: Date
  id: string
}

const cursorSchema = z.tuple([z.string(), z.number().int(), z.string()])

/** The cursor after `position`; `scope` names the list, such as `phones` or a phone's ID. */
export const encodeCursor = (scope: string, position: Position): string =>
  Buffer.from(JSON.stringify([scope, position.at.getTime(), position.id])).toString('base64url')

/** @throws ApiError validation_failed naming `cursor` */
export function decodeCursor(scope: string, cursor: string | null): Position | null {
  if (cursor === null) return null
  const parsed = cursorSchema.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString('utf8')))
  const time = parsed.success ? new Date(parsed.data[1]) : null
  if (!parsed.success || parsed.data[0] !== scope || !time || Number.isNaN(time.getTime()))
    throw invalidCursor()
  return { at: time, id: parsed.data[2] }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

const invalidCursor = () =>
  new ApiError('validation_failed', {
    message: 'The cursor is not valid.',
    details: {
      validation_stage: 'query',
      issues: [{ path: ['cursor'], message: 'must be a next_cursor of this list, sent back unchanged' }],
    },
  })

/** Cuts one row more than a page into the page and the cursor after it. */
export function toPage<R, T>(
  scope: string,
  rows: readonly R[],
  limit: number,
  position: (row: R) => Position,
  view: (row: R) => T,
): { data: T[]; nextCursor: string | null } {
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  const more = rows.length > limit && last !== undefined
  return { data: page.map(view), nextCursor: more ? encodeCursor(scope, position(last)) : null }
}
