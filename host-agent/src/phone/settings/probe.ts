/** Probes the settings at enrolment: sets, reads back and restores each setting. */
import type { Progress } from '@phonerack/shared'
import type { Transport } from '../../adb/transport.js'
import { attempt, type FoundCapability } from '../../adb/device/attempt.js'
import type { Choice } from '../../adb/device/choice.js'
import { createLocale } from './locale.js'
import { createLocation } from './location.js'
import { nothingDesired, type Desired } from './desired.js'
import { prepareSettingsApp } from './settings-app.js'
import { createTimezone } from './timezone.js'

type SettingsChoice = Pick<Choice, 'settingsApp' | 'location' | 'locale' | 'timezone'>

export async function probeSettings(
  transport: Transport,
  progress: Progress,
): Promise<{ choice: SettingsChoice; found: FoundCapability[] }> {
  let state: Desired = nothingDesired
  const desired = {
    get: () => state,
    set: (change: Partial<Desired>) => void (state = { ...state, ...change }),
  }

  const app = await attempt('settings_app', 'io.appium.settings', progress, async (within) => {
    await prepareSettingsApp(transport, within)
    return 'the app was installed and got its permissions'
  })
  const settingsApp = app.implementation !== ''
  const withApp = (name: string, prove: (within: Progress) => Promise<string>): Promise<FoundCapability> =>
    settingsApp
      ? attempt(name, 'settings-app', progress, prove)
      : Promise.resolve({ name, implementation: '', evidence: `needs io.appium.settings: ${app.evidence}` })

  const location = await withApp('location', async (within) => {
    const mocked = createLocation(transport, desired)
    await mocked.set({ latitude: 48.2082, longitude: 16.3738 }, within)
    await mocked.set(null, within)
    return 'the location 48.2082, 16.3738 was set, read back and reset'
  })
  const locale = await withApp('locale', async (within) => {
    const language = createLocale(transport)
    const before = await language.get(within)
    const other = before.startsWith('fr') ? 'de-DE' : 'fr-FR'
    const now = await language.set(other, within)
    await language.set(before, within)
    return `${now} was set and read back, and ${before} was restored`
  })
  const timezone = await attempt('timezone', 'alarm', progress, async (within) => {
    const clock = createTimezone({ transport, desired, defaultZone: () => null })
    const before = await clock.get(within)
    await clock.set('Asia/Kathmandu', within)
    if (before !== null && before !== '') await clock.set(before, within)
    return `Asia/Kathmandu was set and read back, and ${String(before)} was restored`
  })
  return {
    choice: {
      settingsApp,
      location: location.implementation === '' ? '' : 'settings-app',
      locale: locale.implementation === '' ? '' : 'settings-app',
      timezone: timezone.implementation === '' ? '' : 'alarm',
    },
    found: [app, location, locale, timezone],
  }
}
