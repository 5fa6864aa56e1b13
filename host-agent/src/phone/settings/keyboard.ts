/**
 * Selects the keyboard of io.appium.settings for a moment. While that keyboard is the default, its app can
 * read the clipboard, and key events can enter any Unicode text. The user's keyboard is stored on disk, so
 * that it is restored even after the phone or the agent fails. Used by `clipboard.ts` and `keyboard-text.ts`.
 */
import { Progress, type Logger } from '@phonerack/shared'
import { command, pipe } from '../../adb/quote.js'
import type { Transport } from '../../adb/transport.js'
import { run } from '../../adb/device/run.js'
import { settingsApp } from '../../adb/parts/parts.js'

export const ourKeyboard = `${settingsApp.package}/.UnicodeIME`

/** Milliseconds for restoring the user's keyboard, independent of the caller's deadline. */
const restoreMs = 5000
/** Android connects a keyboard to the field a moment after it becomes the default. */
const bindMs = 2000
/** Pause on phones that do not report the connection. */
const unknownBindMs = 200

/** Stores the user's keyboard while the app's keyboard is selected. */
export interface SavedKeyboard {
  get(): string | null
  /** Stores the keyboard. The record is on disk when the call returns. */
  set(keyboard: string | null): void
}

export interface KeyboardSwitch {
  /** Selects the app's keyboard. On failure, restores the user's keyboard and throws. */
  select(progress: Progress): Promise<void>
  /** Never throws: `restoreLeftover` retries a failure. */
  restore(): Promise<void>
  /**
   * Restores a stored keyboard after a failed `restore`. Does not read the phone when no keyboard is stored.
   */
  restoreLeftover(progress: Progress): Promise<void>
}

const isComponent = (text: string): boolean => /^[\w.]+\/[\w.$]+$/.test(text)

interface KeyboardParts {
  transport: Transport
  remembered: SavedKeyboard
  log: Logger
}

export function createKeyboardSwitch({ transport, remembered, log }: KeyboardParts): KeyboardSwitch {
  /** Concurrent users: typing and a clipboard read can overlap. */
  let users = 0
  const read = async (progress: Progress): Promise<string> =>
    (await run(transport, command('settings', 'get', 'secure', 'default_input_method'), progress)).trim()

  async function waitUntilBound(progress: Progress): Promise<void> {
    const within = progress.within(bindMs)
    const look = pipe(
      command('dumpsys', 'input_method'),
      command('grep', '-E', 'mCurId=|mHaveConnection=|mCurMethodId='),
    )
    while (!within.expired) {
      const said = (await transport.shell(look, within)).stdout.toString('utf8')
      const current = /mCurId=(\S+)/.exec(said)?.[1]
      if (current === undefined) {
        await progress.sleep(unknownBindMs, 'the keyboard')
        return
      }
      if (current.startsWith(settingsApp.package) && !said.includes('mHaveConnection=false')) return
      if (within.remaining > 50) await within.sleep(50, 'the keyboard')
    }
  }

  async function restoreSaved(progress: Progress): Promise<void> {
    const before = remembered.get()
    if (before === null) return
    if (isComponent(before)) await run(transport, command('ime', 'set', before), progress)
    // Without an earlier keyboard, Android selects a keyboard when the app's keyboard is disabled.
    await run(transport, command('ime', 'disable', ourKeyboard), progress)
    const now = await read(progress)
    if (now === ourKeyboard || (isComponent(before) && now !== before))
      throw new Error(`the keyboard is ${now}, and should be ${before}`)
    remembered.set(null)
  }

  const keyboard: KeyboardSwitch = {
    async select(progress) {
      const before = await read(progress)
      // An interrupted attempt left the app's keyboard selected, and had stored the user's keyboard.
      if (before !== ourKeyboard) remembered.set(before)
      else if (remembered.get() === null) remembered.set('')
      users += 1
      try {
        await run(transport, command('ime', 'enable', ourKeyboard), progress)
        await run(transport, command('ime', 'set', ourKeyboard), progress)
        if ((await read(progress)) !== ourKeyboard) throw new Error('the phone did not switch the keyboard')
        await waitUntilBound(progress)
      } catch (error) {
        await keyboard.restore()
        throw error
      }
    },
    async restore() {
      users -= 1
      if (users > 0) return
      try {
        await restoreSaved(Progress.for(restoreMs))
      } catch (error) {
        log.warn({ err: error }, 'the keyboard could not be restored; the agent tries again')
      }
    },
    async restoreLeftover(progress) {
      if (users === 0 && remembered.get() !== null) await restoreSaved(progress)
    },
  }
  return keyboard
}
