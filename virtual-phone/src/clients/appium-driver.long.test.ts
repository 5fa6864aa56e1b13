/** The virtual phone driven by Appium's UiAutomator2 driver through its WebDriver server and the real adb. Each test's title is a row of README's table. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../testing/adb.js'
import { type AppiumServer, driverVersion, startAppium } from '../testing/appium-driver.js'
import { startClientPhone, type ClientPhone } from '../testing/client-phone.js'

let host: ClientPhone
let appium: AppiumServer | null = null
let session = ''

beforeAll(async () => {
  host = await startClientPhone()
  const home = join(host.folder, 'appium')
  mkdirSync(home)
  appium = await startAppium(home, await freePort())
})

afterAll(async () => {
  if (session !== '') await send('DELETE', '')
  await appium?.close()
  await host.close()
})

/** @throws for an error response */
async function post(path: string, body: object): Promise<unknown> {
  const { status, value } = await send('POST', path, body)
  if (status !== 200) throw new Error(`${path}: ${JSON.stringify(value)}`)
  return value
}

const get = async (path: string) => (await send('GET', path)).value

/** Paths are relative to the session, or to `/session` before a session exists. */
async function send(
  method: string,
  path: string,
  body?: object,
): Promise<{ status: number; value: unknown }> {
  const response = await fetch(`${appium?.url ?? ''}/session${session === '' ? '' : `/${session}`}${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const { value } = (await response.json()) as { value: unknown }
  return { status: response.status, value }
}

async function startSession(
  capabilities: Readonly<Record<string, unknown>> = {},
): Promise<Record<string, unknown>> {
  const alwaysMatch = {
    platformName: 'Android',
    'appium:automationName': 'UiAutomator2',
    'appium:udid': host.serial,
    'appium:adbPort': host.adb.port,
    'appium:systemPort': await freePort(),
    ...capabilities,
  }
  const value = (await post('', { capabilities: { alwaysMatch, firstMatch: [{}] } })) as {
    sessionId: string
    capabilities: Record<string, unknown>
  }
  session = value.sessionId
  return value.capabilities
}

async function endSession(): Promise<void> {
  await send('DELETE', '')
  session = ''
}

async function find(using: string, value: string): Promise<string> {
  const element = (await post('/element', { using, value })) as Record<string, string>
  return Object.values(element)[0] ?? ''
}

const click = async (using: string, value: string) => post(`/element/${await find(using, value)}/click`, {})
const text = async (id: string) => get(`/element/${id}/text`)
const mobile = (name: string, args: object = {}) =>
  post('/execute/sync', { script: `mobile: ${name}`, args: [args] })

describe(`appium-uiautomator2-driver ${driverVersion}`, () => {
  it('installs its APKs and starts a session', async () => {
    expect(await host.shell('pm list packages -3')).toBe('')
    const capabilities = await startSession()
    expect(capabilities).toMatchObject({
      deviceApiLevel: 34,
      deviceModel: 'Virtual Phone',
      deviceScreenSize: '1080x2400',
      deviceScreenDensity: 420,
      pixelRatio: '2.625',
    })
    expect((await host.shell('pm list packages -3')).trim().split('\n')).toEqual([
      'package:io.appium.settings',
      'package:io.appium.uiautomator2.server',
      'package:io.appium.uiautomator2.server.test',
    ])
  })

  it('finds, clicks and types', async () => {
    await mobile('startActivity', { intent: 'com.phonerack.notes/.MainActivity' })
    await click('accessibility id', 'New note')
    const title = await find('id', 'com.phonerack.notes:id/title')
    await post(`/element/${title}/value`, { text: 'Milk & 卵 🥚' })
    expect(await text(title)).toBe('Milk & 卵 🥚')
    await post(`/element/${title}/clear`, {})
    await post(`/element/${title}/click`, {})
    await mobile('type', { text: 'ö typed' })
    expect(await text(title)).toBe('ö typed')
    expect(await get(`/element/${title}/attribute/class`)).toBe('android.widget.EditText')
    expect(await get(`/element/${title}/displayed`)).toBe(true)
    expect(await get(`/element/${title}/enabled`)).toBe(true)
    expect(await get(`/element/${title}/rect`)).toMatchObject({ width: expect.any(Number) as number })
  })

  it('returns an error for a missing element', async () => {
    const { status, value } = await send('POST', '/element', { using: 'xpath', value: '//nothing' })
    expect([status, value]).toMatchObject([404, { error: 'no such element' }])
    const stale = await find('id', 'com.phonerack.notes:id/title')
    await mobile('pressKey', { keycode: 3 })
    const gone = await send('GET', `/element/${stale}/text`)
    expect([gone.status, gone.value]).toMatchObject([404, { error: 'stale element reference' }])
  })

  it('reads the page source, and finds elements by XPath', async () => {
    await mobile('activateApp', { appId: 'com.android.settings' })
    const source = String(await get('/source'))
    expect(source).toMatch(/^<\?xml [^>]*\?>\s*<hierarchy index="0" class="hierarchy" rotation="0"/)
    expect(source).toContain('<android.widget.TextView index="')
    const elements = (await post('/elements', {
      using: 'xpath',
      value: '//android.widget.TextView[@text!=""]',
    })) as unknown[]
    expect(elements).toHaveLength(
      [...source.matchAll(/<android\.widget\.TextView [^>]*? text="[^"]/g)].length,
    )
  })

  it('takes a screenshot', async () => {
    const png = Buffer.from(String(await get('/screenshot')), 'base64')
    expect(png.subarray(1, 4).toString()).toBe('PNG')
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([1080, 2400])
  })

  it('scrolls by gestures and by W3C actions', async () => {
    const before = await get('/source')
    await mobile('scrollGesture', {
      left: 100,
      top: 600,
      width: 800,
      height: 1200,
      direction: 'down',
      percent: 0.8,
    })
    const after = await get('/source')
    expect(after).not.toBe(before)
    await post('/actions', {
      actions: [
        {
          type: 'pointer',
          id: 'finger',
          parameters: { pointerType: 'touch' },
          actions: [
            { type: 'pointerMove', duration: 0, x: 500, y: 800 },
            { type: 'pointerDown', button: 0 },
            { type: 'pointerMove', duration: 200, x: 500, y: 1700 },
            { type: 'pointerUp', button: 0 },
          ],
        },
      ],
    })
    expect(await get('/source')).not.toBe(after)
  })

  it('queries and terminates apps, and lists contexts and system bars', async () => {
    const appId = 'com.phonerack.notes'
    const state = () => mobile('queryAppState', { appId })
    expect(await mobile('queryAppState', { appId: 'no.such.app' })).toBe(0)
    await mobile('activateApp', { appId })
    expect(await state()).toBe(4)
    await mobile('pressKey', { keycode: 3 })
    expect(await state()).toBe(3)
    expect(await mobile('terminateApp', { appId })).toBe(true)
    expect(await state()).toBe(1)
    expect(await mobile('terminateApp', { appId })).toBe(false)
    expect(await get('/contexts')).toEqual(['NATIVE_APP'])
    expect(await mobile('getSystemBars')).toMatchObject({
      statusBar: { visible: true, x: 0, y: 0, width: 1080, height: expect.any(Number) as number },
      navigationBar: { visible: true, x: 0, width: 1080 },
    })
  })

  it('answers alerts, rotates the screen, and sets and reads the clipboard', async () => {
    await mobile('activateApp', { appId: 'com.phonerack.dialogs' })
    await click('xpath', '//*[@text="Show alert"]')
    expect(await get('/alert/text')).toContain('Do you want to go on?')
    await post('/alert/accept', {})
    expect((await send('GET', '/alert/text')).value).toMatchObject({ error: 'no such alert' })
    await post('/orientation', { orientation: 'LANDSCAPE' })
    expect(await get('/orientation')).toBe('LANDSCAPE')
    await post('/orientation', { orientation: 'PORTRAIT' })
    const content = Buffer.from('für später').toString('base64')
    await mobile('setClipboard', { content, contentType: 'plaintext' })
    expect(await mobile('getClipboard')).toBe(content)
  })

  it('sets the location through its settings app', async () => {
    await mobile('setGeolocation', { latitude: 48.85, longitude: 2.35 })
    expect(await mobile('getGeolocation')).toMatchObject({ latitude: 48.85, longitude: 2.35 })
  })

  it('ends its session, and starts another one in a different language', async () => {
    await endSession()
    expect(await host.shell('ps -A -o NAME')).not.toContain('uiautomator2')
    const begin = performance.now()
    await startSession({ 'appium:language': 'de', 'appium:locale': 'DE' })
    // A start takes one or two seconds; each unanswered query costs the driver ten seconds.
    expect(performance.now() - begin).toBeLessThan(20_000)
    expect((await host.shell('getprop persist.sys.locale')).trim()).toBe('de-DE')
    await endSession()
    expect(host.faults).toEqual([])
  })
})
