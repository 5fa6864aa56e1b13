/**
 * Implements `HandoffService`: an agent requests a person's help, waits for the answer, and
 * withdraws the request.
 */
import { isId, newId } from '@phonerack/shared'
import { type Tx } from '../db/database.js'
import { inTenantTransaction } from '../core/tenant-transaction.js'
import { phoneUnavailable, readyTarget } from '../phones/target.js'
import { type HostClients } from '../host-calls/clients.js'
import { addLink, urlOf } from '../live/links.js'
import { permitted } from '../phones/access.js'
import { waitUntil } from '../core/changes.js'
import { type Core } from '../core/core.js'
import { refuse, settle, type Outcome } from '../phones/outcome.js'
import { findPhone, lockPhone } from '../phones/records.js'
import { addExpiry } from './expiry.js'
import {
  findCurrent,
  findHandoff,
  handoffInProgress,
  handoffNotFound,
  hasLapsed,
  overAt,
  viewOf,
  type HandoffRow,
} from './records.js'
import { type Caller } from '../core/caller.js'
import { type HandoffService } from './types.js'

/**
 * Milliseconds: timers may fire slightly early, and a wait must see the expiry that it waited for.
 */
const afterExpiryMs = 20

/** @param baseUrl the public address, without a trailing slash */
export function createHandoffService(core: Core, hosts: HostClients, baseUrl: string): HandoffService {
  const find = async (phoneId: string, id: string): Promise<HandoffRow> => {
    const row = isId('handoff', id) ? await findHandoff(core.db, phoneId, id) : null
    if (!row) throw handoffNotFound(phoneId, id)
    return row
  }
  const allowed = async (caller: Caller, phoneId: string): Promise<void> => {
    permitted(caller, phoneId, await findPhone(core.db, phoneId))
  }
  const view = async (phoneId: string, id: string) => viewOf(await find(phoneId, id), core.clock.now())

  return {
    async create(caller, phoneId, { message, expiresIn }) {
      await readyTarget(core, hosts, caller, phoneId)
      const id = newId('handoff')
      const attempt = async (tx: Tx): Promise<Outcome<string>> => {
        const session = (await lockPhone(tx, phoneId, 'phone'))?.session
        // The session ended a moment ago; the next request gets the specific error.
        if (!session) return refuse(phoneUnavailable(phoneId))
        const now = core.clock.now()
        const current = await findCurrent(tx, phoneId)
        if (current && !hasLapsed(current, now)) return refuse(handoffInProgress(phoneId, current))
        if (current)
          await tx.handoff.update({
            where: { id: current.id },
            data: { status: 'expired', endedAt: overAt(current) },
          })
        const common = {
          ...{ projectId: caller.projectId, phoneId, sessionId: session.id, keyId: caller.keyId },
          ...{ createdAt: now, expiresAt: new Date(now.getTime() + expiresIn * 1000) },
        }
        await tx.handoff.create({ data: { ...common, id, status: 'open', message } })
        await addExpiry(tx, id, common.expiresAt)
        return { done: await addLink(tx, { ...common, control: true, handoffId: id }) }
      }
      const token = settle(await inTenantTransaction(core, caller, attempt))
      return { handoff: await view(phoneId, id), url: urlOf(baseUrl, token) }
    },

    async get(caller, phoneId, id) {
      await allowed(caller, phoneId)
      return view(phoneId, id)
    },

    async wait(caller, phoneId, id, timeoutMs, signal) {
      await allowed(caller, phoneId)
      const { expiresAt } = await find(phoneId, id)
      const left = Math.max(0, expiresAt.getTime() - core.clock.now().getTime()) + afterExpiryMs
      return waitUntil(
        core.changes,
        phoneId,
        { read: () => view(phoneId, id), isSettled: ({ endedAt }) => endedAt !== null },
        Math.min(timeoutMs, left),
        signal,
      )
    },

    async withdraw(caller, phoneId, id) {
      await allowed(caller, phoneId)
      await find(phoneId, id)
      // Deletes what people wrote as well.
      const { count } = await inTenantTransaction(core, caller, (tx) =>
        tx.handoff.updateMany({
          where: { id, phoneId, status: { not: 'withdrawn' } },
          data: { status: 'withdrawn', message: '', note: null, endedAt: core.clock.now() },
        }),
      )
      if (count === 0) throw handoffNotFound(phoneId, id)
      core.changes.publish(phoneId)
    },
  }
}
