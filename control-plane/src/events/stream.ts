/** Follows the events of a project from a position on, woken by the numbering of any replica. */
import { ApiError, isId } from '@phonerack/shared'
import { type Caller } from '../core/caller.js'
import { type Changes } from '../core/changes.js'
import { type Core } from '../core/core.js'
import { type Prisma } from '../gen/prisma/client.js'
import { validationFailed } from '../validation/validation-error.js'
import { eventJson } from './json.js'
import { findNumber, readNext, readState } from './reads.js'
import { type StreamItem } from './types.js'

/** Events of one read. */
const readAtOnce = 200
/** Milliseconds without an event after which a client gets the position again: the ID that it knows must not expire. */
const positionEveryMs = 3_600_000

export interface StreamStart {
  /** The number after which the stream begins. */
  after: bigint
  /** The ID whose successors have expired; null: nothing is missing. */
  gapAfter: string | null
}

/** @throws ApiError validation_failed for an ID in another form */
export async function findStart(
  core: Core,
  { projectId }: Caller,
  lastEventId: string | null,
): Promise<StreamStart> {
  const { last, expired } = await readState(core.db)
  if (lastEventId === null) return { after: last, gapAfter: null }
  const known = isId('event', lastEventId)
    ? await findNumber(core.db, projectId, lastEventId)
    : numberOf(core, projectId, lastEventId)
  // A restored backup counts from an earlier number again.
  return known === null || known < expired || known > last
    ? { after: 0n, gapAfter: lastEventId }
    : { after: known, gapAfter: null }
}

const scopeOf = (projectId: string) => ({ projectId, list: 'event stream' })

/** The ID of a position, for clients that received no event after it. */
const positionId = (core: Core, projectId: string, number: bigint): string =>
  core.cursors.encode(scopeOf(projectId), { at: new Date(0), id: number.toString() })

function numberOf(core: Core, projectId: string, id: string): bigint {
  try {
    return BigInt(core.cursors.decode(scopeOf(projectId), id)?.id ?? 0)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    throw validationFailed('headers', [
      { path: ['last-event-id'], message: 'must be the `id` of an event of this stream', code: 'invalid_id' },
    ])
  }
}

export interface Following {
  projectId: string
  which: Prisma.Sql
  start: StreamStart
  /** Milliseconds after which a stream without events says that it is idle. */
  idleMs: number
  signal: AbortSignal
}

export async function* follow(
  core: Core,
  changes: Changes,
  { projectId, which, start, idleMs, signal }: Following,
): AsyncGenerator<StreamItem> {
  const isOver = (): boolean => signal.aborted
  let { after } = start
  let sentAt = performance.now()
  let positionAt = sentAt
  if (start.gapAfter !== null) yield { kind: 'gap', lastEventId: start.gapAfter }
  else yield { kind: 'position', id: positionId(core, projectId, after) }
  while (!isOver()) {
    // Listen before reading, so that events in between are not missed.
    const listening = new AbortController()
    const left = Math.max(0, sentAt + idleMs - performance.now())
    const change = changes.next(projectId, left, AbortSignal.any([signal, listening.signal]))
    try {
      const { last } = await readState(core.db)
      const rows = await readNext(core.db, which, { after, upTo: last }, readAtOnce)
      for (const row of rows) {
        if (isOver()) return
        yield { kind: 'event', event: eventJson(row) }
        after = row.number
        sentAt = positionAt = performance.now()
      }
      if (rows.length === readAtOnce) continue
      // Events that this stream does not show are not read again.
      after = last
      await change
    } finally {
      listening.abort()
    }
    const now = performance.now()
    if (isOver() || now - sentAt < idleMs) continue
    sentAt = now
    if (now - positionAt < positionEveryMs) yield { kind: 'idle' }
    else {
      positionAt = now
      yield { kind: 'position', id: positionId(core, projectId, after) }
    }
  }
}
