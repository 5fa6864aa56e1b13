/**
 * Follows the events of a project from a position on. The numbering of any replica wakes the stream. A stream ends if
 * its next events may be missing: the client connects again, and its last ID decides whether there is a gap.
 * docs/decisions/0271
 */
import { isId } from '@phonerack/shared'
import { type Caller } from '../../base/core/caller.js'
import { type Changes } from '../../base/core/changes.js'
import { type Core } from '../../base/core/core.js'
import { type Prisma } from '../../gen/prisma/client.js'
import { type EventFacts } from './json.js'
import { positionId, positionIn } from './positions.js'
import { findNumber, readNext, readState, type EventState } from './reads.js'
import { type EventJson, type StreamItem } from './types.js'

/** Number of events in one read. A stream whose client does not read keeps them in memory, with up to 12 KB each. */
const readAtOnce = 20
/**
 * Milliseconds without an event after which the client gets a new position, so that the client's last ID does not
 * expire.
 */
const positionEveryMs = 3_600_000

export interface StreamStart {
  /** The number after which the stream begins, and the epoch that assigned it. */
  after: bigint
  epoch: string
  /** The ID after which events are missing; null if no event is missing. */
  gapAfter: string | null
}

/** @throws ApiError validation_failed for an ID in another form */
export async function findStart(
  core: Core,
  { projectId }: Pick<Caller, 'projectId'>,
  lastEventId: string | null,
): Promise<StreamStart> {
  const state = await readState(core.db)
  const { last, expired, epoch } = state
  if (lastEventId === null) return { after: last, epoch, gapAfter: null }
  const known = isId('event', lastEventId)
    ? await findNumber(core.db, projectId, lastEventId)
    : numberAt(core, projectId, state, lastEventId)
  return known === null || known < expired
    ? { after: expired, epoch, gapAfter: lastEventId }
    : { after: known, epoch, gapAfter: null }
}

/**
 * Returns null if the database was restored or another server took over, since the number may belong to another event.
 */
function numberAt(core: Core, projectId: string, { last, epoch }: EventState, id: string): bigint | null {
  const position = positionIn(core, projectId, id)
  return position.epoch === epoch && position.number <= last ? position.number : null
}

interface Following {
  projectId: string
  which: Prisma.Sql
  start: StreamStart
  /** The event as the client sees it. */
  json: (facts: EventFacts) => EventJson
  /** Milliseconds after which a stream without events yields an idle item. */
  idleMs: number
  signal: AbortSignal
}

export async function* follow(
  core: Core,
  changes: Changes,
  { projectId, which, start, json, idleMs, signal }: Following,
): AsyncGenerator<StreamItem> {
  const isOver = (): boolean => signal.aborted
  const { epoch } = start
  let { after } = start
  let sentAt = performance.now()
  let positionAt = sentAt
  const position = (): StreamItem => {
    positionAt = performance.now()
    return { kind: 'position', id: positionId(core, projectId, { number: after, epoch }) }
  }
  // After a gap, the position follows the kept events, which the client must not skip.
  let owesPosition = start.gapAfter !== null
  yield start.gapAfter === null ? position() : { kind: 'gap', lastEventId: start.gapAfter }
  while (!isOver()) {
    // The listener starts before the read, so that no event between the two is missed.
    const listening = new AbortController()
    const left = Math.max(0, sentAt + idleMs - performance.now())
    const change = changes.next(projectId, left, AbortSignal.any([signal, listening.signal]))
    try {
      const { rows, ...state } = await readNext(core.db, which, after, readAtOnce)
      if (state.epoch !== epoch || state.expired > after) return
      for (const row of rows) {
        if (isOver()) return
        yield { kind: 'event', event: json(row) }
        after = row.number
        sentAt = positionAt = performance.now()
      }
      if (rows.length === readAtOnce) continue
      // The next read skips events that this stream does not show.
      after = state.last
      if (owesPosition) yield position()
      owesPosition = false
      await change
    } finally {
      listening.abort()
    }
    const now = performance.now()
    if (isOver() || now - sentAt < idleMs) continue
    sentAt = now
    yield now - positionAt < positionEveryMs ? { kind: 'idle' } : position()
  }
}
