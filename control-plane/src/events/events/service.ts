/** Implements `EventService`. */
import { isId, limits } from '@phonerack/shared'
import { type Changes } from '../../base/core/changes.js'
import { type Core } from '../../base/core/core.js'
import { type Caller } from '../../base/core/caller.js'
import { permitted } from '../../rental/phones/access.js'
import { readPhone } from '../../rental/phones/records.js'
import { eventJsonFor } from './json.js'
import { listPosition, listScope } from './positions.js'
import { matching, readNewest } from './reads.js'
import { followProjects } from './projects-stream.js'
import { findStart, follow } from './stream.js'
import { type EventFilter, type EventService } from './types.js'

/** @param idleMs milliseconds between two idle items of a stream without events */
export function createEventService(
  core: Core,
  changes: Changes,
  idleMs = limits.events.comment * 1000,
): EventService {
  const whichOf = async (caller: Caller, filter: EventFilter) => {
    const { phoneId } = filter
    if (phoneId !== null)
      permitted(caller, phoneId, isId('phone', phoneId) ? await readPhone(core.read, phoneId) : null)
    return matching(caller, filter)
  }
  return {
    async list(caller, filter, { limit, cursor }) {
      const which = await whichOf(caller, filter)
      const scope = listScope(caller.projectId)
      const after = core.cursors.decode(scope, cursor)
      const rows = await readNewest(core.db, which, after && BigInt(after.id), limit + 1)
      return core.cursors.toPage(scope, rows, limit, listPosition, eventJsonFor(caller))
    },
    async stream(caller, filter, lastEventId, signal) {
      const which = await whichOf(caller, filter)
      const start = await findStart(core, caller, lastEventId)
      const json = eventJsonFor(caller)
      return follow(core, changes, { projectId: caller.projectId, which, start, json, idleMs, signal })
    },
    async streamOfProjects(follower, lastEventId, signal) {
      const start = await findStart(core, { projectId: follower.userId }, lastEventId)
      return followProjects(core, changes, { follower, start, idleMs, signal })
    },
  }
}
