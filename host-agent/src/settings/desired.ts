/** What a tenant set and a restart of the phone takes away: kept on disk, set again, gone with the wipe. */
import type { Coordinates } from '../device/device.js'

export interface Desired {
  /** Null: the phone's own. */
  location: Coordinates | null
  /** Null: the phone's default. */
  timezone: string | null
}

export const nothingDesired: Desired = { location: null, timezone: null }

export interface DesiredState {
  get(): Desired
  set(change: Partial<Desired>): void
}
