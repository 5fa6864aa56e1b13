/**
 * Renews the certificates of hosts. Every replica runs this; the steps are safe to repeat and to run
 * concurrently. The heartbeat that names the next certificate adopts it (`heartbeats.ts`).
 * docs/decisions/0213
 */
import {
  type BeginRenewalRequest,
  type BeginRenewalResponse,
  type FinishRenewalRequest,
  type FinishRenewalResponse,
} from '@phonerack/proto'
import { Progress } from '@phonerack/shared'
import { type Core } from '../../base/core/core.js'
import { inTransaction } from '../../base/db/database.js'
import { addressInReach } from '../../rental/devices/placement.js'
import { type Host } from '../../gen/prisma/client.js'
import { callHost } from '../../links/host-calls/calls.js'
import { type HostClients } from '../../links/host-calls/clients.js'
import { type Authorities } from '../../base/pki/authorities.js'
import { hostLifeMs } from '../../base/pki/authority.js'
import { adopted, issued, renewalMs, stepOf, type Waiting } from './certificates.js'

export interface RenewalParts {
  core: Core
  hosts: HostClients
  authority: Authorities
  /** Aborts when the process stops. */
  stopping: AbortSignal
}

/** Hosts that one run renews, one after another. */
const most = 20
const callMs = 10_000
/** Milliseconds between two attempts to renew a host: after a success, and after a failure. */
const [doneMs, restMs] = [60_000, 600_000]

/** Returns a function that renews the certificates that are due now. */
export function createRenewals(parts: RenewalParts): () => Promise<void> {
  const { core } = parts
  const resting = new Map<string, number>()
  return async () => {
    const now = core.clock.now()
    for (const [id, until] of resting) if (until <= now.getTime()) resting.delete(id)
    for (const id of await due(parts, now, [...resting.keys()])) {
      if (parts.stopping.aborted) return
      resting.set(id, now.getTime() + doneMs)
      await renew(parts, id).catch((error: unknown) => {
        resting.set(id, now.getTime() + restMs)
        core.log.warn({ err: error, host: id }, 'could not renew the certificate of a host')
      })
    }
  }
}

/**
 * Selects hosts whose certificate expires soon or, after a switch of the authority, is from the earlier
 * authority.
 */
async function due({ core, authority }: RenewalParts, now: Date, except: string[]): Promise<string[]> {
  const { db, rules } = core
  const heardSince = new Date(now.getTime() - rules.hostLateAfterMs)
  const expiresBy = new Date(now.getTime() + renewalMs)
  const rows = await db.$queryRaw<{ id: string }[]>`select id from (
      select id, ${authority.isSwitched} and certificate_authority is distinct from ${authority.fingerprint}
        and ${authority.fingerprint} = any(trusted_authorities) as is_earlier, coalesce(certificate_expires_at, joined_at + make_interval(secs => ${hostLifeMs / 1000})) as expires_at
      from hosts where retired_at is null and address is not null and last_seen_at > ${heardSince}
        and not (id = any(${except}))
    ) h where is_earlier or expires_at < ${expiresBy} order by expires_at limit ${most}`
  return rows.map(({ id }) => id)
}

async function renew(parts: RenewalParts, id: string): Promise<void> {
  const { core, hosts } = parts
  const host = await core.db.host.findUniqueOrThrow({ where: { id } })
  const address = addressInReach(host, core.clock.now(), core.rules)
  if (address === null) return
  const connection = hosts.to(id, address)
  const progress = () => Progress.for(callMs, parts.stopping)
  const waiting = await callHost<BeginRenewalRequest, BeginRenewalResponse>(
    connection,
    (client, ...rest) => client.beginRenewal(...rest),
    {},
    progress(),
  )
  const certificatePem = await prepare(parts, host, waiting)
  if (certificatePem === null) return
  await callHost<FinishRenewalRequest, FinishRenewalResponse>(
    connection,
    (client, ...rest) => client.finishRenewal(...rest),
    { certificatePem },
    progress(),
  )
  core.log.info({ host: id }, 'sent the next certificate of a host')
}

/**
 * Stores the next certificate before it is sent, so that the host can use it at any later time. Null: nothing
 * to send. @param known the row as it was when the agent was asked for `waiting`. After another join or
 * renewal of the host, the answer is outdated.
 */
async function prepare(
  { core, authority }: RenewalParts,
  known: Host,
  waiting: Waiting,
): Promise<string | null> {
  const { id, joinId, certificateFingerprint: pinned } = known
  // Issue before the lock, since signing takes a moment.
  const fresh = await authority.issueHost(id, waiting.publicKeyPem)
  return inTransaction(core.db, async (tx) => {
    await tx.$queryRaw`select 1 from hosts where id = ${id} for update`
    const host = await tx.host.findUniqueOrThrow({ where: { id } })
    if (host.retiredAt || host.joinId !== joinId || host.certificateFingerprint !== pinned) return null
    const { nextCertificatePem: next } = host
    const step = stepOf(next, waiting)
    if (step === 'send') return next
    const pem = step === 'adopt' && next !== null ? next : fresh
    await tx.host.update({ where: { id }, data: step === 'adopt' ? adopted(pem) : issued(pem) })
    return step === 'adopt' ? null : pem
  })
}
