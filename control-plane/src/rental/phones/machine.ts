import { type EndReason, type OnIdle, type PhoneStatus } from '../../base/core/statuses.js'

export const phoneEvents = [
  /** The device answered. */
  'became_ready',
  /** A client starts the phone. */
  'start',
  /** A client parks the phone. */
  'park',
  /** `last_active_at` plus the idle timeout has passed. */
  'idle',
  /** The session's deadline has passed. */
  'max_duration',
  /** An operator froze the project. */
  'freeze',
  /** An operator paused the service. */
  'pause',
  /** The agent parked the device, or the park was given up after the fencing number was raised. */
  'parked',
  /** A create reached its deadline, or no device works. */
  'create_failed',
  /** A start reached its deadline. */
  'start_failed',
  /** The device is permanently lost. */
  'fail',
  /** The device or host was unreachable for the grace period, or the host was drained. */
  'lose',
  /** A client reboots or resets the phone; the session continues. */
  'restart',
  'delete',
] as const
export type PhoneEvent = (typeof phoneEvents)[number]

export interface Move {
  to: PhoneStatus
  /** How the open session ends. Null: the session stays open, or there is none. */
  endReason: EndReason | null
}

const move = (to: PhoneStatus, endReason: EndReason | null = null): Move => ({ to, endReason })
const whileRunning = (to: PhoneStatus, endReason: EndReason) => ({
  creating: move(to, endReason),
  starting: move(to, endReason),
  ready: move(to, endReason),
})

const moves: Record<PhoneEvent, Partial<Record<PhoneStatus, Move>>> = {
  became_ready: { creating: move('ready'), starting: move('ready') },
  start: { parked: move('starting'), unavailable: move('starting') },
  park: whileRunning('parking', 'parked'),
  idle: { ready: move('parking', 'idle') },
  max_duration: whileRunning('parking', 'max_duration'),
  freeze: whileRunning('parking', 'project_frozen'),
  pause: whileRunning('parking', 'service_paused'),
  parked: { parking: move('parked') },
  create_failed: { creating: move('failed', 'failed') },
  start_failed: { starting: move('parking', 'failed') },
  fail: {
    ...whileRunning('failed', 'failed'),
    parking: move('failed'),
    parked: move('failed'),
    unavailable: move('failed'),
  },
  lose: whileRunning('unavailable', 'unavailable'),
  restart: { ready: move('starting') },
  delete: {
    ...whileRunning('deleted', 'deleted'),
    parking: move('deleted'),
    parked: move('deleted'),
    unavailable: move('deleted'),
    failed: move('deleted'),
  },
}

/** Events after which a phone with `on_idle: "delete"` is deleted. */
const ends: readonly PhoneEvent[] = ['park', 'idle', 'max_duration']

/** Returns the transition of `event` from `status`, or null when the event does not apply. */
export function moveFor(status: PhoneStatus, event: PhoneEvent, onIdle: OnIdle = 'park'): Move | null {
  const found = moves[event][status]
  if (!found) return null
  return onIdle === 'delete' && ends.includes(event) ? { ...found, to: 'deleted' } : found
}

const runningStatuses = ['creating', 'starting', 'ready'] as const satisfies readonly PhoneStatus[]

/** True while the phone has an open session. */
export const isRunning = (status: PhoneStatus): boolean =>
  (runningStatuses as readonly PhoneStatus[]).includes(status)
