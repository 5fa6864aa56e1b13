/**
 * Finds the target of calls to a phone: the phone's device, the device's host, and the assignment that each call carries.
 */
import { type Assignment } from '@phonerack/proto'
import { type Rules } from '../../base/config/config.js'
import { Prisma, type Host } from '../../gen/prisma/client.js'
import { addressOf } from '../../links/host-calls/address-of.js'
import { type HostAddress } from '../../links/host-calls/clients.js'
import { hostInReach } from './reach.js'

/** The columns of `PlacementRow`, from the device `d` and the host `h`. */
export const placementColumns = Prisma.sql`d.serial, d.link, d.fencing_number as "fencingNumber", h.id as "hostId",
  h.address, h.certificate_fingerprint as "certificateFingerprint",
  h.next_certificate_fingerprint as "nextCertificateFingerprint", h.join_id as "joinId", h.last_seen_at as "lastSeenAt"`

type HostRow = Parameters<typeof addressOf>[0] & Pick<Host, 'lastSeenAt'>

export interface PlacementRow extends HostRow {
  serial: string
  link: string
  fencingNumber: bigint
  hostId: string
}

/** Left joins return null for the columns of a phone without a device. */
export type PossiblePlacement = { [column in keyof PlacementRow]: PlacementRow[column] | null }

/** The address for calls to a host; null: the host's heartbeat is late, or it has sent no address. */
export const addressInReach = (
  host: HostRow,
  now: Date,
  rules: Pick<Rules, 'hostLateAfterMs'>,
): HostAddress | null => (hostInReach(host.lastSeenAt, now, rules) ? addressOf(host) : null)

/** `tenant` and `hasData` belong in calls that may carry a new fencing number. */
type Assigned = Pick<Assignment, 'serial' | 'fencingNumber'> & Partial<Pick<Assignment, 'tenant' | 'hasData'>>

/**
 * Builds the assignment, which shows the agent that the device belongs to this phone under this fencing
 * number.
 * @param requestId empty for jobs
 */
export const assignmentOf = (
  phoneId: string,
  { serial, fencingNumber, tenant = '', hasData }: Assigned,
  requestId: string,
): Assignment => ({ phoneId, serial, fencingNumber, tenant, hasData, requestId })
