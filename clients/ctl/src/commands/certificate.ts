/** The expiry of hosts' certificates, for people. */
import type { Host } from '../operator/client.js'
import { plain } from '@phonerack/shared'

type Certified = Pick<Host, 'id' | 'name' | 'state' | 'certificate_expires_at'>

const dayMs = 86_400_000
/** Days. A certificate renews itself 121 days before it expires. */
const warnedWithin = 14

const daysLeft = ({ state, certificate_expires_at: at }: Certified, now: Date): number | null =>
  at === undefined || state === 'retired' ? null : Math.floor((Date.parse(at) - now.getTime()) / dayMs)

export function certificateOf(host: Certified, now: Date): string | null {
  const days = daysLeft(host, now)
  if (days === null) return null
  return days < 0 ? 'expired' : `expires in ${days} d`
}

/** One line for each host whose certificate expires soon or has expired. */
export function certificateWarnings(hosts: readonly Certified[], now: Date): string[] {
  return hosts.flatMap((host) => {
    const days = daysLeft(host, now)
    if (days === null || days >= warnedWithin) return []
    const state = days < 0 ? 'has expired' : `expires in ${days} d`
    const next =
      days < 0 ? `./scripts/ctl host rejoin ${host.id}` : 'see "Certificates of hosts" in docs/operations.md'
    return [`WARNING: the certificate of ${plain(host.name)} (${host.id}) ${state}; ${next}`]
  })
}
