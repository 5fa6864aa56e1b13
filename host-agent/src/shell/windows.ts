/** Reads the foreground window, the keyboard and the screen state in one shell call, filtered on the phone. */
import { command, pipe, sequence } from '../adb/quote.js'
import type { Transport } from '../adb/transport.js'
import type { Windows, WindowState } from '../device/device.js'
import { parseScreenOn, readWakefulness } from './power.js'

const readCommand = sequence(
  pipe(command('dumpsys', 'window', 'displays'), command('grep', '-E', 'mCurrentFocus=|mFocusedApp=')),
  pipe(command('dumpsys', 'input_method'), command('grep', '-E', 'mInputShown=')),
  readWakefulness,
)

/** System windows in front of every app. */
const systemWindows = new Set(['NotificationShade', 'StatusBar', 'Keyguard', 'GlobalActions'])

/**
 * Titles of the system's own dialogs: `AppErrorDialog`, `AppNotRespondingDialog`, `StrictModeViolationDialog`,
 * `AppWaitingForDebuggerDialog` and `BaseErrorDialog` of AOSP 8 to 14 (`com.android.server.am`). They are not part of an
 * app's task, so they receive the touches of the whole screen.
 */
const systemDialog =
  /^(?:Application Error: |Application Not Responding: |Strict Mode Violation: |Waiting For Debugger: |Error Dialog$)/

/**
 * Parses `mCurrentFocus=Window{… u0 package/activity}` and `mFocusedApp=…{… u0 package/activity t12}`. The focused app
 * counts only when the name of the focused window has no activity, as with dialogs and popups.
 */
export function parseWindows(output: string): WindowState {
  // Each display prints a line; those without focus print `null`.
  const window = /mCurrentFocus=Window\{\S{1,32} (?:u\d{1,10} )?([^}]{1,500})\}/.exec(output)?.[1]?.trim()
  return {
    ...foreground(window, output),
    keyboardVisible: /mInputShown=true/.test(output),
    systemDialog: window !== undefined && systemDialog.test(window),
    screenOn: parseScreenOn(output) ?? true,
  }
}

function foreground(window: string | undefined, output: string): Pick<WindowState, 'package' | 'activity'> {
  const inWindow = window === undefined ? null : component(window)
  if (inWindow) return inWindow
  if (window !== undefined && systemWindows.has(window))
    return { package: 'com.android.systemui', activity: null }
  const app =
    /mFocusedApp=(?:AppWindowToken\{.{0,200}?)?ActivityRecord\{\S{1,32} u\d{1,10} ([^ }]{1,500})/.exec(
      output,
    )?.[1]
  const inApp = app === undefined ? null : component(app)
  return inApp ?? { package: '', activity: null }
}

/** Parses `package/activity`; a leading dot abbreviates the package. */
function component(text: string): { package: string; activity: string } | null {
  const match = /^([A-Za-z0-9_.]+)\/([A-Za-z0-9_.$]+)$/.exec(text)
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
