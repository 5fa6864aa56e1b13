/**
 * Sends hosts the certificate authorities to trust whenever a host reports other authorities than this
 * replica trusts, as after a step of `rotate-authority`, its join, or a restore of its disk. Every replica
 * does this. docs/decisions/0249
 */
import { type TrustAuthoritiesRequest, type TrustAuthoritiesResponse } from '@phonerack/proto'
import { Progress } from '@phonerack/shared'
import { addressOf } from '../../links/host-calls/address-of.js'
import { callHost } from '../../links/host-calls/calls.js'
import { type RenewalParts } from './renewal.js'

/** Hosts that one run informs, all at the same time. */
const most = 20
const callMs = 10_000
/**
 * Milliseconds between two attempts at one host, so that a host that reports wrong authorities does not delay
 * the others.
 */
const restMs = 30_000

/** Returns a function that informs the hosts whose trusted authorities differ. */
export function createTrust({ core, hosts, authority, stopping }: RenewalParts): () => Promise<void> {
  const resting = new Map<string, number>()
  let sent = ''

  async function due(now: Date): Promise<string[]> {
    const { fingerprints } = authority
    const isNews = fingerprints.join() !== sent
    sent = fingerprints.join()
    for (const [id, until] of resting) if (isNews || until <= now.getTime()) resting.delete(id)
    const heardSince = new Date(now.getTime() - core.rules.hostLateAfterMs)
    const rows = await core.db.$queryRaw<{ id: string }[]>`select id from hosts
      where retired_at is null and address is not null and last_seen_at > ${heardSince}
        and trusted_authorities <> '{}' and not (id = any(${[...resting.keys()]}))
        and not (trusted_authorities @> ${fingerprints}::text[] and trusted_authorities <@ ${fingerprints}::text[])
      order by last_seen_at limit ${most}`
    return rows.map(({ id }) => id)
  }

  async function tell(id: string): Promise<void> {
    const address = addressOf(await core.db.host.findUniqueOrThrow({ where: { id } }))
    if (address === null) return
    await callHost<TrustAuthoritiesRequest, TrustAuthoritiesResponse>(
      hosts.to(id, address),
      (client, ...rest) => client.trustAuthorities(...rest),
      { authorityPems: authority.trusted },
      Progress.for(callMs, stopping),
    )
    core.log.info({ host: id, authorities: authority.fingerprints }, 'sent a host the authorities to trust')
  }

  return async () => {
    const now = core.clock.now()
    const ids = await due(now)
    for (const id of ids) resting.set(id, now.getTime() + restMs)
    await Promise.all(
      ids.map((id) =>
        tell(id).catch((error: unknown) =>
          core.log.warn({ err: error, host: id }, 'could not send a host the authorities to trust'),
        ),
      ),
    )
  }
}
