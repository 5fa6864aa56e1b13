/**
 * A tenant's settings that a restart of the phone loses. The agent stores them on disk, sets them again after
 * a restart, and deletes them at a wipe.
 */
import type { Coordinates } from '../../adb/device/device.js'

export interface Desired {
  /** Null when the phone uses its real location. */
  location: Coordinates | null
  /** Null when the phone uses its default time zone. */
  timezone: string | null
}

export const nothingDesired: Desired = { location: null, timezone: null }

export interface DesiredState {
  get(): Desired
  set(change: Partial<Desired>): void
}
