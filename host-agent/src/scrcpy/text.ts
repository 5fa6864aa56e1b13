/**
 * Text through scrcpy's control socket: printable ASCII as key events
 * (INJECT_TEXT), everything else by way of the clipboard, which is put back
 * afterwards.
 */
import { ApiError, Progress } from '@phonerack/shared'
import type { TextInput } from '../device/device.js'
import type { ControlSocket } from './control-socket.js'
import type { ScrcpyKeeper } from './keeper.js'
import { clipboardLimit, textLimit, textMessage } from './messages.js'

/**
 * The server presses PASTE without waiting for the app to take it. Putting the clipboard back before
 * would paste the old text.
 */
const pasteSettleMs = 250

export const isKeyText = (text: string): boolean => /^[\x20-\x7e]*$/.test(text)

export function createScrcpyText(keeper: ScrcpyKeeper): TextInput {
  return {
    async type(text, progress) {
      const control = await keeper.socket(progress)
      if (isKeyText(text)) {
        const messages: Buffer[] = []
        for (let at = 0; at < text.length; at += textLimit)
          messages.push(textMessage(text.slice(at, at + textLimit)))
        await control.send(Buffer.concat(messages))
      } else {
        await paste(control, text, progress)
      }
    },
  }
}

async function paste(control: ControlSocket, text: string, progress: Progress): Promise<void> {
  if (Buffer.byteLength(text) > clipboardLimit) {
    throw new ApiError('validation_failed', { message: 'The text is too long to be pasted at once.' })
  }
  const before = await control.getClipboard(progress)
  try {
    await control.setClipboard(text, true, progress)
    await progress.sleep(pasteSettleMs, 'paste')
  } finally {
    // Also after an abort: what was typed does not stay behind in the clipboard.
    if (!control.closed) await control.setClipboard(before ?? '', false, Progress.for(1000))
  }
}
