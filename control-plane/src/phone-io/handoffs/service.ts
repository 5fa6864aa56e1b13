/**
 * Implements `HandoffService`: an agent requests a person's help, waits for the answer, and
 * withdraws the request; a member takes a phone over without a request.
 */
import { isId, limits, newId } from '@phonerack/shared'
import { type Tx } from '../../base/db/database.js'
import { inTenantTransaction } from '../../base/core/tenant-transaction.js'
import { phoneUnavailable, readyTarget } from '../../rental/phones/target.js'
import { type HostClients } from '../../links/host-calls/clients.js'
import { giveBack } from '../live/control.js'
import { addLink, urlOf } from '../live/links.js'
import { permitted } from '../../rental/phones/access.js'
import { phoneControlled } from '../../rental/phones/control.js'
import { waitUntil } from '../../base/core/changes.js'
import { type Core } from '../../base/core/core.js'
import { refuse, settle, type Outcome } from '../../rental/phones/outcome.js'
import { findPhone, lockPhone } from '../../rental/phones/records.js'
import { addExpiry } from './expiry.js'
import {
  findCurrent,
  findHandoff,
  handoffInProgress,
  handoffNotFound,
  hasLapsed,
  listCurrent,
  overAt,
  viewOf,
  type HandoffRow,
} from './records.js'
import { type Caller } from '../../base/core/caller.js'
import { type ControlView, type HandoffService } from './types.js'

/** Milliseconds added to a wait for the expiry, since timers may fire slightly early. */
const afterExpiryMs = 20

/** Seconds after which a member who took a phone over must do so again. */
const takeOverSeconds = limits.live.expiresIn.default

const takenOver = 'A member of the project took the phone over.'

/** Whether a hand-over is in progress. Pure. */
const controlView = (row: HandoffRow): ControlView => ({
  id: row.id,
  status: row.status === 'taken' ? 'taken' : 'open',
  expiresAt: row.expiresAt,
  message: row.keyId === null ? null : row.message,
  member: row.memberId === null ? null : { id: row.memberId, name: row.memberName ?? '' },
})

interface Beginning<T> {
  accept: (tx: Tx, current: HandoffRow, now: Date) => Promise<Outcome<T>>
  make: (tx: Tx, of: { projectId: string; phoneId: string; sessionId: string; createdAt: Date }) => Promise<T>
}

