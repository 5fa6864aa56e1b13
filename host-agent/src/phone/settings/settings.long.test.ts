/**
 * Settings of a virtual phone through the agent. They are set, read back by plain commands, and kept over a
 * restart.
 */
import { Progress } from '@phonerack/shared'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AdbClient } from '../../adb/client.js'
import { adbSocketPath } from '../../adb/sockets.js'
import { command } from '../../adb/quote.js'
import type { Transport } from '../../adb/transport.js'
import { CallFailed } from '../../testing/client.js'
import { startPhoneAndHost, untilLink, session, type PhoneAndHost } from '../../testing/phone.js'
import { until } from '../../testing/until.js'
import { transportTo } from '../../testing/transport.js'
import { parseInfo } from './info.js'
import { parseBroadcast } from './settings-app.js'

let both: PhoneAndHost
let transport: Transport
const assignment = () => session(both.host.control, both.phone.serial, 2n).assignment
const control = () => both.host.control

beforeAll(async () => {
  both = await startPhoneAndHost()
  await untilLink(both.host, both.phone.serial, 'unenrolled')
  const answer = await control().enroll({ serial: both.phone.serial, fencingNumber: 1n }, 60_000)
  expect(answer.checks.filter(({ passed }) => !passed)).toEqual([])
  await session(control(), both.phone.serial, 2n).start()
  const { serial } = both.phone
  transport = transportTo(new AdbClient(adbSocketPath(both.host.config.dataDir, serial)), serial)
})
afterAll(() => both.stop())

const shell = async (...args: string[]) =>
  (await transport.shell(command(...args), Progress.for(10_000))).stdout.toString().trim()
const codeOf = async (work: Promise<unknown>) => {
  const error: unknown = await work.then(
    () => null,
    (reason: unknown) => reason,
  )
  return error instanceof CallFailed ? error.plain?.code : error
}

describe('device info', () => {
  it("matches the phone's properties", async () => {
    expect(await control().call.getDeviceInfo({ assignment: assignment() })).toMatchObject({
      brand: await shell('getprop', 'ro.product.brand'),
      model: await shell('getprop', 'ro.product.model'),
      osVersion: '14',
      screenWidth: 1080,
      screenHeight: 2400,
      screenDensity: 420,
    })
  })

  it('is null for missing properties, and uses the override [35.8]', () => {
    const text = 'Acme\n\n15\n,\nPhysical density: 420\nOverride density: 360\n'
    expect(parseInfo(text, { width: 1, height: 2 })).toEqual({
      brand: 'Acme',
      model: null,
      osVersion: '15',
      screen: { width: 1, height: 2, density: 360 },
      carrier: null,
    })
    expect(parseInfo('a\nb\nc\n,Two\n', { width: 1, height: 1 }).carrier).toBe('Two')
  })
})

describe('the clipboard', () => {
  it('accepts any text and returns it', async () => {
    expect(await control().call.getClipboard({ assignment: assignment() })).toEqual({ text: '' })
    await fc.assert(
      fc.asyncProperty(
        fc
          .string({ unit: 'grapheme', minLength: 1, maxLength: 200 })
          .map((text) => Buffer.from(text.replaceAll('\0', ' ')).toString()),
        async (text) => {
          await control().call.setClipboard({ assignment: assignment(), text })
          expect(await control().call.getClipboard({ assignment: assignment() })).toEqual({ text })
        },
      ),
      { numRuns: 15 },
    )
    const long = '漢'.repeat(10_000)
    await control().call.setClipboard({ assignment: assignment(), text: long })
    expect((await control().call.getClipboard({ assignment: assignment() })).text).toBe(long)
  })

  it('distinguishes an unreadable from an empty clipboard, and restores the keyboard', async () => {
    await control().call.setClipboard({ assignment: assignment(), text: 'behind' })
    const keyboard = await shell('settings', 'get', 'secure', 'default_input_method')
    const keyboards = await shell('settings', 'get', 'secure', 'enabled_input_methods')
    both.phone.inside.faults.denyClipboard(true)
    try {
      expect(await codeOf(control().call.getClipboard({ assignment: assignment() }))).toBe(
        'clipboard_unavailable',
      )
      expect(await codeOf(control().call.setClipboard({ assignment: assignment(), text: 'refused' }))).toBe(
        'action_outcome_unknown',
      )
    } finally {
      both.phone.inside.faults.denyClipboard(false)
    }
    expect(await shell('settings', 'get', 'secure', 'default_input_method')).toBe(keyboard)
    expect(await shell('settings', 'get', 'secure', 'enabled_input_methods')).toBe(keyboards)
    expect((await control().call.getClipboard({ assignment: assignment() })).text).toBe('behind')
  })
})

