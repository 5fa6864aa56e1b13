/** The UiAutomator2 server over the phone's own port: its clients' requests, and its errors. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { get, launch, treeOf } from '../testing/ui-tree.js'
import { testAndroid } from '../testing/test-android.js'
import { call, instrumentation, startUia2, type Uia2 } from '../testing/uia2-client.js'

const phone = testAndroid()
const { android } = phone
const { world } = android
let uia2: Uia2
beforeAll(async () => {
  expect((await phone.run(`am instrument -w ${instrumentation}`)).code).toBe(1)
  uia2 = await startUia2(phone, { 'appium:appPackage': 'com.phonerack.notes' })
})
afterAll(() => phone.close())

const settings = 'com.android.settings'
const open = (name: string) => {
  world.forceStop(name)
  launch(world, name)
}
const errorOf = async (method: string, path: string, body?: unknown) => {
  const { status, value } = await uia2.call(method, path, body)
  const { error, message, stacktrace } = value as Record<string, string>
  expect(typeof stacktrace).toBe('string')
  expect(message).not.toBe('')
  return [status, error]
}

describe('the server', () => {
  it('reports its status, with the version of its APK', async () => {
    expect(await call(phone, 'GET', '/status')).toEqual({
      status: 200,
      sessionId: 'None',
      value: {
        ready: true,
        message: 'UiAutomator2 Server is ready to accept commands',
        build: {
          version: android.installed.find('io.appium.uiautomator2.server')?.apk.versionName,
          versionCode: android.installed.find('io.appium.uiautomator2.server')?.apk.versionCode,
        },
      },
    })
    const { value } = await call(phone, 'GET', '/wd/hub/sessions')
    expect(value).toMatchObject([{ capabilities: { appPackage: 'com.phonerack.notes' } }])
  })

  it('refuses with WebDriver error codes', async () => {
    expect(await errorOf('GET', '/nothing')).toEqual([404, 'unknown command'])
    expect(await errorOf('PUT', '$/source')).toEqual([404, 'unknown command'])
    expect(await errorOf('GET', '/session/none/source')).toEqual([404, 'invalid session id'])
    expect(await errorOf('POST', '$/element', 'no json')).toEqual([400, 'invalid argument'])
    expect(await errorOf('POST', '$/element', { strategy: 'id' })).toEqual([400, 'invalid argument'])
    expect(await errorOf('POST', '$/element', { strategy: 'css', selector: 'a' })).toEqual([
      400,
      'invalid selector',
    ])
    expect(await errorOf('POST', '$/element', { strategy: 'xpath', selector: '//*[' })).toEqual([
      400,
      'invalid selector',
    ])
    expect(await errorOf('POST', '$/element', { strategy: 'id', selector: 'none' })).toEqual([
      404,
      'no such element',
    ])
    expect(await errorOf('GET', '$/element/none/text')).toEqual([404, 'no such element'])
    expect(await errorOf('GET', '$/alert/text')).toEqual([404, 'no such alert'])
    expect(await errorOf('POST', '$/appium/settings', { settings: { enableMultiWindows: 7 } })).toEqual([
      400,
      'invalid argument',
    ])
    expect(await errorOf('POST', '/session', {})).toEqual([500, 'session not created'])
  })

  it('is the only UiAutomation: a concurrent dump is killed', async () => {
    expect(await phone.run('uiautomator dump /dev/tty')).toEqual({ code: 137, out: '', err: 'Killed \n' })
  })
})

describe('finding', () => {
  it('finds elements by each strategy, on the screen and below an element', async () => {
    open(settings)
    const nodes = treeOf(world)
    const byClass = await uia2.findAll('class name', 'android.widget.TextView')
    expect(byClass).toHaveLength(
      nodes.filter((node) => node.attributes['class'] === 'android.widget.TextView').length,
    )
    const named = nodes.find((node) => node.attributes['text'] !== '')?.attributes['text'] ?? ''
    const title = await uia2.find('xpath', `//android.widget.TextView[@text="${named}"]`)
    expect(await uia2.find('-android uiautomator', `new UiSelector().text("${named}")`)).toBe(title)
    expect(await uia2.find('-android uiautomator', `text("${named}")`)).toBe(title)
    expect(await uia2.value('GET', `/element/${title}/text`)).toBe(named)
    expect(await uia2.value('GET', `/element/${title}/attribute/displayed`)).toBe('true')
    const row = 'new UiSelector().scrollable(true).childSelector(new UiSelector().clickable(true))'
    const inside = await uia2.findAll(
      'xpath',
      './/android.widget.TextView',
      await uia2.find('-android uiautomator', row),
    )
    expect(inside.length).toBeGreaterThan(0)
    expect(inside.length).toBeLessThan(byClass.length)
    expect(await uia2.findAll('xpath', '//*[@resource-id="none"]')).toEqual([])
    const second =
      'new UiSelector().scrollable(true).childSelector(new UiSelector().className("android.widget.TextView").instance(1))'
    expect(await uia2.find('-android uiautomator', second)).toBe(byClass[1])
  })

  it('scrolls to elements further down, and reports removed elements as stale', async () => {
    open('com.android.contacts')
    const first = await uia2.find(
      '-android uiautomator',
      'new UiSelector().scrollable(true).childSelector(new UiSelector().clickable(true))',
    )
    const found = await uia2.find(
      '-android uiautomator',
      'new UiScrollable(new UiSelector().scrollable(true)).scrollIntoView(new UiSelector().textMatches("D\\\\w+ .*"));',
    )
    expect(await uia2.value('GET', `/element/${found}/text`)).toMatch(/^D/)
    expect(await errorOf('GET', `$/element/${first}/text`)).toEqual([404, 'stale element reference'])
  })

  it('names the unsupported method of a UiAutomator selector', async () => {
    for (const selector of [
      'new UiSelector().frobnicate(true)',
      'new UiSelector().text(1)',
      'new UiSelector().text("a"',
      'new UiSelector() text("a")',
      'new UiScrollable(new UiSelector()).flingForward()',
      '',
    ])
      expect(await errorOf('POST', '$/element', { strategy: '-android uiautomator', selector })).toEqual([
        400,
        'invalid selector',
      ])
  })
})

describe('acting', () => {
  it('clicks, types into a field, adds, replaces and clears', async () => {
    open('com.phonerack.notes')
    await uia2
      .find('xpath', '//*[@content-desc="New note"]')
      .then((id) => uia2.value('POST', `/element/${id}/click`))
    const field = await uia2.find('class name', 'android.widget.EditText')
    const text = () => uia2.value('GET', `/element/${field}/text`)
    const hint = await uia2.value('GET', `/element/${field}/attribute/hint`)
    expect(await text()).toBe(hint)
    await uia2.value('POST', `/element/${field}/value`, { text: 'grün 🙂' })
    await uia2.value('POST', `/element/${field}/value`, { text: ' & more' })
    expect(await text()).toBe('grün 🙂 & more')
    await uia2.value('POST', `/element/${field}/value`, { text: 'new', replace: true })
    expect(await text()).toBe('new')
    await uia2.value('POST', `/element/${field}/clear`)
    expect(await text()).toBe(hint)
    const label = await uia2.find('class name', 'android.widget.TextView')
    expect(await errorOf('POST', `$/element/${label}/value`, { text: 'x' })).toEqual([
      400,
      'invalid element state',
    ])
  })

  it('scrolls and swipes by gestures, and reports the end', async () => {
    open(settings)
    const list = await uia2.find('-android uiautomator', 'new UiSelector().scrollable(true)')
    const origin = { 'element-6066-11e4-a52e-4f735466cecf': list }
    const scroll = (direction: string) =>
      uia2.value('POST', '/appium/gestures/scroll', { origin, direction, percent: 0.9, speed: 8000 })
    const before = world.hierarchyXml()
    let more = await scroll('down')
    expect(world.hierarchyXml()).not.toBe(before)
    for (let tries = 0; more === true && tries < 20; tries++) more = await scroll('down')
    expect(more).toBe(false)
    expect(await errorOf('POST', '$/appium/gestures/swipe', { direction: 'up', percent: 1 })).toEqual([
      400,
      'invalid argument',
    ])
    expect(
      await errorOf('POST', '$/appium/gestures/swipe', { origin, direction: 'sideways', percent: 1 }),
    ).toEqual([400, 'invalid argument'])
  })

  it('performs W3C actions: a tap, a drag, typing', async () => {
    open('com.phonerack.notes')
    const node = get(world, 'New note')
    const { left, top, right, bottom } = node.bounds
    const at = { x: Math.floor((left + right) / 2), y: Math.floor((top + bottom) / 2) }
    await uia2.value('POST', '/actions', {
      actions: [
        {
          id: 'finger',
          type: 'pointer',
          parameters: { pointerType: 'touch' },
          actions: [
            { type: 'pointerMove', duration: 0, ...at },
            { type: 'pointerDown', button: 0 },
            { type: 'pause', duration: 40 },
            { type: 'pointerUp', button: 0 },
          ],
        },
      ],
    })
    const field = await uia2.find('class name', 'android.widget.EditText')
    await uia2.value('POST', `/element/${field}/click`)
    const keys = ['H', 'i'].flatMap((value) => [
      { type: 'keyDown', value },
      { type: 'keyUp', value },
    ])
    await uia2.value('POST', '/actions', { actions: [{ id: 'keys', type: 'key', actions: keys }] })
    expect(await uia2.value('GET', `/element/${field}/text`)).toBe('Hi')
    expect(
      await errorOf('POST', '$/actions', {
        actions: [{ id: 'a', type: 'pointer', actions: [{ type: 'pointerDown' }] }],
      }),
    ).toEqual([400, 'invalid argument'])
  })

  it('reads and answers an alert', async () => {
    open('com.phonerack.dialogs')
    await uia2.value(
      'POST',
      `/element/${await uia2.find('xpath', '//*[@text="Alert" or @text="Show alert"]')}/click`,
    )
    expect(await uia2.value('GET', '/alert/text')).toBe('Alert\nDo you want to go on?')
    await uia2.value('POST', '/alert/accept', {})
    expect(await uia2.findAll('xpath', '//*[@text="OK pressed"]')).toHaveLength(1)
    expect(await errorOf('POST', '$/alert/dismiss', {})).toEqual([404, 'no such alert'])
  })
})

describe('the device', () => {
  it('reports its sizes, rotates, and keeps the clipboard', async () => {
    expect(await uia2.value('GET', '/window/current/size')).toEqual({ width: 1080, height: 2400 })
    expect(await uia2.value('GET', '/appium/device/display_density')).toBe(420)
    expect(await uia2.value('GET', '/appium/device/pixel_ratio')).toBe(2.625)
    expect(await uia2.value('GET', '/appium/device/info')).toMatchObject({
      apiVersion: '34',
      realDisplaySize: '1080x2400',
    })
    expect(await uia2.value('POST', '/orientation', { orientation: 'landscape' })).toBe('LANDSCAPE')
    expect(world.display).toMatchObject({ width: 2400, height: 1080, rotation: 3 })
    expect(await uia2.value('GET', '/rotation')).toEqual({ x: 0, y: 0, z: 270 })
    expect(await uia2.value('POST', '/rotation', { x: 0, y: 0, z: 0 })).toBe('ROTATION_0')
    const content = Buffer.from('kopiert 漢字').toString('base64')
    await uia2.value('POST', '/appium/device/set_clipboard', { content, contentType: 'PLAINTEXT' })
    expect(world.clipboard).toBe('kopiert 漢字')
    expect(await uia2.value('POST', '/appium/device/get_clipboard', {})).toBe(content)
    await uia2.value('POST', '/appium/device/press_keycode', { keycode: 3 })
    expect(world.focused.package).toBe('com.android.launcher3')
  })

  it('takes screenshots of the screen and of an element', async () => {
    open(settings)
    const size = (png: unknown) => {
      const bytes = Buffer.from(String(png), 'base64')
      return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]
    }
    expect(size(await uia2.value('GET', '/screenshot'))).toEqual([1080, 2400])
    const id = await uia2.find('xpath', '//android.widget.TextView')
    const rect = (await uia2.value('GET', `/element/${id}/rect`)) as { width: number; height: number }
    expect(size(await uia2.value('GET', `/element/${id}/screenshot`))).toEqual([rect.width, rect.height])
  })
})

describe('its end', () => {
  it('ends with its session, and with a force stop', async () => {
    const { code, out } = await uia2.quit()
    expect([code, out]).toMatchObject([
      0,
      expect.stringMatching(/^\nio\.appium[^]+\.\n\nTime: [\d.]+\n\nOK \(1 test\)/),
    ])
    expect((await phone.run('uiautomator dump /dev/tty')).code).toBe(0)
    expect((await phone.run('ps -A -o NAME')).out).not.toContain('io.appium.uiautomator2.server')
    const command = phone.run(`am instrument -w ${instrumentation}`)
    while (!android.sockets.has('tcp:6790')) await new Promise((resolve) => setImmediate(resolve))
    expect((await phone.run('ps -A -o NAME')).out).toContain('io.appium.uiautomator2.server')
    await phone.run('am force-stop io.appium.uiautomator2.server')
    expect((await command).out).toContain('shortMsg=Process crashed.')
    expect(android.sockets.has('tcp:6790')).toBe(false)
  })
})
