/**
 * Text through scrcpy's control socket: printable ASCII as key events (INJECT_TEXT),
 * everything else through the clipboard, which is restored after the field is read.
 */
import { Progress, type Logger } from '@phonerack/shared'
import { DeviceGone, TextMethodUnavailable, type SentText, type TextMethod } from '../../adb/device/device.js'
import type { ControlSocket } from './control-socket.js'
import type { ScrcpyKeeper } from './keeper.js'
import { clipboardLimit, textLimit, textMessage } from './messages.js'

/** Milliseconds for restoring the clipboard, independent of the caller's deadline. */
const restoreMs = 1000

/**
 * Whether INJECT_TEXT types all characters of the text on every phone. It drops other characters where the key map
 * lacks them.
 */
export const isKeyText = (text: string): boolean => /^[\x20-\x7e]*$/.test(text)

const nothingBorrowed: SentText = { sure: true, release: () => Promise.resolve() }

/**
 * Types by key events. `mostCharacters` limits the text, since a phone takes about a hundred characters a second this
 * way.
 */
export function createKeyText(keeper: ScrcpyKeeper, mostCharacters: number): TextMethod {
  return {
    name: 'keys',
    mode: 'insert',
    accepts: (text) => isKeyText(text) && text.length <= mostCharacters,
    limitMs: (text) => 10_000 + text.length * 10,
    async send(text, _field, progress) {
      const control = await socketOf(keeper, progress)
      const messages: Buffer[] = []
      for (let at = 0; at < text.length; at += textLimit)
        messages.push(textMessage(text.slice(at, at + textLimit)))
      await control.send(Buffer.concat(messages), progress)
      return nothingBorrowed
    },
  }
}

/**
 * Types by the clipboard and PASTE. The server presses PASTE without waiting for the app to read the clipboard, so
 * `release` restores the previous content only after the field was read.
 */
export function createPasteText(keeper: ScrcpyKeeper, log: Logger): TextMethod {
  return {
    name: 'paste',
    mode: 'insert',
    accepts: (text) => Buffer.byteLength(text) <= clipboardLimit,
    limitMs: () => 10_000,
    async send(text, _field, progress) {
      const control = await socketOf(keeper, progress)
      const before = await control.getClipboard(progress)
      const release = () => putBack(control, before ?? '', log)
      try {
        await control.setClipboard(text, true, progress)
        return { sure: true, release }
      } catch (error) {
        await release()
        throw error
      }
    },
  }
}

/** Also runs after an abort, so that typed text does not stay in the clipboard. */
async function putBack(control: ControlSocket, text: string, log: Logger): Promise<void> {
  if (control.closed) return
  const within = Progress.for(restoreMs)
  try {
    await control.setClipboard(text, false, within)
    if (text !== '' && (await control.getClipboard(within)) !== text)
      log.warn('the clipboard was not restored after typing')
  } catch (error) {
    log.warn({ err: error }, 'the clipboard could not be restored after typing')
  }
}

/** @throws TextMethodUnavailable when the server does not restart in time: nothing was sent, so another method can be tried */
async function socketOf(keeper: ScrcpyKeeper, progress: Progress): Promise<ControlSocket> {
  try {
    return await keeper.socket(progress)
  } catch (error) {
    if (!(error instanceof DeviceGone)) throw error
    throw new TextMethodUnavailable('the scrcpy server is not running', error)
  }
}
