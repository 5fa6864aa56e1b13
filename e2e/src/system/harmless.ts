/**
 * Hostile texts, and checks that they stayed text in a page, fit into the page, and did not change the
 * direction of other text.
 */
import { type Browser, type Page } from 'playwright-core'
import { expect } from 'vitest'
import { newPage } from './console-pages.js'

/** Ends the isolation of an element, changes the direction, and contains invisible characters. */
const marks = '\u2069\u202C\u200B\u202E\uFEFF'
/** The text has no slash, since it is also the name of a file. */
const markup = '<img src=x onerror=window.ran=1><svg onload=window.ran=1><script>window.ran=1'

/** @param length in characters */
export const hostile = (length: number): string =>
  `${marks}${markup}\u2067${'W'.repeat(length)}`.slice(0, length)

/** The text without direction characters, as the console shows it inside other text. */
export const undirected = (text: string): string => text.replace(/[\u202A-\u202E\u2066-\u2069]/g, '')

/** A page that adds dialogs, errors, violations of its policy and requests to other hosts to `complaints`. */
export async function watchedPage(browser: Browser, complaints: string[]): Promise<Page> {
  const page = await newPage(browser, { viewport: { width: 1440, height: 900 } }, complaints)
  page.on('dialog', (dialog) => {
    complaints.push(`a dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('request', (request) => {
    const { protocol, hostname, href } = new URL(request.url())
    const isOurs =
      ['data:', 'blob:', 'about:'].includes(protocol) || ['localhost', '127.0.0.1'].includes(hostname)
    if (!isOurs) complaints.push(`a request to ${href}`)
  })
  return page
}

/** This is a text, since the policy of the page refuses functions. */
const findings = `(() => {
  const width = document.documentElement.clientWidth
  const frames = 'section, main, [role=dialog], [role=alertdialog]'
  // A card hides text that is wider than the card.
  const isOutside = (box, limits) => box.right > Math.min(width, limits.right) + 1 || box.left < limits.left - 1
  // A shortened or scrolling part may hide a part of its text, if the part itself is inside the frame.
  const isCut = (element, limits) => {
    for (let at = element; at && !at.matches(frames); at = at.parentElement)
      if (getComputedStyle(at).overflowX !== 'visible' && !isOutside(at.getBoundingClientRect(), limits)) return false
    return true
  }
  const found = { ran: window.ran === 1, markup: 0, tooWide: 0, cut: [], turned: [] }
  found.markup = document.querySelectorAll('[onerror], [onload], img[src="x"], main script').length
  for (const frame of [document.documentElement, ...document.querySelectorAll('[role=dialog], [role=alertdialog]')])
    found.tooWide = Math.max(found.tooWide, frame.scrollWidth - frame.clientWidth)
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const range = document.createRange()
  const boxOf = (node, from, to) => {
    range.setStart(node, from)
    range.setEnd(node, to)
    return range.getBoundingClientRect()
  }
  while (texts.nextNode()) {
    const node = texts.currentNode
    const whole = boxOf(node, 0, node.length)
    if (whole.width === 0 || node.parentElement.closest('.sr-only')) continue
    const limits = (node.parentElement.closest(frames) ?? document.documentElement).getBoundingClientRect()
    if (isOutside(whole, limits) && isCut(node.parentElement, limits)) found.cut.push(node.data.slice(0, 40))
    // Text of other people may change its own direction, but not the direction of other text.
    const at = /[\\u202A-\\u202E\\u2066-\\u2069]/.test(node.data) ? -1 : node.data.search(/[A-Za-z0-9]{2}/)
    if (at < 0) continue
    const [one, next] = [boxOf(node, at, at + 1), boxOf(node, at + 1, at + 2)]
    if (one.width > 0 && Math.abs(one.top - next.top) < 2 && one.left > next.left) found.turned.push(node.data.slice(0, 40))
  }
  return found
})()`

/**
 * Checks the page in the width of a phone and on a wide screen.
 * @param where for the message
 */
export async function expectHarmless(page: Page, where: string): Promise<void> {
  for (const [width, height] of [
    [375, 812],
    [1440, 900],
  ] as const) {
    await page.setViewportSize({ width, height })
    const found = await page.evaluate(findings)
    const nothing = { ran: false, markup: 0, tooWide: 0, cut: [], turned: [] }
    expect([where, width, found]).toEqual([where, width, nothing])
    const shots = process.env['HOSTILE_SHOTS']
    if (shots !== undefined)
      await page.screenshot({ path: `${shots}/${where.replaceAll(' ', '-')}-${width}.png` })
  }
}
