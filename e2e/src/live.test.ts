/**
 * A person's live view of a virtual phone, in a real Chromium: the view shows the phone, and accepts taps,
 * keys and pasted text.
 */
import { describe, expect, it } from 'vitest'
import { act, tap } from './conformance/rented.js'
import { liveView, patience } from './live-view.js'
import { coloursOf } from './system/live-pages.js'
import { eventually } from './system/tenant.js'

const view = liveView()

describe('the live view', () => {
  it('shows the screen, and a tap on it opens an app; Home leads back [26.5]', async () => {
    await act(view.phone, { type: 'home' })
    const page = await view.openLive(await view.newLink())
    expect(await coloursOf(page)).toBeGreaterThan(50)
    const { x, y } = await view.placeOf(page, { text: 'Notes' })
    await page.mouse.click(x, y)
    await view.opens('notes')
    await page.click('#home')
    await view.shows('Contacts')
    await page.context().close()
  })

  it('sends typed text and editing keys, and pastes [26.6]', async () => {
    await act(view.phone, { type: 'open_app', package: 'com.phonerack.notes' }, tap({ desc: 'New note' }))
    const page = await view.openLive(await view.newLink())
    const { x, y } = await view.placeOf(page, { text: 'Title' })
    await page.mouse.click(x, y)
    await eventually('the field has the focus', patience, async () =>
      (await view.look()).elements.some(({ state }) => state.includes('focused')),
    )
    await page.keyboard.type('Grüße')
    await view.shows('Grüße')
    await page.keyboard.press('Backspace')
    await view.shows('"Grüß"')
    await page.click('#paste')
    await page.fill('#paste-text', ', 世界 👋')
    await page.click('#paste-dialog .loud')
    await view.shows('Grüß, 世界 👋')
    await page.context().close()
  })

  it('has no error in any page', () => {
    expect(view.complaints, view.complaints.join('\n')).toEqual([])
  })
})
