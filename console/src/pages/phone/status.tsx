/** The state of a phone, and the actions that the state allows. */
import { type Phone, type PhoneStatus } from '../../api/types'
import { type Need } from '../../shell/handoffs'
import { Badge, type Tone } from '../../ui/badge'

const tones: Readonly<Record<PhoneStatus, Tone>> = {
  creating: 'busy',
  starting: 'busy',
  ready: 'good',
  parking: 'busy',
  parked: 'quiet',
  unavailable: 'warn',
  failed: 'danger',
  deleted: 'quiet',
}

export const PhoneBadge = ({ status }: { status: PhoneStatus }) => (
  <Badge tone={tones[status]}>{status}</Badge>
)

/** A phone whose agent waits for a person, or that a person controls. */
export const NeedBadge = ({ need }: { need: Need | undefined }) =>
  need === 'open' ? (
    <Badge tone="warn">asks for help</Badge>
  ) : (
    need === 'taken' && <Badge tone="busy">taken over</Badge>
  )

export const canStart = ({ status }: Phone): boolean => status === 'parked' || status === 'unavailable'
export const canPark = ({ status }: Phone): boolean =>
  status === 'ready' || status === 'starting' || status === 'unavailable'
