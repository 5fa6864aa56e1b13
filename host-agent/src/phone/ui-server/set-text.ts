/**
 * Text through the UI server: ACTION_SET_TEXT replaces the field's content by any Unicode text, and is
 * complete when the server answers. This is a write, which is sent only once, regardless of its outcome.
 */
import { DeviceGone, TextMethodUnavailable, type SentText, type TextMethod } from '../../adb/device/device.js'
import { UiServerDown, UiServerRefused } from './http.js'
import { UiServerUnavailable, type UiServerKeeper } from './keeper.js'

/** Errors by which the server reports that nothing was done (W3C WebDriver's names). */
const undone: ReadonlySet<string> = new Set([
  'invalid element state',
  'invalid argument',
  'no such element',
  'stale element reference',
])

const sent = (sure: boolean): SentText => ({ sure, release: () => Promise.resolve() })

export function createSetText(server: UiServerKeeper): TextMethod {
  return {
    name: 'set-text',
    mode: 'replace',
    // The server interprets a backslash and an `n` at the end as the enter key.
    accepts: (text) => !text.includes('\\n'),
    limitMs: () => 15_000,
    async send(text, field, progress) {
      if (!field) throw new TextMethodUnavailable('the field is unknown')
      const step = { asked: false }
      try {
        return await server.use(async (session, within) => {
          const element = await session.focusedField(field.className, within)
          step.asked = true
          await session.replaceText(element, text, within)
          return sent(true)
        }, progress)
      } catch (error) {
        const refused = error instanceof UiServerRefused
        const failed = refused || error instanceof UiServerDown || error instanceof UiServerUnavailable
        if (!step.asked && (failed || error instanceof DeviceGone))
          throw new TextMethodUnavailable('the UI server does not accept the text', error)
        if (refused && undone.has(error.code)) throw new TextMethodUnavailable(error.message, error)
        // The server died or failed during the call, so the caller reads the field.
        if (failed) return sent(false)
        throw error
      }
    },
  }
}
