/**
 * Reads and sets the clipboard through scrcpy's server, which Android allows in the background. The server
 * does not answer when the clipboard is empty, nor when Android denies the read. io.appium.settings
 * distinguishes the two cases: it reads while its keyboard is selected, after which the user's keyboard is
 * restored.
 */
import { ApiError, type Progress } from '@phonerack/shared'
import type { Transport } from '../../adb/transport.js'
import type { Clipboard } from '../../adb/device/device.js'
import { writing } from '../../adb/device/outcome.js'
import type { ScrcpyKeeper } from '../../capture/scrcpy/keeper.js'
import type { KeyboardSwitch } from './keyboard.js'
import { broadcast } from './settings-app.js'

interface ClipboardParts {
  transport: Transport
  keeper: ScrcpyKeeper
  /** Whether the enrolment could read back the text that it had set. */
  readProven: boolean
  hasSettingsApp: boolean
  keyboard: KeyboardSwitch
}

export function createClipboard({
  transport,
  keeper,
  readProven,
  hasSettingsApp,
  keyboard,
}: ClipboardParts): Clipboard {
  /** The agent set the clipboard, so a missing answer does not mean that the clipboard is empty. */
  let setByAgent = false

  async function readByKeyboard(progress: Progress): Promise<string> {
    await keyboard.select(progress)
    try {
      const answer = await broadcast(transport, 'ClipboardReceiver', 'clipboard.get', [], progress)
      if (!answer.ok) throw unavailable()
      return Buffer.from(answer.data.replace(/\s/g, ''), 'base64').toString('utf8')
    } finally {
      await keyboard.restore()
    }
  }

  return {
    async get(progress) {
      const control = await keeper.socket(progress)
      const text = await control.getClipboard(progress)
      if (text !== null) return text
      if (readProven && !setByAgent) return ''
      if (!hasSettingsApp) throw unavailable()
      const read = await readByKeyboard(progress)
      // The agent set the clipboard, so either Android denies this read, or an app cleared the clipboard.
      if (read === '' && setByAgent) throw unavailable()
      return read
    },
    async set(text, progress) {
      const control = await keeper.socket(progress)
      await writing('the clipboard', async () => {
        await control.setClipboard(text, false, progress)
        setByAgent = true
        // The server acknowledges only the attempt. On phones where reads do not work, the acknowledgement is the only
        // evidence.
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
