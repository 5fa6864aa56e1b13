/** Derives a device's state from the link that its agent reports. Pure. */
import { type DeviceLink } from '@phonerack/shared'

export const deviceStates = [
  'unenrolled',
  'unauthorized',
  'provisioning',
  'free',
  'assigned',
  'wiping',
  'quarantined',
  'offline',
] as const
export type DeviceState = (typeof deviceStates)[number]

const up: readonly string[] = ['healthy', 'busy'] satisfies DeviceLink[]

/** True while the device is in use or being prepared. */
export const isUp = (link: string): boolean => up.includes(link)

/**
 * The host has no record of the device, or another phone is connected in its place, so the device can neither
 * be wiped nor used. An enrolment ends the state.
 */
export const isForgotten = ({ state, link }: { state: string; link: string }): boolean =>
  link === 'unenrolled' && ['offline', 'quarantined', 'wiping', 'assigned'].includes(state)

/** The state of a device that a host reports for the first time. Nothing is written to the device. */
export const stateWhenSeen = (link: DeviceLink): DeviceState =>
  link === 'unauthorized' ? 'unauthorized' : 'unenrolled'

/**
 * The state after a report. A report never changes a state that may hold a customer's data
 * (assigned, wiping, quarantined, provisioning). An idle device follows its link.
 */
export function stateAfterReport(state: DeviceState, enrolled: boolean, link: DeviceLink): DeviceState {
  if (!enrolled) return state === 'unenrolled' || state === 'unauthorized' ? stateWhenSeen(link) : state
  if (state !== 'free' && state !== 'offline' && state !== 'unauthorized') return state
  if (link === 'unauthorized') return 'unauthorized'
  return isUp(link) ? 'free' : 'offline'
}
