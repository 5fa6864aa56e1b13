/** Operators' changes of hosts and of the whole service. */
import { hashSecret, newSecret } from '@phonerack/shared'
import { addJob } from '../queue/queue.js'
import { type Core } from '../core/core.js'
import { readRestore } from './restored.js'
import { hostView } from './views.js'
import { type Change, type Work } from './work.js'

const joinTokenLifeMs = 3_600_000

export async function listHosts(core: Core) {
  const hosts = await core.db.host.findMany({
    include: { _count: { select: { devices: true } } },
    orderBy: { joinedAt: 'asc' },
  })
  return hosts.map((host) => hostView(host, core.clock.now(), core.rules))
}

/** The token is shown once, and works once within an hour. */
export async function createJoinToken(work: Work): Promise<Change<{ token: string; expires_at: string }>> {
  const token = newSecret('hostJoin')
  const expiresAt = new Date(work.now.getTime() + joinTokenLifeMs)
  await work.tx.joinToken.create({
    data: { secretHash: hashSecret(token), expiresAt, createdBy: work.operator.tokenId },
  })
  const after = { expires_at: expiresAt.toISOString() }
  return { result: { token, ...after }, target: null, before: null, after }
}

export interface ServiceView extends Record<string, unknown> {
  paused_at: string | null
}

const serviceView = (pausedAt: Date | null): ServiceView => ({ paused_at: pausedAt?.toISOString() ?? null })

export async function readService(core: Core): Promise<ServiceView> {
  const { pausedAt } = await core.db.serviceState.findUniqueOrThrow({ where: { id: 1 } })
  return { ...serviceView(pausedAt), ...(await readRestore(core.db)) }
}

/** A pause parks every running phone: its job is added with the change. */
export async function setPaused({ tx, now }: Work, paused: boolean): Promise<Change<ServiceView>> {
  await tx.$queryRaw`select 1 from service_state where id = 1 for update`
  const before = await tx.serviceState.findUniqueOrThrow({ where: { id: 1 } })
  const pausedAt = paused ? (before.pausedAt ?? now) : null
  await tx.serviceState.update({ where: { id: 1 }, data: { pausedAt } })
  if (pausedAt && !before.pausedAt) await addJob(tx, 'phones.park_all', { projectId: null })
  const after = serviceView(pausedAt)
  return { result: after, target: null, before: serviceView(before.pausedAt), after }
}
