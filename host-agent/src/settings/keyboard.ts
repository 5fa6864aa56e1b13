/**
 * Borrows the phone's keyboard: while the io.appium.settings keyboard is the default,
 * its app may read the clipboard and key events can enter any Unicode text. The user's
 * keyboard is stored on disk, so that it is restored even after the phone or the agent
 * is lost. Used by `clipboard.ts` and `keyboard-text.ts`.
 */
import { Progress, type Logger } from '@phonerack/shared'
import { command, pipe } from '../adb/quote.js'
import type { Transport } from '../adb/transport.js'
import { run } from '../device/run.js'
import { settingsApp } from '../parts/parts.js'

export const ourKeyboard = `${settingsApp.package}/.UnicodeIME`

/** Milliseconds for restoring it, independent of the caller's deadline. */
const restoreMs = 5000
/** Android connects a keyboard to the field a moment after it becomes the default. */
const bindMs = 2000
/** Where the phone does not report the connection. */
const unknownBindMs = 200

/** The user's keyboard while it is replaced. */
export interface RememberedKeyboard {
  get(): string | null
  /** On disk when it returns. */
  set(keyboard: string | null): void
}

export interface KeyboardLoan {
  /** Selects the app's keyboard. @throws after restoring the user's */
  borrow(progress: Progress): Promise<void>
  /** Never throws: `keep` retries a failure. */
  giveBack(): Promise<void>
  /** Restores the keyboard after an interrupted attempt; reads the phone only when one is stored. */
  keep(progress: Progress): Promise<void>
}

const isComponent = (text: string): boolean => /^[\w.]+\/[\w.$]+$/.test(text)

export interface KeyboardParts {
  transport: Transport
  remembered: RememberedKeyboard
  log: Logger
}

export function createKeyboardLoan({ transport, remembered, log }: KeyboardParts): KeyboardLoan {
  /** Typing and a clipboard read may overlap. */
  let borrowers = 0
  const read = async (progress: Progress): Promise<string> =>
    (await run(transport, command('settings', 'get', 'secure', 'default_input_method'), progress)).trim()

  async function bound(progress: Progress): Promise<void> {
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

  async function restore(progress: Progress): Promise<void> {
    const before = remembered.get()
    if (before === null) return
    if (isComponent(before)) await run(transport, command('ime', 'set', before), progress)
    // When there was none before, the phone selects one itself.
    await run(transport, command('ime', 'disable', ourKeyboard), progress)
    const now = await read(progress)
    if (now === ourKeyboard || (isComponent(before) && now !== before))
      throw new Error(`the keyboard is ${now}, and should be ${before}`)
    remembered.set(null)
  }

  const loan: KeyboardLoan = {
    async borrow(progress) {
      const before = await read(progress)
      // The app's keyboard is left from an interrupted attempt, which stored the
      // keyboard that it replaced.
      if (before !== ourKeyboard) remembered.set(before)
      else if (remembered.get() === null) remembered.set('')
      borrowers += 1
      try {
        await run(transport, command('ime', 'enable', ourKeyboard), progress)
        await run(transport, command('ime', 'set', ourKeyboard), progress)
        if ((await read(progress)) !== ourKeyboard) throw new Error('the phone did not switch the keyboard')
        await bound(progress)
      } catch (error) {
        await loan.giveBack()
        throw error
      }
    },
    async giveBack() {
      borrowers -= 1
      if (borrowers > 0) return
      try {
        await restore(Progress.for(restoreMs))
      } catch (error) {
        log.warn({ err: error }, 'could not restore the keyboard; retrying')
      }
    },
    async keep(progress) {
      if (borrowers === 0 && remembered.get() !== null) await restore(progress)
    },
  }
  return loan
}
