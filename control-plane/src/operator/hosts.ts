/** What an operator does with hosts and with the service as a whole. */
import { hashSecret, newSecret } from '@phonerack/shared'
import { inTransaction } from '../db/database.js'
import { addJob } from '../jobs/queue.js'
import { type Core } from '../phones/core.js'
import { hostView } from './views.js'

const joinTokenLifeMs = 3_600_000

export async function listHosts(core: Core) {
  const hosts = await core.db.host.findMany({
    include: { _count: { select: { devices: true } } },
    orderBy: { joinedAt: 'asc' },
  })
  return hosts.map((host) => hostView(host, core.clock.now(), core.rules))
}

/** Shown once; works once, for an hour. */
export async function createJoinToken(core: Core) {
  const token = newSecret('hostJoin')
  const expiresAt = new Date(core.clock.now().getTime() + joinTokenLifeMs)
  await core.db.joinToken.create({ data: { secretHash: hashSecret(token), expiresAt } })
  core.log.info({ audit: 'host.join_token' }, 'an operator made a join token')
  return { token, expires_at: expiresAt.toISOString() }
}

export async function readService(core: Core) {
  const state = await core.db.serviceState.findUniqueOrThrow({ where: { id: 1 } })
  return { paused_at: state.pausedAt?.toISOString() ?? null }
}

/** A pause parks every running phone: the job is added with the change. */
export async function setPaused(core: Core, paused: boolean) {
  await inTransaction(core.db, async (tx) => {
    await tx.$queryRaw`select 1 from service_state where id = 1 for update`
    const before = await tx.serviceState.findUniqueOrThrow({ where: { id: 1 } })
    const pausedAt = paused ? (before.pausedAt ?? core.clock.now()) : null
    await tx.serviceState.update({ where: { id: 1 }, data: { pausedAt } })
    if (pausedAt && !before.pausedAt) await addJob(tx, 'phones.park_all', { projectId: null })
  })
  core.log.info({ audit: paused ? 'service.paused' : 'service.resumed' }, 'an operator switched the service')
  return readService(core)
}