/** @param baseUrl the public address, without a trailing slash; `consoleOrigin`: where members sign in */
export function createHandoffService(
  core: Core,
  hosts: HostClients,
  { baseUrl, consoleOrigin }: { baseUrl: string; consoleOrigin: string },
): HandoffService {
  const find = async (phoneId: string, id: string): Promise<HandoffRow> => {
    const now = core.clock.now()
    const row = isId('handoff', id) ? await findHandoff(core.db, { phoneId, id, now }) : null
    if (!row) throw handoffNotFound(phoneId, id)
    return row
  }
  const allowed = async (caller: Caller, phoneId: string): Promise<void> => {
    permitted(caller, phoneId, await findPhone(core.db, phoneId))
  }
  const view = async (phoneId: string, id: string) => viewOf(await find(phoneId, id), core.clock.now())

  /**
   * Creates a hand-over of the phone's session, in a tenant's transaction, once an earlier hand-over has ended. @param
   * accept handles a hand-over that is in progress
   */
  const begin = async <T>(caller: Caller, phoneId: string, { accept, make }: Beginning<T>): Promise<T> => {
    await readyTarget(core, hosts, caller, phoneId)
    const attempt = async (tx: Tx): Promise<Outcome<T>> => {
      const session = (await lockPhone(tx, phoneId, 'phone'))?.session
      // The session ended a moment ago; the next request gets the specific error.
      if (!session) return refuse(phoneUnavailable(phoneId))
      const now = core.clock.now()
      const current = await findCurrent(tx, phoneId, now)
      if (current && !hasLapsed(current, now)) return accept(tx, current, now)
      if (current)
        await tx.handoff.update({
          where: { id: current.id },
          data: { status: 'expired', endedAt: overAt(current) },
        })
      const { projectId } = caller
      return { done: await make(tx, { projectId, phoneId, sessionId: session.id, createdAt: now }) }
    }
    return settle(await inTenantTransaction(core, caller, attempt))
  }

  return {
    async create(caller, phoneId, { message, expiresIn, isTaken = false }) {
      const id = newId('handoff')
      const token = await begin(caller, phoneId, {
        accept: (_tx, current) => Promise.resolve(refuse(handoffInProgress(phoneId, current))),
        make: async (tx, of) => {
          const expiresAt = new Date(of.createdAt.getTime() + expiresIn * 1000)
          const common = { ...of, keyId: caller.keyId, expiresAt }
          const state = isTaken ? { status: 'taken', takenAt: of.createdAt } : { status: 'open' }
          await tx.handoff.create({ data: { ...common, ...state, id, message } })
          await addExpiry(tx, id, expiresAt)
          // The agent also has the URL, so only a signed-in member can take over a phone of such a key.
          if (caller.profile === 'guarded') return null
          return addLink(tx, { ...common, control: true, handoffId: id })
        },
      })
      const url =
        token === null
          ? `${consoleOrigin}/console/projects/${caller.projectId}/phones/${phoneId}`
          : urlOf(baseUrl, token)
      return { handoff: await view(phoneId, id), url }
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
      const row = await find(phoneId, id)
      const now = core.clock.now()
      if (row.keyId === null && row.status === 'taken' && !hasLapsed(row, now))
        throw phoneControlled(phoneId, row, now)
      // The deletion also removes the texts that people wrote.
      const { count } = await inTenantTransaction(core, caller, (tx) =>
        tx.handoff.updateMany({
          where: { id, phoneId, status: { not: 'withdrawn' } },
          data: { status: 'withdrawn', message: '', note: null, endedAt: core.clock.now() },
        }),
      )
      if (count === 0) throw handoffNotFound(phoneId, id)
      core.changes.publish(phoneId)
    },

    async current(caller, phoneId) {
      await allowed(caller, phoneId)
      const now = core.clock.now()
      const row = await findCurrent(core.db, phoneId, now)
      return row && !hasLapsed(row, now) ? controlView(row) : null
    },

    async listCurrent(projectIds) {
      const rows = await listCurrent(core.db, projectIds, core.clock.now())
      return rows.map((row) => ({
        ...controlView(row),
        projectId: row.projectId,
        phone: { id: row.phoneId, name: row.phoneName },
        createdAt: row.createdAt,
      }))
    },

    async takeOver(caller, phoneId, userSessionId) {
      const id = await begin(caller, phoneId, {
        accept: async (tx, current, now): Promise<Outcome<string>> => {
          if (current.status === 'taken') return refuse(handoffInProgress(phoneId, current))
          // A person with the link may decide at the same moment.
          const { count } = await tx.handoff.updateMany({
            where: { id: current.id, status: 'open' },
            data: { status: 'taken', takenAt: now },
          })
          if (count === 0) return refuse(handoffInProgress(phoneId, current))
          return { done: current.id }
        },
        make: async (tx, of) => {
          const made = newId('handoff')
          const expiresAt = new Date(of.createdAt.getTime() + takeOverSeconds * 1000)
          const taken = { status: 'taken', takenAt: of.createdAt, message: takenOver }
          await tx.handoff.create({ data: { ...of, ...taken, id: made, userSessionId, expiresAt } })
          await addExpiry(tx, made, expiresAt)
          return made
        },
      })
      core.changes.publish(phoneId)
      return controlView(await find(phoneId, id))
    },

    async giveBack(caller, phoneId, id, note) {
      await allowed(caller, phoneId)
      await find(phoneId, id)
      if (!(await giveBack(core, id, 'done', note))) throw handoffNotFound(phoneId, id)
    },
  }
}
