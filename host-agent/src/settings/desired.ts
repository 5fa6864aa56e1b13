/** Settings of a tenant that a restart of the phone loses: kept on disk, set again, removed by the wipe. */
import type { Coordinates } from '../device/device.js'

export interface Desired {
  /** Null: the phone's own location. */
  location: Coordinates | null
  /** Null: the phone's default. */
  timezone: string | null
}

export const nothingDesired: Desired = { location: null, timezone: null }

export interface DesiredState {
  get(): Desired
  set(change: Partial<Desired>): void
}
