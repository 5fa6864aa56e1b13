/** The Settings app's saved data: its switches by key. */
import { type Ui } from '../app.js'

export interface SettingsData {
  switches: Record<string, boolean>
}

export const initialSettings = (): SettingsData => ({
  switches: {
    wifi: true,
    location: true,
    mobile_data: true,
    use_bluetooth: false,
    adaptive_brightness: true,
    auto_rotate: false,
    auto_time: true,
    touch_sounds: true,
    dial_tones: true,
    vibrate: true,
    battery_percentage: false,
  },
})

export const settingsOf = (ui: Ui): SettingsData => ui.data() as SettingsData
