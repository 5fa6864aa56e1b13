/**
 * The clipboard through scrcpy's server, which may read it in the background. The
 * server does not answer for an empty clipboard, nor for one that it may not read;
 * io.appium.settings distinguishes the two: it reads while its own keyboard is
 * selected, and the user's keyboard is restored immediately.
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
  /** Whether the enrolment could read back the text it had set. */
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
  /** The agent set the clipboard, so silence no longer means that it is empty. */
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
      // Empty although the agent set it: denied for this method too, or emptied by an
      // app. The content is unknown.
      if (read === '' && holdsOurs) throw unavailable()
      return read
    },
    async set(text, progress) {
      const control = await keeper.socket(progress)
      await writing('the clipboard', async () => {
        await control.setClipboard(text, false, progress)
        holdsOurs = true
        // The server only acknowledges that it tried. Phones that never allow a read
        // offer no better check.
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
