/**
 * Follows several projects of one user, for a page that shows them together. Reports in which of these projects events
 * happened.
 */
import { pause } from '@phonerack/shared'
import { type Changes } from '../../base/core/changes.js'
import { type Core } from '../../base/core/core.js'
import { positionId } from './positions.js'
import { readChanged, readState } from './reads.js'
import { type StreamStart } from './stream.js'
import { type Follower, type ProjectsItem } from './types.js'

/** Milliseconds between two reads. A page reads its whole list after each change. */
const collectMs = 1000

interface FollowingProjects {
  follower: Follower
  start: StreamStart
  /** Milliseconds after which a stream without changes yields an idle item. */
  idleMs: number
  signal: AbortSignal
}

export async function* followProjects(
  core: Core,
  changes: Changes,
  { follower, start, idleMs, signal }: FollowingProjects,
): AsyncGenerator<ProjectsItem> {
  const isOver = (): boolean => signal.aborted
  const { epoch } = start
  const hasGap = start.gapAfter !== null
  // After a gap, the client reads everything again.
  let after = hasGap ? (await readState(core.db)).last : start.after
  let sentAt = performance.now()
  const position = (): string => positionId(core, follower.userId, { number: after, epoch })
  if (hasGap) yield { kind: 'change', id: position(), projectIds: await follower.projectIds() }
  else yield { kind: 'position', id: position() }
  while (!isOver()) {
    const projectIds = await follower.projectIds()
    // The listener starts before the read, so that no event between the two is missed.
    const listening = new AbortController()
    const left = Math.max(0, sentAt + idleMs - performance.now())
    const change = changes.next(projectIds, left, AbortSignal.any([signal, listening.signal]))
    try {
      const { changed, ...state } = await readChanged(core.db, projectIds, after)
      // The client connects again with its last position, which decides how the stream continues.
      if (isOver() || state.epoch !== epoch || state.expired > after) return
      after = state.last
      if (changed.length > 0) {
        yield { kind: 'change', id: position(), projectIds: changed }
        sentAt = performance.now()
        await pause(collectMs, signal)
        continue
      }
      await change
    } finally {
      listening.abort()
    }
    const now = performance.now()
    if (isOver() || now - sentAt < idleMs) continue
    sentAt = now
    yield { kind: 'idle' }
  }
}
