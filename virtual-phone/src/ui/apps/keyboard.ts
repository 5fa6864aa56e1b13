/**
 * The input method as an installed package without screens, which `pm` lists. Its keys are in
 * `window/keyboard.ts`.
 */
import { type App } from './app.js'

export const keyboardApp: App = {
  package: 'com.android.inputmethod.latin',
  label: 'Android Keyboard (AOSP)',
  icon: { glyph: 'keyboard', color: '#ffffff', background: '#5f6368' },
  versionName: '14',
  versionCode: 34,
  uid: 10_070,
  launcherActivity: null,
  activities: {},
  actions: {},
  initialData: () => ({}),
}
