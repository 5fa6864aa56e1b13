/** The settings provider: three tables of names and texts, as `settings get` and `put` see them. */

export const namespaces = ['system', 'secure', 'global'] as const
export type Namespace = (typeof namespaces)[number]
export type SavedSettings = Record<Namespace, Record<string, string>>

export class Settings {
  private tables: Record<Namespace, Map<string, string>> = tablesOf(defaults())

  /** @param onChange called after each change, with null for a deleted setting */
  constructor(
    private readonly onChange: (namespace: Namespace, name: string, value: string | null) => void,
  ) {}

  get(namespace: Namespace, name: string): string | null {
    return this.tables[namespace].get(name) ?? null
  }

  put(namespace: Namespace, name: string, value: string): void {
    this.tables[namespace].set(name, value)
    this.onChange(namespace, name, value)
  }

  /** Deletes a setting. Returns false when it was not set. */
  delete(namespace: Namespace, name: string): boolean {
    const had = this.tables[namespace].delete(name)
    if (had) this.onChange(namespace, name, null)
    return had
  }

  /** Returns the settings of a table, sorted by name. */
  list(namespace: Namespace): [string, string][] {
    return [...this.tables[namespace]].sort(([a], [b]) => (a < b ? -1 : 1))
  }

  save(): SavedSettings {
    const { system, secure, global } = this.tables
    return {
      system: Object.fromEntries(system),
      secure: Object.fromEntries(secure),
      global: Object.fromEntries(global),
    }
  }

  /** Null for the initial state. */
  load(saved: SavedSettings | null): void {
    this.tables = tablesOf(saved ?? defaults())
  }
}

function tablesOf(saved: SavedSettings): Record<Namespace, Map<string, string>> {
  return {
    system: new Map(Object.entries(saved.system)),
    secure: new Map(Object.entries(saved.secure)),
    global: new Map(Object.entries(saved.global)),
  }
}

function defaults(): SavedSettings {
  return {
    system: {
      accelerometer_rotation: '0',
      font_scale: '1.0',
      haptic_feedback_enabled: '1',
      screen_brightness: '102',
      screen_brightness_mode: '0',
      screen_off_timeout: '60000',
      show_touches: '0',
      time_12_24: '24',
      user_rotation: '0',
    },
    secure: {
      accessibility_enabled: '0',
      default_input_method: 'com.android.inputmethod.latin/.LatinIME',
      enabled_input_methods: 'com.android.inputmethod.latin/.LatinIME',
      install_non_market_apps: '1',
      location_mode: '3',
      lock_screen_lock_after_timeout: '5000',
      show_ime_with_hard_keyboard: '0',
      sleep_timeout: '-1',
      ui_night_mode: '1',
      user_setup_complete: '1',
    },
    global: {
      adb_enabled: '1',
      airplane_mode_on: '0',
      animator_duration_scale: '1.0',
      auto_time: '1',
      auto_time_zone: '1',
      bluetooth_on: '0',
      development_settings_enabled: '1',
      device_name: 'Virtual Phone',
      device_provisioned: '1',
      heads_up_notifications_enabled: '1',
      mobile_data: '0',
      mode_ringer: '2',
      package_verifier_user_consent: '-1',
      stay_on_while_plugged_in: '0',
      transition_animation_scale: '1.0',
      wifi_on: '1',
      window_animation_scale: '1.0',
    },
  }
}
