/**
 * Finds out whether a picture of the screen may be black: the phone is asleep or locked, or shows a window with
 * FLAG_SECURE. One shell call, filtered on the phone and cached briefly, so that many
 * viewers share one call.
 */
import { Progress } from '@phonerack/shared'
import { command, pipe, sequence } from '../../adb/quote.js'
import type { Transport } from '../../adb/transport.js'
import type { SecureWindowState, SecureWindow } from '../../adb/device/device.js'

const cacheMs = 1000
const limitMs = 10_000

/** `visible`: only windows that are on the screen, each with its attributes. */
const readCommand = sequence(
  pipe(
    command('dumpsys', 'window', 'policy'),
    command('grep', '-E', '^ *showing=|mShowingLockscreen=|screenState=|mAwake='),
  ),
  pipe(command('dumpsys', 'window', 'visible'), command('grep', '-E', '^ *fl=')),
)

/** `WindowManager.LayoutParams.FLAG_SECURE`, where flags are printed as a number (Android 8.0 and older). */
const secureBit = 0x2000

/**
 * Parses `dumpsys window policy` (`KeyguardServiceDelegate`, `PhoneWindowManager`) and `fl=` of
 * `LayoutParams.toString`, as AOSP 9 to 14 print them. Missing lines count as false: the state only explains a black
 * picture.
 */
export function parseSecureWindow(output: string): SecureWindowState {
  const flags = [...output.matchAll(/^ *fl=(.*)$/gm)].map(([, words]) => words ?? '')
  return {
    asleep: /screenState=SCREEN_STATE_OFF|mAwake=false/.test(output),
    locked: /^ *showing=true|mShowingLockscreen=true/m.test(output),
    secure: flags.some(
      (words) => /\bSECURE\b/.test(words) || (Number.parseInt(words.replace('#', ''), 16) & secureBit) !== 0,
    ),
  }
}

export function createSecureWindow(transport: Transport): SecureWindow {
  let cached: { state: Promise<SecureWindowState>; at: number } | null = null

  async function readState(): Promise<SecureWindowState> {
    const { stdout } = await transport.shell(readCommand, Progress.for(limitMs))
    return parseSecureWindow(stdout.toString('utf8'))
  }

  return {
    async read(progress, refresh = false) {
      progress.check('checking for a secure window')
      // The read has a separate deadline, since several callers share the read.
      if (refresh || !cached || performance.now() - cached.at > cacheMs)
        cached = { state: readState(), at: performance.now() }
      const { state } = cached
      return progress.race('checking for a secure window', () => state)
    },
  }
}
