/**
 * A person's live view of a virtual phone, in a real Chromium: other browsers, several people, a phone that
 * rotates, restarts or hides its screen, and the ends of a view. `live.test.ts` tests the first steps of a
 * person.
 */
import { hashSecret } from '@phonerack/shared'
import pg from 'pg'
import { type Page } from 'playwright-core'
import { describe, expect, inject, it } from 'vitest'
import { act, tap } from './conformance/rented.js'
import { liveView, patience } from './live-view.js'
import { forLater } from './system/api.js'
import { databaseUrl } from './system/database.js'
import { closesOf, coloursOf, desktop, digestOf, mobile } from './system/live-pages.js'
import { eventually, startAgain } from './system/tenant.js'

const smallest = { viewport: { width: 320, height: 568 }, hasTouch: true, isMobile: true }
const view = liveView()

const isWide = async (page: Page): Promise<boolean> => {
  const [width, height] = await Promise.all(
    ['width', 'height'].map(async (name) => Number(await page.locator('canvas').getAttribute(name))),
  )
  return (width ?? 0) > (height ?? 0)
}

async function turnsAndBack(page: Page): Promise<void> {
  await page.click('#rotate')
  await eventually('the picture is wide', patience, () => isWide(page))
  expect(await coloursOf(page)).toBeGreaterThan(1)
  await page.click('#rotate')
  await eventually('the picture is tall again', patience, async () => !(await isWide(page)))
}

