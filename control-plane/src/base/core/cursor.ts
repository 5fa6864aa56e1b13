/**
 * Cursors of newest-first pages: opaque to clients, signed with a key that the replicas share, and bound to their list
 * and project. Queries only get positions of verified cursors. Clients can decode a signed position, so positions that
 * reveal facts about other projects are encrypted.
 */
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { ApiError } from '@phonerack/shared'
import { z } from 'zod'
import { ServiceKey } from '../pki/service-key.js'

export interface Position {
  at: Date
  id: string
}

/** The list in which a cursor is valid. */
export interface CursorScope {
  projectId: string
  /** For example `phones`, or a phone's ID for its sessions. */
  list: string
  /** The query parameter that carries the cursor. Default: `cursor`. */
  parameter?: string
  /** True: the position is encrypted. Default: the position is only signed. */
  isSealed?: boolean
}

/** Milliseconds since 1970, and an ID. */
const positionSchema = z.tuple([z.number().int(), z.string()])

/** Characters of a signature: 32 bytes in base64url. */
const signatureLength = 43

/** Creates and verifies the cursors of all lists. */
export class Cursors {
  private readonly sealing: ServiceKey

  /** @param key 32 bytes, the same on every replica */
  constructor(private readonly key: Uint8Array) {
    this.sealing = ServiceKey.of(Buffer.from(hkdfSync('sha256', key, '', 'phonerack sealed cursors', 32)))
  }

  /** Returns the cursor after `position`. */
  encode(scope: CursorScope, position: Position): string {
    const json = JSON.stringify([position.at.getTime(), position.id])
    if (scope.isSealed === true)
      return Buffer.from(this.sealing.seal(Buffer.from(json), contextOf(scope))).toString('base64url')
    const text = Buffer.from(json).toString('base64url')
    return this.sign(scope, text) + text
  }

  /** @throws ApiError validation_failed that names the parameter, unless the text is a cursor of this scope */
  decode(scope: CursorScope, cursor: string | null): Position | null {
    if (cursor === null) return null
    const json = scope.isSealed === true ? this.opened(scope, cursor) : this.verified(scope, cursor)
    if (json === null) throw invalidCursor(scope)
    // This service issued the cursor, but another release may have encoded the position differently.
    const parsed = positionSchema.safeParse(parseJson(json))
    if (!parsed.success) throw invalidCursor(scope)
    const [at, id] = parsed.data
    return { at: new Date(at), id }
  }

  /** Splits rows, one more than fit on a page, into the page and the cursor after it. */
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

  /** Returns null if the signature is not valid. */
  private verified(scope: CursorScope, cursor: string): string | null {
    const text = cursor.slice(signatureLength)
    if (!isSame(cursor.slice(0, signatureLength), this.sign(scope, text))) return null
    return Buffer.from(text, 'base64url').toString('utf8')
  }

  /** Returns null if the text was not encrypted for this scope. */
  private opened(scope: CursorScope, cursor: string): string | null {
    const bytes = Buffer.from(cursor, 'base64url')
    // The last character has unused bits, and the decoder skips characters outside of the alphabet.
    if (bytes.toString('base64url') !== cursor) return null
    return this.sealing.tryOpen(bytes, contextOf(scope))?.toString('utf8') ?? null
  }

  private sign({ projectId, list }: CursorScope, text: string): string {
    return createHmac('sha256', this.key)
      .update(JSON.stringify([projectId, list, text]))
      .digest('base64url')
  }
}

const contextOf = ({ projectId, list }: CursorScope): string => JSON.stringify([projectId, list])

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
