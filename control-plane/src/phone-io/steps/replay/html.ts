/**
 * Writes one HTML file that plays a session. Texts from phones and tenants are only in blocks of JSON, and
 * the page's policy allows only the file's own script and style.
 */
import { type FileStore } from '../../../files/storage/file-store.js'
import { type Session } from '../export.js'
import { stepJson } from '../json.js'
import { pictureData } from '../picture-data.js'
import { replayParts } from './parts.js'

/** Encodes JSON for a script element: no text can end the element, or begin a comment in it. */
export const inScript = (value: unknown): string =>
  JSON.stringify(value)
    .replace(/[<>&]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`)
    .replace(/[\u2028\u2029]/g, (character) => `\\u${character.charCodeAt(0).toString(16)}`)

const block = (kind: 'session' | 'screen' | 'step' | 'end', value: unknown): string =>
  `<script type="application/json" data-kind="${kind}">${inScript(value)}</script>\n`

export async function* writeHtml(store: FileStore, session: Session): AsyncGenerator<string> {
  const { head, foot } = replayParts()
  yield head
  yield block('session', { phone: session.phoneId, session: session.sessionId })
  const written = new Set<string>()
  for await (const { view, row } of session.steps) {
    // A screen that is after one step and before the next is in the file once.
    for (const screen of [view.before, view.after]) {
      if (!screen || written.has(screen.snapshot_id)) continue
      written.add(screen.snapshot_id)
      yield block('screen', screen)
    }
    const json = stepJson(view, 'none')
    const data = await pictureData(store, row)
    yield block('step', {
      ...json,
      before: view.before?.snapshot_id ?? null,
      after: view.after?.snapshot_id ?? null,
      picture: json.picture && data !== null ? { ...json.picture, data } : null,
    })
  }
  yield block('end', { is_cut: session.isCut() })
  yield foot
}
