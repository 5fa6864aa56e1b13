/**
 * Types any Unicode text with only the shell: `input text` sends key events in modified UTF-7, which the
 * keyboard of io.appium.settings decodes. Slow: each piece starts a process, and each key waits for the
 * previous key.
 */
import { DeadlineExceeded } from '@phonerack/shared'
import { command } from '../../adb/quote.js'
import type { Transport } from '../../adb/transport.js'
import { inputTextParts } from '../shell/input-commands.js'
import { DeviceGone, TextMethodUnavailable, type TextMethod } from '../../adb/device/device.js'
import { run } from '../../adb/device/run.js'
import type { KeyboardSwitch } from './keyboard.js'
import { encodeModifiedUtf7, piecesOf } from './modified-utf7.js'

/** UTF-16 units of one `input text`; about 2.7 keys each. */
const pieceLength = 500

export function createKeyboardText(transport: Transport, keyboard: KeyboardSwitch): TextMethod {
  return {
    name: 'keyboard',
    mode: 'insert',
    accepts: () => true,
    limitMs: (text) => 20_000 + text.length * 25,
    async send(text, _field, progress) {
      try {
        await keyboard.select(progress)
      } catch (error) {
        if (error instanceof DeviceGone || error instanceof DeadlineExceeded) throw error
        throw new TextMethodUnavailable('the keyboard of io.appium.settings could not be selected', error)
      }
      try {
        for (const piece of piecesOf(text, pieceLength))
          for (const part of inputTextParts(encodeModifiedUtf7(piece)))
            await run(transport, command('input', 'text', part), progress)
        return { sure: true, release: () => keyboard.restore() }
      } catch (error) {
        await keyboard.restore()
        throw error
      }
    },
  }
}
