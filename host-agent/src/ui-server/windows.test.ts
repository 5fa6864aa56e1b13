import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { withoutBars } from './windows.js'

const window = (packageName: string, bounds: string, inside: string) =>
  `<android.widget.FrameLayout package="${packageName}" bounds="${bounds}" clickable="true" text="root">${inside}</android.widget.FrameLayout>`
const text = (said: string) => `<android.widget.TextView text="${said}" bounds="[0,0][10,10]" />`
const page = (...windows: string[]) =>
  `<?xml version='1.0' encoding='UTF-8' ?>\r\n<hierarchy rotation="0">${windows.join('\r\n')}</hierarchy>`

const app = window('com.example.app', '[0,0][1080,2400]', text('Hello'))
const status = window('com.android.systemui', '[0,0][1080,80]', text('12:00'))
const navigation = window('com.android.systemui', '[0,2274][1080,2400]', text('Back'))
const shade = window('com.android.systemui', '[0,0][1080,2400]', text('Wi-Fi'))
const keys = window('com.google.android.inputmethod.latin', '[0,1500][1080,2274]', text('Search'))

describe('windows of a tree', () => {
  it('exclude the bars', () => {
    expect(withoutBars(page(status, app, navigation))).toBe(page(app))
  })

  it('keep the bars when there is nothing else', () => {
    expect(withoutBars(page(status, navigation))).toBe(page(status, navigation))
  })

  it('include the shade and the app behind it', () => {
    expect(withoutBars(page(shade, app))).toContain('Wi-Fi')
  })

  it('reduce a keyboard to its bounds', () => {
    const tree = withoutBars(page(keys, app))
    expect(tree).toContain('bounds="[0,1500][1080,2274]" />')
    expect(tree).not.toContain('Search')
    expect(tree).toContain('Hello')
  })

  it('reduce a keyboard to the bounds of its keys when its window is as large as the screen', () => {
    const key = (bounds: string) => `<android.view.View clickable="true" bounds="${bounds}" text="q" />`
    const large = `<android.widget.FrameLayout package="com.google.android.inputmethod.latin" bounds="[0,80][1080,2400]">${key('[0,1600][100,1700]')}${key('[900,2200][1080,2300]')}</android.widget.FrameLayout>`
    const tree = withoutBars(page(large, app))
    expect(tree).toContain('bounds="[0,1600][1080,2300]" />')
    expect(tree).not.toContain('text="q"')
  })

  it('never throw, and keep unrecognised input', () => {
    fc.assert(
      fc.property(fc.nat(page(status, app, keys).length), fc.string(), (at, junk) => {
        const whole = page(status, app, keys)
        expect(typeof withoutBars(whole.slice(0, at) + junk)).toBe('string')
        if (!junk.includes('<')) expect(withoutBars(junk)).toBe(junk)
      }),
    )
  })
})
