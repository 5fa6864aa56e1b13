/**
 * Cursors of newest-first pages: opaque to clients, signed with a key that the replicas share, and
 * bound to their list and project. A query only sees the position of a verified cursor.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { ApiError } from '@phonerack/shared'
import { z } from 'zod'

export interface Position {
  at: Date
  id: string
}

/** Where a cursor is valid. */
export interface CursorScope {
  projectId: string
  /** For example `phones`, or a phone's ID for its sessions. */
  list: string
  /** The query parameter that carries the cursor. Default: `cursor`. */
  parameter?: string
}

/** Milliseconds since 1970, and an ID. */
const positionSchema = z.tuple([z.number().int(), z.string()])

/** Characters of a signature: 32 bytes in base64url. */
const signatureLength = 43

/** Creates and verifies the cursors of all lists. */
export class Cursors {
  /** @param key 32 bytes, the same on every replica */
  constructor(private readonly key: Uint8Array) {}

  /** Returns the cursor after `position`. */
  encode(scope: CursorScope, position: Position): string {
    const text = Buffer.from(JSON.stringify([position.at.getTime(), position.id])).toString('base64url')
    return this.sign(scope, text) + text
  }

  /**
   * @throws ApiError validation_failed naming the parameter, for anything but a cursor of this
   * scope
   */
  decode(scope: CursorScope, cursor: string | null): Position | null {
    if (cursor === null) return null
    const text = cursor.slice(signatureLength)
    if (!isSame(cursor.slice(0, signatureLength), this.sign(scope, text))) throw invalidCursor(scope)
    // The signature is valid, but another version of the service may have encoded the position
    // differently.
    const parsed = positionSchema.safeParse(parseJson(Buffer.from(text, 'base64url').toString('utf8')))
    if (!parsed.success) throw invalidCursor(scope)
    const [at, id] = parsed.data
    return { at: new Date(at), id }
  }

  /** Splits rows, one more than a page, into the page and the cursor after it. */
  toPage<R, T>(
    scope: CursorScope,
    rows: readonly R[],
    limit: number,
    position: (row: R) => Position,
    view: (row: R) => T,
  ): { data: T[]; nextCursor: string | null } {
    const page = rows.slice(0, limit)
    const last = page.at(-1)
    const more = rows.length > limit && last !== undefined
    return { data: page.map(view), nextCursor: more ? this.encode(scope, position(last)) : null }
  }

  private sign({ projectId, list }: CursorScope, text: string): string {
    return createHmac('sha256', this.key)
      .update(JSON.stringify([projectId, list, text]))
      .digest('base64url')
  }
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

const invalidCursor = ({ parameter = 'cursor' }: CursorScope) =>
  new ApiError('validation_failed', {
    message: `\`${parameter}\` is not valid for this list.`,
    next: `Repeat the request without \`${parameter}\` to start from the first page.`,
    details: {
      validation_stage: 'query',
      issues: [
        {
          path: [parameter],
          message: `must be the \`next_${parameter}\` of a previous page of this list`,
          code: 'invalid_cursor',
        },
      ],
    },
  })
