/** Parts of a device's record, each with one owner. Used by `supervisor.ts`. */
import type { DesiredState } from '../../phone/settings/desired.js'
import type { SavedKeyboard } from '../../phone/settings/keyboard.js'
import { shortenReasons, type DeviceRecord, type Records, type ShellRecord } from '../../custody/records.js'
import type { Baseline } from '../../custody/wiping/checks.js'

export interface RecordFields {
  baseline: { get: () => Baseline | null; set: (baseline: Baseline) => void }
  desired: DesiredState
  keyboard: SavedKeyboard
  shell: { get: () => ShellRecord | null; set: (shell: ShellRecord) => void }
  events: { get: () => DeviceRecord['events']; set: (events: DeviceRecord['events']) => void }
}

/** @param onEvents called after each change of the events */
export function recordFields(records: Records, serial: string, onEvents: () => void): RecordFields {
  const record = (): DeviceRecord => records.get(serial)
  return {
    baseline: { get: () => record().baseline, set: (baseline) => void records.update(serial, { baseline }) },
    desired: {
      get: () => record().desired,
      set: (change) => void records.update(serial, { desired: { ...record().desired, ...change } }),
    },
    keyboard: { get: () => record().keyboard, set: (keyboard) => void records.update(serial, { keyboard }) },
    shell: { get: () => record().shell, set: (shell) => void records.update(serial, { shell }) },
    events: {
      get: () => record().events,
      set: (events) => {
        records.update(serial, { events: shortenReasons(events) })
        onEvents()
      },
    },
  }
}
