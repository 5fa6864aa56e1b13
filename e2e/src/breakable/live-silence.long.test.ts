/**
 * A live page whose control plane hangs, in a real Chromium: the page shows that, sends no input, and
 * reconnects.
 */
import { expect, inject, it } from 'vitest'
import { act } from '../conformance/rented.js'
import { liveView, patience } from '../live-view.js'
import { pidOf } from '../system/processes.js'

const view = liveView()

it('a live page notices within seconds that its server hangs, and taps during that time never reach the phone', async () => {
  await act(view.phone, { type: 'home' })
  const home = (await view.look()).app.package
  const page = await view.openLive(await view.newLink())
  const { x, y } = await view.placeOf(page, { text: 'Notes' })
  const pid = await pidOf(inject('system'), 'control-plane')
  if (pid === null) throw new Error('no control plane')
  process.kill(pid, 'SIGSTOP')
  try {
    const from = performance.now()
    // The page does not know yet that the server hangs. The tap waits in the socket.
    await page.mouse.click(x, y)
    await page.waitForSelector('body[data-state="reconnecting"]', { timeout: patience })
    // The page needs 3 s, and more on a busy machine.
    expect(performance.now() - from).toBeLessThan(10_000)
    expect(await page.locator('#status-text').innerText()).toBe('Reconnecting')
    expect(await page.locator('#cover').isVisible()).toBe(true)
    expect(await page.locator('#home').isDisabled()).toBe(true)
    await page.mouse.click(x, y)
    // The test waits until the first tap is too old.
    await page.waitForTimeout(5000)
  } finally {
    process.kill(pid, 'SIGCONT')
  }
  await view.becomes(page, 'live')
  expect(await page.locator('#status-text').innerText()).toBe('Live')
  await page.waitForTimeout(2000)
  expect((await view.look()).app.package).toBe(home)
  await page.mouse.click(x, y)
  await view.opens('notes')
  await page.context().close()
})
