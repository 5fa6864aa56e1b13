import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { find, get, launch, press, tap, textOf, treeOf } from '../../testing/ui-tree.js'
import { makeWorld } from '../index.js'
import { KEY } from '../window/keys.js'
import { type PhoneWorld } from '../window/world.js'
import { timeBits } from './time-blocks.js'

let world: PhoneWorld
let now = Date.parse('2026-01-05T10:20:30.250Z')
beforeEach(() => {
  now = Date.parse('2026-01-05T10:20:30.250Z')
  world = makeWorld({ now: () => new Date(now) })
})
afterEach(() => {
  world.close()
})

function type(field: string, text: string): void {
  tap(world, field)
  expect(world.commitText(text)).toBe(true)
  press(world, KEY.back)
}

const texts = (id: string): string[] =>
  treeOf(world).flatMap(({ attributes: a }) =>
    a['resource-id']?.endsWith(`:id/${id}`) ? [a['text'] ?? ''] : [],
  )

describe('the shop', () => {
  it('finds, sorts, fills a cart and accepts an order with a valid form', () => {
    launch(world, 'com.phonerack.shop')
    type('search', 'kitchen')
    expect(textOf(world, 'count')).toBe('6 products')
    tap(world, 'Sort: name')
    expect(texts('product_name').slice(0, 2)).toEqual(['Enamel Mug', 'Salt Mill'])
    tap(world, 'Enamel Mug')
    tap(world, 'Add to cart')
    tap(world, 'Add to cart')
    tap(world, 'Cart')
    tap(world, 'One more')
    expect(textOf(world, 'pieces')).toBe('3')
    expect(textOf(world, 'sum_total')).toBe('€43.60')
    tap(world, 'Check out')
    tap(world, 'order')
    expect(texts('email_error')).toEqual(['Enter a valid e-mail address'])
    type('name', 'Ada Lovelace')
    type('email', 'ada@example.org')
    type('street', 'Row 1')
    type('postcode', '12345')
    type('card', '4111 1111 1111 1112')
    tap(world, 'order')
    expect(texts('card_error')).toEqual(['This card number is not valid'])
    expect(find(world, 'email_error')).toBeUndefined()
    tap(world, 'card')
    press(world, KEY.moveEnd)
    press(world, KEY.del)
    world.commitText('1')
    press(world, KEY.back)
    tap(world, 'order')
    expect(textOf(world, 'order_number')).toBe('Order 1001')
    tap(world, 'Continue shopping')
    expect(find(world, 'cart_count')).toBeUndefined()
  })

  it('does not sell products that are sold out', () => {
    launch(world, 'com.phonerack.shop')
    type('search', 'espresso')
    tap(world, 'Espresso Cups')
    expect(get(world, 'add_to_cart').attributes['enabled']).toBe('false')
  })
})

describe('the bank', () => {
  it('logs in with the code from the notification and the message, and is black in screenshots', async () => {
    launch(world, 'com.phonerack.bank')
    type('user', 'demo')
    type('password', 'wrong')
    tap(world, 'Log in')
    expect(textOf(world, 'error')).toBe('User name or password is wrong')
    tap(world, 'password')
    for (let i = 0; i < 5; i++) press(world, KEY.del)
    world.commitText('phonerack')
    press(world, KEY.back)
    tap(world, 'Log in')
    const code = /^\d{6}/.exec(world.notifications[0]?.text ?? '')?.[0] ?? ''
    expect(code).toHaveLength(6)
    world.expandNotifications()
    tap(world, 'Rack Bank')
    expect(texts('message_text').at(-1)).toContain(code)
    launch(world, 'com.phonerack.bank')
    type('code', code === '000000' ? '000001' : '000000')
    tap(world, 'Confirm')
    expect(textOf(world, 'error')).toBe('This code is wrong')
    tap(world, 'code')
    for (let i = 0; i < 6; i++) press(world, KEY.del)
    world.commitText(code)
    press(world, KEY.back)
    tap(world, 'Confirm')
    expect(textOf(world, 'balance')).toBe('€1,856.60')
    const { width, height } = world.display
    const pixels = await world.screenshotRgba()
    const middle = pixels.subarray((height / 2) * width * 4, (height / 2 + 1) * width * 4)
    expect(middle.every((byte, i) => byte === (i % 4 === 3 ? 255 : 0))).toBe(true)
  })
})

describe('messages', () => {
  it('sends, and the echo answers', () => {
    launch(world, 'com.phonerack.messages')
    tap(world, 'Echo')
    type('compose_message_text', 'Hello 👋')
    tap(world, 'Send')
    expect(texts('message_text').slice(-2)).toEqual(['Hello 👋', 'Hello 👋'])
    expect(get(world, 'compose_message_text').attributes['text']).toBe('Text message')
  })
})

describe('maps', () => {
  it('asks for the permission, then shows the phone’s location and follows it', () => {
    launch(world, 'com.phonerack.maps')
    tap(world, 'My location')
    expect(world.focused.package).toBe('com.android.permissioncontroller')
    expect(textOf(world, 'permission_message')).toContain('Maps')
    tap(world, 'While using the app')
    expect(world.focused.package).toBe('com.phonerack.maps')
    expect(textOf(world, 'place_name')).toBe('In Berlin')
    world.setLocation({ latitude: 35.6895, longitude: 139.6917 })
    expect(textOf(world, 'place_name')).toBe('In Tokyo')
    expect(textOf(world, 'coordinates')).toBe('35.68950, 139.69170')
    world.applySetting('secure', 'location_mode', '0')
    expect(textOf(world, 'place_name')).toBe('Location is off')
  })
})

