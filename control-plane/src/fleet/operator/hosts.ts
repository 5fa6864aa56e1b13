/** Operators' changes of hosts and of the whole service. */
import { ApiError, hashSecret, joinTokenText, newSecret } from '@phonerack/shared'
import { type Rules } from '../../base/config/config.js'
import { readOpenRotation } from '../../base/db/authority-rotation.js'
import { type Tx } from '../../base/db/database.js'
import { type Host } from '../../gen/prisma/client.js'
import { addJob } from '../../base/queue/queue.js'
import { type Core } from '../../base/core/core.js'
import { invalidField } from '../../base/validation/fields.js'
import { readRestore, type RestoreView } from './restored.js'
import { hostView } from './views.js'
import { type Change, type Work } from '../../base/audit/work.js'

const joinTokenLifeMs = 3_600_000

export type HostView = ReturnType<typeof hostView>

/** @param all includes retired hosts */
export async function listHosts(core: Core, all: boolean): Promise<HostView[]> {
  const hosts = await core.db.host.findMany({
    where: all ? { removedAt: null } : { retiredAt: null },
    include: { _count: { select: { devices: true } } },
    orderBy: { joinedAt: 'asc' },
  })
  const running = await countRunning(core.db)
  const rotation = await readOpenRotation(core.db)
  return hosts.map((host) =>
    hostView(host, running.get(host.id) ?? 0, rotation, core.clock.now(), core.rules),
  )
}

export async function readHost(tx: Tx, id: string, now: Date, rules: Rules): Promise<HostView> {
  const host = await tx.host.findUniqueOrThrow({
    where: { id },
    include: { _count: { select: { devices: true } } },
  })
  return hostView(host, (await countRunning(tx)).get(id) ?? 0, await readOpenRotation(tx), now, rules)
}

/** Phones with an open session, by host. */
async function countRunning(db: Pick<Tx, '$queryRaw'>): Promise<Map<string, number>> {
  const rows = await db.$queryRaw<{ host_id: string; count: bigint }[]>`select d.host_id, count(*) as count
    from phones p join devices d on d.phone_id = p.id
    where p.status in ('creating', 'starting', 'ready') group by d.host_id`
  return new Map(rows.map(({ host_id, count }) => [host_id, Number(count)]))
}

/**
 * Finds a host by `hst_` ID or name. @throws ApiError not_found; validation_failed when several hosts
 * have the name
 */
export async function findHost(db: Pick<Tx, 'host'>, ref: string): Promise<Host> {
  const where = ref.startsWith('hst_') ? { id: ref, removedAt: null } : { name: ref, retiredAt: null }
  const [host, ...others] = await db.host.findMany({ where, take: 2 })
  if (others.length > 0) throw invalidField('ref', 'matches several hosts; use the host ID')
  if (!host) throw new ApiError('not_found', { message: 'There is no such host.', details: { host: ref } })
  return host
}

interface NewJoinToken {
  token: string
  expires_at: string
}

/**
 * The token is shown once, and works once within an hour.
 * @param authority fingerprint of the authority with which the machine verifies the answer
 */
export async function createJoinToken(work: Work, authority: string): Promise<Change<NewJoinToken>> {
  const { secret, expiresAt } = await addJoinToken(work, null, authority)
  const after = { expires_at: expiresAt.toISOString() }
  return {
    result: { token: joinTokenText({ secret, authority }), ...after },
    target: null,
    before: null,
    after,
  }
}

async function addJoinToken(work: Work, rejoinsHostId: string | null, authority: string) {
  const secret = newSecret('hostJoin')
  const expiresAt = new Date(work.now.getTime() + joinTokenLifeMs)
  await work.tx.joinToken.create({
    data: {
      secretHash: hashSecret(secret),
      expiresAt,
      createdBy: work.actor.tokenId,
      rejoinsHostId,
      authority,
    },
  })
  return { secret, expiresAt }
}

/** Creates a join token with which a reinstalled machine gets the host's ID again. */
export async function createRejoinToken(
  work: Work,
  ref: string,
  authority: string,
): Promise<Change<NewJoinToken & { host_id: string }>> {
  const { id, name, retiredAt } = await findHost(work.tx, ref)
  if (retiredAt) throw invalidField('host', 'is retired')
  const { secret, expiresAt } = await addJoinToken(work, id, authority)
  const expires = { expires_at: expiresAt.toISOString() }
  const result = { token: joinTokenText({ secret, authority }), ...expires, host_id: id }
  return { result, target: id, before: null, after: { name, ...expires } }
}

export interface ServiceView extends Record<string, unknown> {
  paused_at: string | null
}

const serviceView = (pausedAt: Date | null): ServiceView => ({ paused_at: pausedAt?.toISOString() ?? null })

export async function readService(core: Core): Promise<ServiceView & RestoreView> {
  const { pausedAt } = await core.db.serviceState.findUniqueOrThrow({ where: { id: 1 } })
  return { ...serviceView(pausedAt), ...(await readRestore(core.db)) }
}

/** A pause parks every running phone: the transaction of the change adds the job. */
export async function setPaused({ tx, now }: Work, paused: boolean): Promise<Change<ServiceView>> {
  await tx.$queryRaw`select 1 from service_state where id = 1 for update`
  const before = await tx.serviceState.findUniqueOrThrow({ where: { id: 1 } })
  const pausedAt = paused ? (before.pausedAt ?? now) : null
  await tx.serviceState.update({ where: { id: 1 }, data: { pausedAt } })
  if (pausedAt && !before.pausedAt) await addJob(tx, 'phones.park_all', { projectId: null })
  const after = serviceView(pausedAt)
  return { result: after, target: null, before: serviceView(before.pausedAt), after }
}