describe('the live view', () => {
  it('rotates with the phone', async () => {
    const page = await view.openLive(await view.newLink())
    expect(await isWide(page)).toBe(false)
    await turnsAndBack(page)
    await page.context().close()
  })

  it('plays in a browser without WebCodecs: shows the screen, accepts taps, rotates', async () => {
    await act(view.phone, { type: 'home' })
    const page = await view.openLive(await view.newLink(), desktop, ['VideoDecoder'])
    expect(await page.locator('video').count()).toBe(1)
    expect(await coloursOf(page)).toBeGreaterThan(50)
    const { x, y } = await view.placeOf(page, { text: 'Notes' })
    const before = await digestOf(page)
    await page.mouse.click(x, y)
    await view.opens('notes')
    await eventually('the page shows it', patience, async () => (await digestOf(page)) !== before)
    await turnsAndBack(page)
    await page.context().close()
  })

  it('shows a message in a browser that cannot play video', async () => {
    const page = await view.open(await view.newLink(), desktop, [
      'VideoDecoder',
      'MediaSource',
      'ManagedMediaSource',
    ])
    await view.becomes(page, 'over')
    expect(await page.locator('#cover').innerText()).toContain('This browser cannot play the video')
    await page.context().close()
  })

  it('lets a second person watch on a phone, and a link without control accepts no input', async () => {
    await act(view.phone, { type: 'home' })
    const first = await view.openLive(await view.newLink())
    const second = await view.openLive(await view.newLink({ control: false }), mobile)
    expect(await coloursOf(second)).toBeGreaterThan(50)
    expect(await second.locator('#mode').isVisible()).toBe(true)
    expect(await second.locator('#home').isVisible()).toBe(false)
    const notes = await view.placeOf(second, { text: 'Notes' })
    await second.touchscreen.tap(notes.x, notes.y)
    const shop = await view.placeOf(first, { text: 'Shop' })
    await first.mouse.click(shop.x, shop.y)
    // If the second person's tap had opened Notes, this tap would hit a note.
    await view.opens('shop')
    await first.context().close()
    await second.context().close()
  })

  it('fits on the narrowest phone, and wakes a phone whose screen is off', async () => {
    const page = await view.openLive(await view.newLink(), smallest)
    const edges = await page.evaluate<number[]>(
      `[...document.querySelectorAll('header > *, #device, #controls, #controls button')]
        .filter((each) => each.checkVisibility())
        .flatMap((each) => [each.getBoundingClientRect().left, each.getBoundingClientRect().right])`,
    )
    expect(edges.length).toBeGreaterThan(10)
    expect(Math.min(...edges)).toBeGreaterThanOrEqual(0)
    expect(Math.max(...edges)).toBeLessThanOrEqual(320)
    await act(view.phone, { type: 'key', key: 'power' })
    await page.click('#wake', { timeout: patience })
    await page.waitForSelector('#cover', { state: 'hidden', timeout: patience })
    await eventually('the screen is on', patience, async () => (await coloursOf(page)) > 50)
    await page.context().close()
  })

  it('shows why the picture is black, while it is black', async () => {
    await act(view.phone, { type: 'open_app', package: 'com.phonerack.trouble' })
    const page = await view.openLive(await view.newLink())
    const panel = page.locator('#secure')
    expect(await panel.isVisible()).toBe(false)
    const { x, y } = await view.placeOf(page, { text: 'Secure screen' })
    await page.mouse.click(x, y)
    await panel.waitFor({ state: 'visible', timeout: patience })
    expect(await panel.innerText()).toContain('forbids pictures')
    await page.click('#home')
    await panel.waitFor({ state: 'hidden', timeout: patience })
    await page.context().close()
  })

  it('shows the text that an input method composes, and types it once it is chosen', async () => {
    await act(view.phone, { type: 'open_app', package: 'com.phonerack.notes' }, tap({ desc: 'New note' }))
    const page = await view.openLive(await view.newLink())
    const { x, y } = await view.placeOf(page, { text: 'Title' })
    await page.mouse.click(x, y)
    await eventually('the field has the focus', patience, async () =>
      (await view.look()).elements.some(({ state }) => state.includes('focused')),
    )
    const session = await page.context().newCDPSession(page)
    await session.send('Input.imeSetComposition', { text: 'にほん', selectionStart: 3, selectionEnd: 3 })
    await page.locator('#composition').getByText('にほん').waitFor()
    expect((await view.look()).text).not.toContain('にほん')
    await session.send('Input.insertText', { text: '日本' })
    await page.locator('#composition').waitFor({ state: 'hidden' })
    await view.shows('日本')
    await page.context().close()
  })

  it('reconnects after the phone’s reboot', async () => {
    const pages = [
      await view.openLive(await view.newLink()),
      await view.openLive(await view.newLink(), mobile, ['VideoDecoder']),
    ]
    const waiting = forLater(
      Promise.all(
        pages.map((page) => page.waitForSelector('body[data-state="reconnecting"]', { timeout: patience })),
      ),
    )
    expect((await view.phone.api.post(`${view.phone.path}/reboot`)).status).toBe(202)
    await waiting
    for (const page of pages) expect((await closesOf(page))[0]).toBe(4100)
    for (const page of pages) {
      await view.becomes(page, 'live')
      await eventually('a picture', patience, async () => (await coloursOf(page)) > 50)
      await page.context().close()
    }
  })

  it('ends with its link', async () => {
    const url = await view.newLink()
    const client = new pg.Client({ connectionString: await databaseUrl(inject('system')) })
    await client.connect()
    const page = await view.openLive(url)
    await client.query('update live_links set expires_at = now() where token_hash = $1', [
      hashSecret(new URL(url).hash.slice(1)),
    ])
    await client.end()
    await view.becomes(page, 'over')
    expect(await page.locator('#cover').innerText()).toContain('expired')
    await page.reload()
    await view.becomes(page, 'over')
    await page.context().close()
  })

  it('ends with the phone’s session, and with the phone', async () => {
    const ends = async (code: number, word: string, end: () => Promise<unknown>) => {
      const page = await view.openLive(await view.newLink())
      await end()
      await view.becomes(page, 'over')
      expect(await closesOf(page)).toEqual([code])
      expect(await page.locator('#cover').innerText()).toContain(word)
      await page.context().close()
    }
    await ends(4003, 'parked', () => view.phone.api.post(`${view.phone.path}/park`))
    expect((await startAgain(view.phone.api, view.phone.id, { max_duration: 3600 })).status).toBe('ready')
    await ends(4004, 'deleted', () => view.phone.api.delete(view.phone.path))
  })

  it('has no error in any page', () => {
    expect(view.complaints, view.complaints.join('\n')).toEqual([])
  })
})
