/** The spending of a project, and of all projects of a user, in the last days; and the ledger of a project. */
import { formatUsd } from '@phonerack/shared'
import { type FastifyInstance } from 'fastify'
import { listEntries } from '../../../rental/billing/entries.js'
import {
  spendingByDay,
  spendingByKey,
  spendingByPhone,
  spendingByProject,
  type DaySpending,
} from '../../../rental/billing/spending.js'
import { listProjectsOf } from '../../../people/users/members.js'
import { projectPath } from './caller.js'
import { apiPath, projectOf, signedInOf, type GateDeps } from './gate.js'

const days = 30
const dayMs = 86_400_000
/** Entries on a page of the ledger. */
const listed = 100

interface Spending {
  id: string
  name: string
  costMicros: bigint
  seconds: number
}

const spendingJson = ({ id, name, costMicros, seconds }: Spending) => ({
  id,
  name,
  cost_usd: formatUsd(costMicros),
  seconds,
})

/** The start of the first of the last days, UTC. */
function firstDay(now: Date): Date {
  const today = Math.floor(now.getTime() / dayMs) * dayMs
  return new Date(today - (days - 1) * dayMs)
}

/** A day without sessions costs nothing. */
function daysJson(byDay: readonly DaySpending[], since: Date) {
  const found = new Map(byDay.map((each) => [each.day, each]))
  return Array.from({ length: days }, (_, index) => {
    const day = new Date(since.getTime() + index * dayMs).toISOString().slice(0, 10)
    const { costMicros = 0n, seconds = 0 } = found.get(day) ?? {}
    return { day, cost_usd: formatUsd(costMicros), seconds }
  })
}

export function addUsage(app: FastifyInstance, { core }: Pick<GateDeps, 'core'>): void {
  app.get(`${projectPath}/usage`, async (request) => {
    const { id } = projectOf(request)
    const since = firstDay(core.clock.now())
    const [byDay, phones, keys] = await Promise.all([
      spendingByDay(core.db, [id], since),
      spendingByPhone(core.db, id, since),
      spendingByKey(core.db, id, since),
    ])
    return { days: daysJson(byDay, since), phones: phones.map(spendingJson), keys: keys.map(spendingJson) }
  })
  app.get(`${apiPath}/spending`, async (request) => {
    const since = firstDay(core.clock.now())
    const own = new Map((await listProjectsOf(core, signedInOf(request).user)).map((each) => [each.id, each]))
    const ids = [...own.keys()]
    const [byDay, projects] = await Promise.all([
      spendingByDay(core.db, ids, since),
      spendingByProject(core.db, ids, since),
    ])
    return {
      days: daysJson(byDay, since),
      projects: projects.map(({ balanceMicros, reservedMicros, ...spent }) => ({
        ...spendingJson({ ...spent, name: own.get(spent.id)?.name ?? spent.id }),
        role: own.get(spent.id)?.role,
        available_usd: formatUsd(balanceMicros - reservedMicros),
      })),
    }
  })
  app.get<{ Querystring: { before?: unknown } }>(`${projectPath}/ledger`, async (request) => {
    const { before } = request.query
    const { data, nextCursor } = await listEntries(core, {
      projectId: projectOf(request).id,
      limit: listed,
      before: typeof before === 'string' ? before : null,
    })
    return {
      data: data.map(({ id, at, kind, micros, session_id, checkout_id, phone_id, phone }) => ({
        id: id.toString(),
        at: at.toISOString(),
        kind,
        amount_usd: formatUsd(micros),
        session_id,
        checkout_id,
        phone_id,
        phone,
      })),
      next_before: nextCursor,
    }
  })
}
