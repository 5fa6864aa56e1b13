/** The Settings app's saved data: its switches and choices by key. */
import { type Ui } from '../app.js'

export interface SettingsData {
  switches: Record<string, boolean>
  choices: Record<string, string>
  sliders: Record<string, number>
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
  choices: {},
  sliders: { media: 0.6, ring: 0.7, alarm: 0.5 },
})

export const settingsOf = (ui: Ui): SettingsData => ui.data() as SettingsData
