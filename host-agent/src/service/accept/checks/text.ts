/** Typing text in several scripts into the search field of the settings. */
import type { Element, Progress } from '@phonerack/shared'
import { Failed, type Check } from '../check.js'
import { timed, type PhoneUnderTest } from '../phone.js'
import { openSettings } from './input.js'
import { observeScreen, runActions, takePicture, tryActions } from './screen.js'

const scripts: Readonly<Record<string, string>> = {
  ascii: 'Hello world 123',
  german: 'Grüße aus Köln',
  chinese: '世界你好',
  japanese: 'こんにちは世界',
  arabic: 'مرحبا بالعالم',
  hindi: 'नमस्ते दुनिया',
  emoji: 'ok 👋🏽 🎉',
}

/** Milliseconds until the search field has the focus. */
const focusMs = 10_000

export const text: Check = {
  name: 'text',
  claim: 'Text in any script arrives in a field unchanged.',
  needs: ['tap'],
  limitMs: 240_000,
  async run(phone, progress) {
    const field = await openSearch(phone, progress)
    const evidence = [`field: ${field.id ?? field.type}`]
    const times: Record<string, number> = {}
    const wrong: string[] = []
    for (const [script, typed] of Object.entries(scripts)) {
      const { result, ms } = await timed(() =>
        tryActions(phone, [{ type: 'type', text: typed, clear: true }], progress),
      )
      times[script] = ms
      const failure = result[0]?.error
      const seen = await typedText(phone, progress)
      const arrived = failure === undefined && seen === typed
      evidence.push(`${script}: ${arrived ? 'arrived' : `typed “${typed}”, the field has “${seen}”`}`)
      if (!arrived) wrong.push(`${script} (${failure?.code ?? 'changed'})`)
    }
    const pictures = [await takePicture(phone, 'The last text', progress)]
    if (wrong.length > 0)
      throw new Failed(`did not arrive: ${wrong.join(', ')}`, { evidence, times, pictures })
    return { evidence, times, pictures }
  },
}

const isFocusedField = ({ state }: Element): boolean =>
  state.includes('editable') && state.includes('focused')

/** Returns the text of the focused field; empty when no field has the focus. */
export const typedText = async (phone: PhoneUnderTest, progress: Progress): Promise<string> =>
  (await observeScreen(phone, progress)).elements.find(isFocusedField)?.text ?? ''

/** AOSP's ID comes first, since makers name the search differently. */
const isSearch = ({ id, text: label, desc }: Element): boolean =>
  /search/i.test(`${id ?? ''} ${label ?? ''} ${desc ?? ''}`)

export async function openSearch(phone: PhoneUnderTest, progress: Progress): Promise<Element> {
  const seen = await openSettings(phone, progress)
  const search = seen.elements.find(isSearch)
  if (search === undefined) throw new Failed('the settings have no search field to type into')
  await runActions(
    phone,
    [{ type: 'tap', target: { ref: search.ref, snapshot_id: seen.snapshot_id } }],
    progress,
  )
  const within = progress.within(focusMs)
  for (;;) {
    const { elements } = await observeScreen(phone, progress)
    const focused = elements.find(isFocusedField)
    if (focused !== undefined) return focused
    if (within.expired) throw new Failed('the search of the settings has no focused field')
    const field = elements.find(({ state }) => state.includes('editable'))
    if (field !== undefined)
      await runActions(phone, [{ type: 'tap', target: { x: field.center[0], y: field.center[1] } }], progress)
    await within.sleep(200, 'the focus')
  }
}
