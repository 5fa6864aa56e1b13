/** Text at the cursor, text from a viewer, and the keyboard. */
import { randomBytes } from 'node:crypto'
import type { Progress } from '@phonerack/shared'
import { command } from '../../../adb/quote.js'
import { need } from '../../grpc/call.js'
import { ViewerInput, type InputEvent } from '../../../media/live/viewer-input.js'
import { Failed, type Check } from '../check.js'
import { timed, type PhoneUnderTest } from '../phone.js'
import { observeScreen, runActions } from './screen.js'
import { openSearch, typedText } from './text.js'
import { film } from './video.js'

async function setClipboard(phone: PhoneUnderTest, progress: Progress): Promise<string> {
  const text = `kept ${randomBytes(4).toString('hex')}`
  await phone
    .gate()
    .write('clipboard', phone.caller(), progress, (device, within) =>
      need(device.clipboard, 'clipboard').set(text, within),
    )
  return text
}

const readClipboard = (phone: PhoneUnderTest, progress: Progress): Promise<string> =>
  phone
    .gate()
    .read(phone.caller(), progress, (device, within) => need(device.clipboard, 'clipboard').get(within))

async function readKeyboard(phone: PhoneUnderTest, progress: Progress): Promise<string> {
  const transport = await phone.transport(progress)
  const asked = command('settings', 'get', 'secure', 'default_input_method')
  return (await transport.shell(asked, progress)).stdout.toString('utf8').trim()
}

/** @throws Failed that names the state that typing changed and did not restore */
function requireKept(what: string, before: string, after: string): void {
  if (before !== after) throw new Failed(`typing changed the ${what} from “${before}” to “${after}”`)
}

export const insert: Check = {
  name: 'insert',
  claim: 'Text is inserted at the cursor, and clipboard and keyboard are as before.',
  needs: ['text', 'clipboard'],
  limitMs: 120_000,
  async run(phone, progress) {
    await openSearch(phone, progress)
    const clipboard = await setClipboard(phone, progress)
    const keyboard = await readKeyboard(phone, progress)
    const parts = ['Grüße', ' 世界', ' ok']
    const { ms } = await timed(() =>
      runActions(
        phone,
        parts.map((text, index) => ({ type: 'type', text, clear: index === 0 }) as const),
        progress,
      ),
    )
    const seen = await typedText(phone, progress)
    const evidence = [`the field has “${seen}”`, `keyboard: ${keyboard}`]
    if (seen !== parts.join(''))
      throw new Failed(`typed “${parts.join('')}”, the field has “${seen}”`, { evidence })
    requireKept('clipboard', clipboard, await readClipboard(phone, progress))
    requireKept('keyboard', keyboard, await readKeyboard(phone, progress))
    return { evidence, times: { typed: ms } }
  },
}

/** `KEYCODE_W`. */
const letterKey = 51
const key = (down: boolean): InputEvent => ({
  $case: 'key',
  value: { down, keyCode: letterKey, metaState: 0, repeat: 0 },
})
const text = (typed: string): InputEvent => ({ $case: 'text', value: { text: typed } })
const events = [text('Hello '), key(true), key(false), text('世界'), key(true), key(false), text('👋!')]
const expected = 'Hello w世界w👋!'

export const viewerText: Check = {
  name: 'viewer_text',
  claim: 'Text of a viewer arrives in order, by keys and by paste, while a video plays.',
  needs: ['text', 'video', 'clipboard'],
  limitMs: 120_000,
  async run(phone, progress) {
    await openSearch(phone, progress)
    const clipboard = await setClipboard(phone, progress)
    const stream = await film(phone, progress)
    try {
      const { ms } = await timed(() =>
        phone.gate().watch(phone.caller(), progress, (device, within) =>
          within.race(
            'typing',
            () =>
              new Promise<void>((resolve) => {
                const input = new ViewerInput(device, within, phone.log, resolve)
                for (const event of events) input.add(event)
              }),
          ),
        ),
      )
      const seen = await typedText(phone, progress)
      const evidence = [`the field has “${seen}”`, `${stream.packets.length} pictures meanwhile`]
      if (stream.end !== null) throw new Failed(`the video ended: ${stream.end}`, { evidence })
      if (seen !== expected) throw new Failed(`typed “${expected}”, the field has “${seen}”`, { evidence })
      requireKept('clipboard', clipboard, await readClipboard(phone, progress))
      return { evidence, times: { typed: ms } }
    } finally {
      stream.close()
    }
  },
}

export const keyboard: Check = {
  name: 'keyboard',
  claim: 'The keyboard is recognised: its keys are not among the elements, and it can be hidden.',
  needs: ['text'],
  limitMs: 60_000,
  async run(phone, progress) {
    await openSearch(phone, progress)
    const open = await observeScreen(phone, progress)
    const method = await readKeyboard(phone, progress)
    const [name = ''] = method.split('/')
    const keys = open.elements.filter(({ id }) => id?.startsWith(`${name}:`))
    const evidence = [`keyboard: ${method}`, `${open.elements.length} elements with the keyboard`]
    if (!open.keyboard.visible) throw new Failed('the keyboard of a focused field is not seen', { evidence })
    if (keys.length > 0)
      throw new Failed(`${keys.length} keys of the keyboard are among the elements`, { evidence })
    const { ms } = await timed(() => runActions(phone, [{ type: 'hide_keyboard' }], progress))
    if ((await observeScreen(phone, progress)).keyboard.visible)
      throw new Failed('the keyboard could not be hidden', { evidence })
    return { evidence, times: { hidden: ms } }
  },
}
