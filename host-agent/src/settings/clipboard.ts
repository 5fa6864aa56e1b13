/**
 * The clipboard by scrcpy's server, which may read it in the background. It does not answer for an empty clipboard nor
 * for one that it may not read; which of both it is, io.appium.settings tells: it reads while its own keyboard is the
 * phone's, which is put back at once.
 */
import { ApiError, type Progress } from '@phonerack/shared'
import type { Transport } from '../adb/transport.js'
import type { Clipboard } from '../device/device.js'
import { writing } from '../device/outcome.js'
import type { ScrcpyKeeper } from '../scrcpy/keeper.js'
import type { KeyboardLoan } from './keyboard.js'
import { ask } from './settings-app.js'

export interface ClipboardParts {
  transport: Transport
  keeper: ScrcpyKeeper
  /** Whether the enrolment read back what it had set. */
  readProven: boolean
  hasSettingsApp: boolean
  keyboard: KeyboardLoan
}

export function createClipboard({
  transport,
  keeper,
  readProven,
  hasSettingsApp,
  keyboard,
}: ClipboardParts): Clipboard {
  /** Something was put there by us, so that silence no longer means that it is empty. */
  let holdsOurs = false

  async function readByKeyboard(progress: Progress): Promise<string> {
    await keyboard.borrow(progress)
    try {
      const answer = await ask(transport, 'ClipboardReceiver', 'clipboard.get', [], progress)
      if (!answer.ok) throw unavailable()
      return Buffer.from(answer.data.replace(/\s/g, ''), 'base64').toString('utf8')
    } finally {
      await keyboard.giveBack()
    }
  }

  return {
    async get(progress) {
      const control = await keeper.socket(progress)
      const text = await control.getClipboard(progress)
      if (text !== null) return text
      if (readProven && !holdsOurs) return ''
      if (!hasSettingsApp) throw unavailable()
      const read = await readByKeyboard(progress)
      // Empty, where we had put something: denied this way too, or emptied by an app. Nobody knows.
      if (read === '' && holdsOurs) throw unavailable()
      return read
    },
    async set(text, progress) {
      const control = await keeper.socket(progress)
      await writing('the clipboard', async () => {
        await control.setClipboard(text, false, progress)
        holdsOurs = true
        // The server acknowledges that it tried. On a phone that never lets itself be read, nobody can tell more.
        const now = await control.getClipboard(progress)
        if (now === text || (now === null && !readProven)) return
        throw new ApiError(now === null ? 'action_outcome_unknown' : 'provider_error', {
          message:
            now === null
              ? 'The clipboard could not be read back from the phone.'
              : 'The clipboard contains a different text.',
        })
      })
    },
  }
}

const unavailable = (): ApiError =>
  new ApiError('clipboard_unavailable', {
    next: 'Setting the clipboard still works. To see a text, paste it into a field and observe the screen.',
  })