describe('the locale', () => {
  it.each(['de-DE', 'fr', 'zh-Hant-TW', 'es-419', 'ja-JP', 'en-US'])('becomes %s', async (locale) => {
    const { locale: now } = await control().call.setLocale({ assignment: assignment(), locale })
    expect(await control().call.getLocale({ assignment: assignment() })).toEqual({ locale: now })
    expect(now).toBe(locale)
    expect(await shell('getprop', 'persist.sys.locale')).toBe(locale)
  })
})

describe('a locale that the phone does not know', () => {
  it.each(['xx', 'xx-YY'])('%s is refused by the phone, which keeps its locale', async (locale) => {
    const before = await shell('getprop', 'persist.sys.locale')
    const error: unknown = await control()
      .call.setLocale({ assignment: assignment(), locale })
      .catch((reason: unknown) => reason)
    if (!(error instanceof CallFailed)) throw new Error(`not refused: ${String(error)}`)
    expect(error.plain).toMatchObject({
      code: 'validation_failed',
      details: { validation_stage: 'phone', issues: [{ path: ['locale'] }] },
    })
    expect(error.plain?.next).toMatch(/en-US/)
    expect(await shell('getprop', 'persist.sys.locale')).toBe(before)
  })
})

describe('the time zone', () => {
  it("becomes the phone's zone, and is null for the default", async () => {
    const get = async () => (await control().call.getTimezone({ assignment: assignment() })).timezone
    const before = await shell('getprop', 'persist.sys.timezone')
    expect(await get()).toBe('')
    const { timezone } = await control().call.setTimezone({
      assignment: assignment(),
      timezone: 'Asia/Tokyo',
    })
    expect([timezone, await get(), await shell('getprop', 'persist.sys.timezone')]).toEqual(
      Array(3).fill('Asia/Tokyo'),
    )
    expect(
      await codeOf(control().call.setTimezone({ assignment: assignment(), timezone: 'Mars/Base' })),
    ).toBe('validation_failed')
    expect(await shell('getprop', 'persist.sys.timezone')).toBe('Asia/Tokyo')
    await control().call.setTimezone({ assignment: assignment(), timezone: '' })
    expect([await get(), await shell('getprop', 'persist.sys.timezone')]).toEqual(['', before])
  })
})

describe('the location', () => {
  const get = async () => (await control().call.getLocation({ assignment: assignment() })).location
  const onPhone = () => both.phone.inside.state().location

  it('persists, also over a restart of the phone, until it is reset [35.21]', async () => {
    expect(await get()).toBeUndefined()
    const vienna = { latitude: 48.2082, longitude: -16.3738 }
    await control().call.setLocation({ assignment: assignment(), location: vienna })
    expect(await get()).toEqual(vienna)
    expect(onPhone()).toEqual(vienna)
    await control().call.rebootPhone({ assignment: { ...assignment(), fencingNumber: 3n } })
    await session(control(), both.phone.serial, 3n).start()
    await until(() => onPhone()?.latitude === vienna.latitude, 60_000, 'the location to be back')
    const after = { ...assignment(), fencingNumber: 3n }
    expect((await control().call.getLocation({ assignment: after })).location).toEqual(vienna)
    await control().call.setLocation({ assignment: after, location: undefined })
    expect((await control().call.getLocation({ assignment: after })).location).toBeUndefined()
    expect(onPhone()).not.toEqual(vienna)
    expect(both.phone.inside.counters().reboots).toBe(1)
  })
})

describe("a broadcast's answer", () => {
  it('is parsed from the output of am', () => {
    expect(
      parseBroadcast('Broadcasting: Intent { }\nBroadcast completed: result=-1, data="1.0 2.0 0"\n'),
    ).toEqual({ ok: true, data: '1.0 2.0 0' })
    expect(parseBroadcast('Broadcast completed: result=0')).toEqual({ ok: false, data: '' })
    expect(parseBroadcast('Error: unknown')).toBeNull()
  })
})
