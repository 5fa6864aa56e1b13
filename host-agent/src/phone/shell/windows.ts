/** Reads the foreground window, the keyboard and the screen state in one shell call, filtered on the phone. */
import { command, pipe, sequence } from '../../adb/quote.js'
import type { Transport } from '../../adb/transport.js'
import type { Windows, WindowState } from '../../adb/device/device.js'
import { notUnderstood } from '../../adb/device/unreadable.js'
import { appPattern, displayInUse, readDisplays, windowPattern } from './displays.js'
import { parseScreenOn, readWakefulness } from './power.js'

/** Apps choose the titles of windows, so the displays come last. Lines without indentation are the system's messages. */
const readCommand = sequence(
  readWakefulness,
  command('settings', 'get', 'secure', 'default_input_method'),
  pipe(command('dumpsys', 'input_method'), command('grep', '-E', '^[^ ]|mInputShown=')),
  readDisplays,
)

/** System windows in front of every app. */
const systemWindows = new Set(['NotificationShade', 'StatusBar', 'Keyguard', 'GlobalActions'])

/**
 * Titles of the system's own dialogs: `AppErrorDialog`, `AppNotRespondingDialog`,
 * `StrictModeViolationDialog`, `AppWaitingForDebuggerDialog` and `BaseErrorDialog` of AOSP 8 to 14
 * (`com.android.server.am`). These dialogs are not part of an app's task, so they receive the touches of the
 * whole screen.
 */
const systemDialog =
  /^(?:Application Error: |Application Not Responding: |Strict Mode Violation: |Waiting For Debugger: |Error Dialog$)/

/**
 * Parses `mFocusedApp=…{… u0 package/activity t12}` and `mCurrentFocus=Window{… u0 title}` of the display in
 * use. The activity's record names the app, since an app chooses the titles of its windows, by default
 * `package/activity`. Without a record, the title counts. A title can still look like a window of the system
 * that covers the app.
 * @throws ApiError provider_error for another form
 */
export function parseForeground(output: string): Pick<WindowState, 'package' | 'activity' | 'systemDialog'> {
  const display = displayInUse(output)
  if (display === null || !/mCurrentFocus=/.test(display)) throw notUnderstood('its windows', output)
  const window = windowPattern.exec(display)?.[1]?.trim()
  return { ...foreground(window, display), systemDialog: window !== undefined && systemDialog.test(window) }
}

/** Parses the output of `readCommand`. @throws ApiError provider_error for another form */
export function parseWindows(output: string): WindowState {
  const end = output.search(/^(?:WINDOW MANAGER|\s{0,20}Display: mDisplayId=)/m)
  const head = end === -1 ? output : output.slice(0, end)
  // Android 14 and newer print one line per user.
  const shown = [...head.matchAll(/^\s{0,20}(?:\w{1,50}=\w{1,50} ){0,9}mInputShown=(true|false)/gm)]
  if (shown.length === 0) throw notUnderstood('its keyboard', output)
  return {
    ...parseForeground(output),
    keyboardVisible: shown.some(([, value]) => value === 'true'),
    keyboardPackage: /^([A-Za-z0-9_.]{1,255})\/\S{1,255}\s*$/m.exec(head)?.[1] ?? null,
    screenOn: parseScreenOn(head) ?? true,
  }
}

function foreground(window: string | undefined, display: string): Pick<WindowState, 'package' | 'activity'> {
  if (window !== undefined && systemWindows.has(window))
    return { package: 'com.android.systemui', activity: null }
  // The last match counts, because the activity is printed after the title, which may contain a line feed.
  const app = [...display.matchAll(new RegExp(appPattern, 'g'))].at(-1)?.[1]
  const found = component(app ?? '') ?? component(window ?? '')
  return found ?? { package: '', activity: null }
}

/** Parses `package/activity`; a leading dot abbreviates the package. A class may have letters of any script. */
function component(text: string): { package: string; activity: string } | null {
  const match = /^([A-Za-z0-9_.]+)\/([^\s/{}]+)$/.exec(text)
  const [, name, activity] = match ?? []
  if (name === undefined || activity === undefined) return null
  return { package: name, activity: activity.startsWith('.') ? name + activity : activity }
}

export function createWindows(transport: Transport): Windows {
  return {
    async read(progress) {
      const result = await transport.shell(readCommand, progress)
      return parseWindows(result.stdout.toString('utf8'))
    },
  }
}