describe('the clock', () => {
  it('is never idle on its face, and shows the time zone', async () => {
    launch(world, 'com.android.deskclock')
    expect(world.idle).toBe(false)
    world.setConfiguration({ timeZone: 'Asia/Tokyo' })
    expect(textOf(world, 'digital_clock')).toBe('7:20:30 PM')
    const before = await world.screenshotRgba()
    now += 400
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect((await world.screenshotRgba()).equals(before)).toBe(false)
    tap(world, 'Alarm')
    expect(world.idle).toBe(true)
  })

  it('is drawn continuously only while a client watches', async () => {
    launch(world, 'com.android.deskclock')
    let frames = 0
    const stop = world.onChange(() => frames++)
    await expect.poll(() => frames, { timeout: 5000 }).toBeGreaterThan(3)
    press(world, KEY.home)
    await new Promise((resolve) => setTimeout(resolve, 100))
    const still = frames
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(frames).toBe(still)
    stop()
  })
})

describe('the browser', () => {
  it('reads bundled pages without ids, follows links, and sends a form', () => {
    launch(world, 'com.android.browser')
    tap(world, 'Write to us')
    type('Your name', 'Ada')
    tap(world, 'Send')
    expect(find(world, 'We will write to Ada')).toBeDefined()
    tap(world, 'Front page')
    expect(textOf(world, 'url_bar')).toBe('https://news.test/')
    const inPage = treeOf(world).filter((n) => n.attributes['class'] === 'android.view.View')
    expect(inPage.length).toBeGreaterThan(2)
    expect(inPage.every((n) => n.attributes['resource-id'] === '')).toBe(true)
    press(world, KEY.back)
    expect(textOf(world, 'url_bar')).toBe('https://form.test/thanks')
  })
})

describe('trouble', () => {
  it('crashes, hangs, has 1,500 nodes, and is never idle', () => {
    launch(world, 'com.phonerack.trouble')
    tap(world, '1,500 nodes')
    expect(treeOf(world).length).toBeGreaterThan(1500)
    press(world, KEY.back)
    tap(world, 'Never idle')
    expect(world.idle).toBe(false)
    press(world, KEY.back)
    tap(world, 'Crash')
    expect(textOf(world, 'alertTitle')).toBe('Trouble has stopped')
    tap(world, 'Close app')
    expect(world.focused.package).toBe('com.android.launcher3')
  })
})

describe('the time in blocks', () => {
  /** The blocks, white or black, in reading order, from a picture's pixels. */
  const seen = async (): Promise<boolean[]> => {
    // A quarter of the display's size.
    const [width, height] = [270, 600]
    const rgba = await world.screenshotRgba({ width, height })
    const { left, top, right, bottom } = get(world, 'Time in blocks').bounds
    return Array.from({ length: 48 }, (_, i) => {
      const x = Math.round((left + ((right - left) * ((i % 6) + 0.5)) / 6) / 4)
      const y = Math.round((top + ((bottom - top) * (Math.floor(i / 6) + 0.5)) / 8) / 4)
      return (rgba[(y * width + x) * 4] ?? 0) > 127
    })
  }

  it('is read back from the pixels, and advances', async () => {
    launch(world, 'com.phonerack.trouble')
    tap(world, 'Time in blocks')
    expect(await seen()).toEqual(timeBits(now))
    now += 12_345
    world.wake()
    expect(await seen()).toEqual(timeBits(now))
    expect(world.idle).toBe(false)
  })

  it('ends with the sum of its bytes', () => {
    const numberOf = (bits: boolean[]): bigint => bits.reduce((sum, bit) => sum * 2n + (bit ? 1n : 0n), 0n)
    expect(numberOf(timeBits(0x01_02_03_04_05))).toBe(0x01_02_03_04_05_0fn)
    expect(numberOf(timeBits(0x12_ff_ff_ff_ff_ff))).toBe(0xff_ff_ff_ff_ff_fbn)
  })
})

describe('the intent for alarms', () => {
  it('opens the alarms without showing the face', () => {
    world.startActivity({ action: 'android.intent.action.SHOW_ALARMS', categories: [], extras: {} })
    expect([world.focused.package, world.idle]).toEqual(['com.android.deskclock', true])
    expect(
      treeOf(world).filter((node) => node.attributes['resource-id']?.endsWith(':id/onoff')),
    ).toHaveLength(2)
  })
})

describe('the film', () => {
  it('plays until its end, stops on request, and moves only while it plays', async () => {
    let now = new Date('2026-01-05T10:20:00Z')
    const world = makeWorld({ now: () => now })
    const pass = (ms: number): void => {
      now = new Date(now.getTime() + ms)
      world.setBattery(world.batteryPercent)
    }
    launch(world, 'com.phonerack.gallery')
    tap(world, 'Clouds')
    const first = await world.screenshotRgba()
    expect([world.idle, textOf(world, 'time')]).toEqual([true, '0:00 / 0:20'])
    tap(world, 'Play')
    pass(7500)
    expect([world.idle, textOf(world, 'time')]).toEqual([false, '0:07 / 0:20'])
    expect((await world.screenshotRgba()).equals(first)).toBe(false)
    tap(world, 'Pause')
    pass(5000)
    expect([world.idle, textOf(world, 'time')]).toEqual([true, '0:07 / 0:20'])
    tap(world, 'Play')
    pass(60_000)
    expect([world.idle, textOf(world, 'time')]).toEqual([true, '0:20 / 0:20'])
    tap(world, 'Play')
    expect(textOf(world, 'time')).toBe('0:00 / 0:20')
    world.close()
  })
})
