/** Follows several projects of one user, for a page that shows them together. It tells in which of them events happened. */
import { pause } from '@phonerack/shared'
import { type Changes } from '../../base/core/changes.js'
import { type Core } from '../../base/core/core.js'
import { positionId } from './positions.js'
import { readChanged, readState } from './reads.js'
import { type StreamStart } from './stream.js'
import { type Follower, type ProjectsItem } from './types.js'

/** Milliseconds between two looks. A page reads its whole list at each change. */
const collectMs = 1000

export interface FollowingProjects {
  follower: Follower
  start: StreamStart
  /** Milliseconds after which a stream without changes says that it is idle. */
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
  // The client reads everything after a gap.
  let after = hasGap ? (await readState(core.db)).last : start.after
  let sentAt = performance.now()
  const position = (): string => positionId(core, follower.userId, { number: after, epoch })
  if (hasGap) yield { kind: 'change', id: position(), projectIds: await follower.projectIds() }
  else yield { kind: 'position', id: position() }
  while (!isOver()) {
    const projectIds = await follower.projectIds()
    // Listen before reading, so that events in between are not missed.
    const listening = new AbortController()
    const left = Math.max(0, sentAt + idleMs - performance.now())
    const change = changes.next(projectIds, left, AbortSignal.any([signal, listening.signal]))
    try {
      const { changed, ...state } = await readChanged(core.db, projectIds, after)
      // The client connects again, and its last position decides.
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
