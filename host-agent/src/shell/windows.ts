/** Reads the foreground window, the keyboard and the screen state in one shell call, filtered on the phone. */
import { command, pipe, sequence } from '../adb/quote.js'
import type { Transport } from '../adb/transport.js'
import type { Windows, WindowState } from '../device/device.js'
import { parseScreenOn, readWakefulness } from './power.js'

/** The focused window and app of each display. */
export const readFocus = pipe(
  command('dumpsys', 'window', 'displays'),
  command('grep', '-E', 'Display: mDisplayId=|mCurrentFocus=|mFocusedApp='),
)

const readCommand = sequence(
  readFocus,
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
 * Parses `mFocusedApp=…{… u0 package/activity t12}` and `mCurrentFocus=Window{… u0 title}` of the display in use. The activity's
 * record names the app, since an app chooses the titles of its windows, by default `package/activity`. Without a record
 * the title counts. A title can still pass for a window of the system, which covers the app.
 */
export function parseWindows(output: string): WindowState {
  const display = displayInUse(output)
  const window = windowPattern.exec(display)?.[1]?.trim()
  return {
    ...foreground(window, display),
    keyboardVisible: /mInputShown=true/.test(output),
    systemDialog: window !== undefined && systemDialog.test(window),
    screenOn: parseScreenOn(output) ?? true,
  }
}

/** A display without focus prints `null`. */
const windowPattern = /mCurrentFocus=Window\{\S{1,32} (?:u\d{1,10} )?([^}]{1,500})\}/
const appPattern =
  /mFocusedApp=(?:AppWindowToken\{.{0,200}?)?ActivityRecord\{\S{1,32} u\d{1,10} ([^ }]{1,500})/g

/**
 * Display 0, or, when it has neither window nor app, as on a folded phone, the last one that has. A display is one block (AOSP
 * `DisplayContent.dump`, Android 10 to 16), and the display that was used last is the last block.
 */
function displayInUse(output: string): string {
  const blocks = output.split(/^(?=\s{0,20}Display: mDisplayId=)/m)
  const main = blocks.filter((block) => /^\s{0,20}Display: mDisplayId=0\b/.test(block))
  // A line feed in a title looks like another display 0.
  if (main.length > 1) return output
  const isUsed = (block: string): boolean => windowPattern.test(block) || block.search(appPattern) >= 0
  const found = main.find(isUsed) ?? blocks.findLast(isUsed) ?? output
  // Android prints both lines for each display: one without the app was cut by a line feed in a title.
  return found.includes('mFocusedApp=') ? found : output
}

function foreground(window: string | undefined, display: string): Pick<WindowState, 'package' | 'activity'> {
  if (window !== undefined && systemWindows.has(window))
    return { package: 'com.android.systemui', activity: null }
  // The last one: it is printed after the title, which may contain a line feed.
  const app = [...display.matchAll(appPattern)].at(-1)?.[1]
  const found = component(app ?? '') ?? component(window ?? '')
  return found ?? { package: '', activity: null }
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
