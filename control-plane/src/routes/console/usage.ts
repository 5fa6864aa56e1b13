/** The spending of a project in the last days, and the changes of its credit. */
import { formatUsd } from '@phonerack/shared'
import { type FastifyInstance } from 'fastify'
import { creditChanges, spendingByDay, spendingByPhone } from '../../billing/spending.js'
import { projectPath } from './caller.js'
import { projectOf, type GateDeps } from './gate.js'

const days = 30
const dayMs = 86_400_000

export function addUsage(app: FastifyInstance, { core }: Pick<GateDeps, 'core'>): void {
  app.get(`${projectPath}/usage`, async (request) => {
    const { id } = projectOf(request)
    const today = Math.floor(core.clock.now().getTime() / dayMs) * dayMs
    const since = new Date(today - (days - 1) * dayMs)
    const [byDay, phones, changes] = await Promise.all([
      spendingByDay(core.db, id, since),
      spendingByPhone(core.db, id, since),
      creditChanges(core.db, id),
    ])
    const found = new Map(byDay.map((each) => [each.day, each]))
    return {
      // A day without sessions costs nothing.
      days: Array.from({ length: days }, (_, index) => {
        const day = new Date(since.getTime() + index * dayMs).toISOString().slice(0, 10)
        const { costMicros = 0n, seconds = 0 } = found.get(day) ?? {}
        return { day, cost_usd: formatUsd(costMicros), seconds }
      }),
      phones: phones.map(({ id: phone, name, costMicros, seconds }) => ({
        ...{ id: phone, name, cost_usd: formatUsd(costMicros), seconds },
      })),
      changes: changes.map(({ at, kind, micros }) => ({
        ...{ at: at.toISOString(), kind, amount_usd: formatUsd(micros) },
      })),
    }
  })
}
