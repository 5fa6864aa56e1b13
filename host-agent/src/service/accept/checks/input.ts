/** Touches and keys. */
import type { Element, Observation, Progress } from '@phonerack/shared'
import { Failed, type Check } from '../check.js'
import { timed, type PhoneUnderTest } from '../phone.js'
import { settingsPackage } from './reading.js'
import { observeScreen, runActions, takePicture } from './screen.js'

/** The number of rows that are tried, since some rows open nothing. */
const tries = 4

export const tap: Check = {
  name: 'tap',
  claim: 'A tap reaches its element.',
  needs: ['tree'],
  limitMs: 120_000,
  async run(phone, progress) {
    const before = await openSettings(phone, progress)
    const rows = before.elements.filter(isRow).slice(0, tries)
    if (rows.length === 0) throw new Failed('the settings have no row with a text')
    for (const row of rows) {
      const { ms } = await timed(() =>
        runActions(
          phone,
          [{ type: 'tap', target: { ref: row.ref, snapshot_id: before.snapshot_id } }],
          progress,
        ),
      )
      const after = await observeScreen(phone, progress)
      if (!isSameScreen(before, after)) {
        const picture = await takePicture(phone, `After a tap on “${row.text ?? ''}”`, progress)
        return {
          evidence: [`“${row.text ?? ''}” opened another screen`],
          times: { tap: ms },
          pictures: [picture],
        }
      }
    }
    const names = rows.map(({ text }) => `“${text ?? ''}”`).join(', ')
    throw new Failed(`taps on ${names} changed nothing: input does not reach the phone`)
  },
}

export const key: Check = {
  name: 'key',
  claim: 'A key reaches the phone.',
  needs: ['tree'],
  limitMs: 60_000,
  async run(phone, progress) {
    await openSettings(phone, progress)
    const { ms } = await timed(() => runActions(phone, [{ type: 'home' }], progress))
    const after = await observeScreen(phone, progress)
    if (after.app.package === settingsPackage) throw new Failed('the home key left the settings in front')
    return { evidence: [`home brought ${after.app.package} to the front`], times: { key: ms } }
  },
}

export const scroll: Check = {
  name: 'scroll',
  claim: 'A scroll moves the content.',
  needs: ['tree'],
  limitMs: 60_000,
  async run(phone, progress) {
    const before = await openSettings(phone, progress)
    const { result, ms } = await timed(() =>
      runActions(phone, [{ type: 'scroll', direction: 'down' }], progress),
    )
    const after = await observeScreen(phone, progress)
    const evidence = [`moved: ${String(result[0]?.moved)}, at the end: ${String(result[0]?.at_end)}`]
    if (result[0]?.moved !== true || isSameScreen(before, after))
      throw new Failed('the settings did not scroll', { evidence, times: { scroll: ms } })
    return { evidence, times: { scroll: ms } }
  },
}

export async function openSettings(phone: PhoneUnderTest, progress: Progress): Promise<Observation> {
  await runActions(
    phone,
    [
      { type: 'close_app', package: settingsPackage },
      { type: 'open_app', package: settingsPackage },
    ],
    progress,
  )
  return observeScreen(phone, progress)
}

export const isRow = ({ text, state, id }: Element): boolean =>
  text !== null &&
  state.includes('clickable') &&
  !state.includes('editable') &&
  !/search/i.test(`${text} ${id ?? ''}`)

const namesOf = ({ app, elements }: Observation): string =>
  JSON.stringify([app, elements.map(({ type, text, desc, center }) => [type, text, desc, center])])

const isSameScreen = (one: Observation, other: Observation): boolean => namesOf(one) === namesOf(other)
