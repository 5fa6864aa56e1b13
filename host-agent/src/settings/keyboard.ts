/**
 * Borrows the phone's keyboard: while that of io.appium.settings is the default,
 * its app may read the clipboard and key events become any Unicode. The user's
 * own is remembered on disk, so that it comes back after a lost phone or agent
 * too. Used by `clipboard.ts` and `keyboard-text.ts`.
 */
import { Progress, type Logger } from '@phonerack/shared'
import { command, pipe } from '../adb/quote.js'
import type { Transport } from '../adb/transport.js'
import { run } from '../device/run.js'
import { settingsApp } from '../parts/parts.js'

export const ourKeyboard = `${settingsApp.package}/.UnicodeIME`

/** Milliseconds for giving it back, whatever became of the caller. */
const restoreMs = 5000
/** Android connects a keyboard to the field a moment after it became the default. */
const bindMs = 2000
/** Where the phone does not tell whether it has. */
const unknownBindMs = 200

/** The user's keyboard while ours stands in for it. */
export interface RememberedKeyboard {
  get(): string | null
  /** On disk when it returns. */
  set(keyboard: string | null): void
}

export interface KeyboardLoan {
  /** Makes ours the phone's. @throws after it was given back */
  borrow(progress: Progress): Promise<void>
  /** Never throws: what fails is done by `keep`. */
  giveBack(): Promise<void>
  /** Gives back what an earlier try left; looks at the phone only when something is remembered. */
  keep(progress: Progress): Promise<void>
}

const isComponent = (text: string): boolean => /^[\w.]+\/[\w.$]+$/.test(text)

export interface KeyboardParts {
  transport: Transport
  remembered: RememberedKeyboard
  log: Logger
}

export function createKeyboardLoan({ transport, remembered, log }: KeyboardParts): KeyboardLoan {
  /** Typing and a read of the clipboard may overlap. */
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
    // Where the phone had none, it chooses for itself.
    await run(transport, command('ime', 'disable', ourKeyboard), progress)
    const now = await read(progress)
    if (now === ourKeyboard || (isComponent(before) && now !== before))
      throw new Error(`the keyboard is ${now}, and should be ${before}`)
    remembered.set(null)
  }

  const loan: KeyboardLoan = {
    async borrow(progress) {
      const before = await read(progress)
      // One of ours that stands there already was left by a try that broke: what it replaced is remembered.
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
