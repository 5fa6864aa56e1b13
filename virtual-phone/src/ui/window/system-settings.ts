/**
 * The settings of the provider and the properties that the world shows, and where the world stores them. One
 * table is read in both directions: the shell's `settings put` moves a switch, and a switch changes the
 * output of `settings get`.
 */
import { type SystemChange } from '../../android/world.js'
import { type Model } from './model.js'

type Table = SystemChange['table']

interface Shown {
  table: Table
  name: string
  read: (model: Model) => string
  write: (model: Model, value: string) => void
}

const flag = (table: Table, name: string, key: string, on = '1', off = '0'): Shown => ({
  table,
  name,
  read: (model) => (model.isSwitchOn(key) ? on : off),
  write: (model, value) => {
    if (model.isSwitchOn(key) !== (value !== off)) model.toggleSwitch(key)
  },
})

const SHOWN: readonly Shown[] = [
  flag('global', 'airplane_mode_on', 'airplane_mode'),
  flag('global', 'wifi_on', 'wifi'),
  flag('global', 'mobile_data', 'mobile_data'),
  flag('global', 'bluetooth_on', 'use_bluetooth'),
  flag('global', 'auto_time', 'auto_time'),
  flag('global', 'low_power', 'battery_saver'),
  flag('secure', 'location_mode', 'location', '3'),
  flag('system', 'time_12_24', 'time_24', '24', '12'),
  flag('system', 'accelerometer_rotation', 'auto_rotate'),
  flag('system', 'screen_brightness_mode', 'adaptive_brightness'),
  flag('system', 'sound_effects_enabled', 'touch_sounds'),
  {
    table: 'system',
    name: 'font_scale',
    read: (model) => model.configuration.fontScale.toString(),
    write: (model, value) => {
      const fontScale = Number(value)
      if (fontScale >= 0.5 && fontScale <= 3) model.configure({ fontScale })
    },
  },
  {
    table: 'system',
    name: 'screen_brightness',
    read: (model) => Math.round(model.brightness * 255).toString(),
    write: (model, value) => {
      const level = Number(value)
      if (level >= 0 && level <= 255) model.brightness = level / 255
    },
  },
  {
    table: 'secure',
    name: 'ui_night_mode',
    read: (model) => (model.configuration.night ? '2' : '1'),
    write: (model, value) => {
      model.configure({ night: value === '2' })
    },
  },
  {
    table: 'secure',
    name: 'default_input_method',
    read: (model) => model.system.inputMethod,
    write: (model, value) => {
      model.system.inputMethod = value
    },
  },
  {
    table: 'property',
    name: 'persist.sys.timezone',
    read: (model) => model.configuration.timeZone,
    write: (model, value) => {
      model.configure({ timeZone: value })
    },
  },
  {
    table: 'property',
    name: 'persist.sys.locale',
    read: (model) => model.configuration.locale,
    write: (model, value) => {
      model.configure({ locale: value })
    },
  },
]

/**
 * Returns true when the world shows the value and the value has changed. For a deleted setting (null), the
 * shown value stays.
 */
export function applyShown(model: Model, table: Table, name: string, value: string | null): boolean {
  const shown = SHOWN.find((entry) => entry.table === table && entry.name === name)
  if (!shown || value === null || shown.read(model) === value) return false
  shown.write(model, value)
  return true
}

/** Returns the changes since the last call. */
export class ShownSettings {
  private known: readonly string[]

  constructor(private readonly model: Model) {
    this.known = SHOWN.map((shown) => shown.read(model))
  }

  /** Settings already contains the values that the shell wrote. */
  forget(): void {
    this.known = SHOWN.map((shown) => shown.read(this.model))
  }

  changes(): SystemChange[] {
    const now = SHOWN.map((shown) => shown.read(this.model))
    const before = this.known
    this.known = now
    return SHOWN.flatMap(({ table, name }, i) => {
      const value = now[i]
      return value === undefined || value === before[i] ? [] : [{ table, name, value }]
    })
  }
}
