/**
 * io.appium.settings 8 as its clients see it: the app behind Appium's commands for location, locale, clipboard and
 * typing. This imitation has the actions, results and conditions of the app's receivers and services, and refuses an
 * action that Android refuses without a permission or app op.
 */
import type { Android } from '../android/android.js'
import type { FocusedWindow, Intent } from '../android/world.js'
import { knownLocale, sameLanguage } from './locales.js'
import type { AppBehaviour, BroadcastResult } from './behaviour.js'

const name = 'io.appium.settings'
const foregroundService = `${name}.ForegroundService`
const locationService = `${name}.LocationService`

const ok = (data: string | null = null): BroadcastResult => ({ code: -1, data })
const canceled = (data: string | null = null): BroadcastResult => ({ code: 0, data })

type Receiver = (android: Android, intent: Intent) => BroadcastResult

/**
 * Class name below `receivers.` and action. The last receiver is registered only by the running app; the
 * manifest declares the others.
 */
const receivers: readonly (readonly [string, string, Receiver])[] = [
  ['LocaleSettingReceiver', `${name}.locale`, setLocale],
  ['ClipboardReceiver', `${name}.clipboard.get`, getClipboard],
  ['LocationInfoReceiver', `${name}.location`, getLocation],
  ['AnimationSettingReceiver', `${name}.animation`, setAnimation],
  // Since Android 10 an app with its target SDK cannot switch Wi-Fi.
  ['WiFiConnectionSettingReceiver', `${name}.wifi`, () => canceled()],
  ['MediaScannerReceiver', `${name}.scan_media`, scanMedia],
  ['NotificationsReceiver', `${name}.notifications`, listNotifications],
]

export const appiumSettings: AppBehaviour = {
  package: name,
  startActivity: (android, _intent, className): FocusedWindow | null => {
    if (className !== `${name}.Settings`) return null
    // Starts the app's service and closes: the previous app returns to the foreground.
    startForeground(android, foregroundService, () => undefined)
    return android.world.focused
  },
  startService: (android, intent, className) => {
    if (className === foregroundService) {
      if (intent.action === 'stop') android.running.findService(name, foregroundService)?.stop()
      else if (intent.action === 'start') startForeground(android, foregroundService, () => undefined)
      return true
    }
    if (className !== locationService) return false
    if (isGranted(android, 'ACCESS_FINE_LOCATION')) startLocation(android, intent)
    return true
  },
  broadcast: (android, intent) => {
    const found = receivers.find(([className, action]) =>
      intent.component === undefined
        ? // Without a component, a broadcast reaches only the receivers that the running app has registered.
          action === intent.action && android.running.findService(name, foregroundService) !== null
        : intent.component.package === name &&
          intent.component.className === `${name}.receivers.${className}`,
    )
    return found === undefined || (intent.package ?? name) !== name ? null : found[2](android, intent)
  },
}

function isGranted(android: Android, permission: string): boolean {
  return android.installed.find(name)?.granted.includes(`android.permission.${permission}`) === true
}

function startForeground(android: Android, className: string, onStop: () => void): void {
  const uid = android.installed.find(name)?.uid ?? 0
  android.running.startService({ package: name, className, uid, foreground: true, onStop })
}

/** The mock providers need the app op. Without the app op, the providers are missing, and the service has no effect. */
function startLocation(android: Android, intent: Intent): void {
  const number = (key: string) => {
    const value = Number.parseFloat(intent.extras[key] ?? '')
    return Number.isFinite(value) ? value : 0
  }
  // Removing the mock providers restores the previous location.
  const real = android.world.location
  startForeground(android, locationService, () => android.world.setLocation(real))
  const allowed = android.appOps.get(`${name}/MOCK_LOCATION`) === 'allow'
  if (!allowed || android.settings.get('secure', 'location_mode') === '0') return
  android.world.setLocation({ latitude: number('latitude'), longitude: number('longitude') })
}

function getLocation(android: Android): BroadcastResult {
  const { location } = android.world
  if (location === null || !isGranted(android, 'ACCESS_FINE_LOCATION')) return canceled('')
  return ok([location.latitude, location.longitude, 0].map((each) => each.toFixed(7)).join(' '))
}

function setLocale(android: Android, { extras }: Intent): BroadcastResult {
  const both = extras['lang'] !== undefined && extras['country'] !== undefined
  const [language, country] = both ? [extras['lang'] ?? '', extras['country'] ?? ''] : ['en', 'US']
  const script = extras['script'] ?? ''
  const wanted = [language, script, country].filter((part) => part !== '').join('-')
  const shown = `${language}_${country}${script === '' ? '' : `_#${script}`}`
  const known = extras['skip_locale_check'] === undefined ? knownLocale(wanted) : wanted
  if (known === null || !sameLanguage(known, language)) return canceled(`The locale ${shown} is not known`)
  if (!isGranted(android, 'CHANGE_CONFIGURATION')) {
    return canceled(
      'java.lang.IllegalStateException: The settings app does not have enough permissions to change the device configuration',
    )
  }
  // The answer of Android 15 on some makers' phones (appium/io.appium.settings issue 246).
  if (android.missing.has('locale'))
    return canceled(
      'java.lang.NoSuchMethodException: android.app.IActivityManager$Stub$Proxy.updateConfiguration [class android.content.res.Configuration]',
    )
  android.settings.put('system', 'system_locales', known)
  return ok(shown)
}

/**
 * Since Android 10, only the foreground app and the default keyboard can read the clipboard; other apps get
 * an empty clipboard.
 */
function getClipboard(android: Android): BroadcastResult {
  const keyboard = android.settings.get('secure', 'default_input_method') ?? ''
  const readable = keyboard.startsWith(`${name}/`) || android.world.focused.package === name
  return ok(readable ? Buffer.from(android.world.clipboard).toString('base64') : '')
}

function setAnimation(android: Android, { extras }: Intent): BroadcastResult {
  const state = extras['setstatus']
  if (state !== 'enable' && state !== 'disable') return canceled()
  if (!isGranted(android, 'SET_ANIMATION_SCALE')) return canceled()
  for (const scale of ['window_animation_scale', 'transition_animation_scale', 'animator_duration_scale']) {
    android.settings.put('global', scale, state === 'enable' ? '1.0' : '0.0')
  }
  return ok()
}

/** The media provider of this phone has no index, so files are found immediately. */
function scanMedia(android: Android, { extras }: Intent): BroadcastResult {
  const path = extras['path']
  return path !== undefined && android.fs.tryStat(path) !== null ? ok('') : canceled('')
}

function listNotifications(android: Android): BroadcastResult {
  const listeners = android.settings.get('secure', 'enabled_notification_listeners') ?? ''
  if (!listeners.split(':').some((each) => each.startsWith(`${name}/`))) {
    return ok(
      "Appium Settings helper has no access to the system notifications. The access must be granted manually via 'Notification access' page in device Settings.",
    )
  }
  const statusBarNotifications = android.world.notifications.map((each) => ({
    isRemoved: false,
    packageName: each.package,
    postTime: each.whenMs,
    notification: { title: each.title, text: each.text },
  }))
  return ok(JSON.stringify({ statusBarNotifications }))
}
