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
import { projectOf, signedInOf, type GateDeps } from './gate.js'
import { ledgerEntryAnswer, spendingAnswer, usageAnswer } from './answers.js'
import { pageBefore } from '../shape.js'
import { route } from './route.js'

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

/** Returns the start of the earliest day, in UTC. */
function firstDay(now: Date): Date {
  const today = Math.floor(now.getTime() / dayMs) * dayMs
  return new Date(today - (days - 1) * dayMs)
}

/** Adds the days without sessions, which cost nothing. */
function daysJson(byDay: readonly DaySpending[], since: Date) {
  const found = new Map(byDay.map((each) => [each.day, each]))
  return Array.from({ length: days }, (_, index) => {
    const day = new Date(since.getTime() + index * dayMs).toISOString().slice(0, 10)
    const { costMicros = 0n, seconds = 0 } = found.get(day) ?? {}
    return { day, cost_usd: formatUsd(costMicros), seconds }
  })
}

export function addUsage(app: FastifyInstance, { core }: Pick<GateDeps, 'core'>): void {
  route(app, 'GET /projects/:project/usage', { answer: usageAnswer }, async (request) => {
    const { id } = projectOf(request)
    const since = firstDay(core.clock.now())
    const [byDay, phones, keys] = await Promise.all([
      spendingByDay(core.db, [id], since),
      spendingByPhone(core.db, id, since),
      spendingByKey(core.db, id, since),
    ])
    return { days: daysJson(byDay, since), phones: phones.map(spendingJson), keys: keys.map(spendingJson) }
  })
  route(app, 'GET /spending', { answer: spendingAnswer }, async (request) => {
    const since = firstDay(core.clock.now())
    const own = new Map((await listProjectsOf(core, signedInOf(request).user)).map((each) => [each.id, each]))
    const ids = [...own.keys()]
    const [byDay, projects] = await Promise.all([
      spendingByDay(core.db, ids, since),
      spendingByProject(core.db, ids, since),
    ])
    return {
      days: daysJson(byDay, since),
      projects: projects.flatMap(({ balanceMicros, reservedMicros, ...spent }) => {
        const project = own.get(spent.id)
        if (!project) return []
        const { name, role } = project
        const available = formatUsd(balanceMicros - reservedMicros)
        return [{ ...spendingJson({ ...spent, name }), role, available_usd: available }]
      }),
    }
  })
  route(
    app,
    'GET /projects/:project/ledger',
    { query: ['before'], answer: pageBefore(ledgerEntryAnswer) },
    async (request) => {
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
    },
  )
}
