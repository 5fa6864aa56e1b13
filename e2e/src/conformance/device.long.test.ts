/**
 * Chapter "Device" of the specification through `/v1`, on phones that offer the fast way and on a phone that
 * does not.
 */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { errorOf } from '../system/api.js'
import { bodyOf, refusal, rent, type Rented } from './rented.js'

const whatItIs = {
  brand: expect.any(String) as string,
  model: 'Virtual Phone',
  os_version: '14',
  screen: { width: 1080, height: 2400, density: 420 },
  // The phone has no SIM.
  carrier: null,
}

describe('a phone that offers the fast way', () => {
  let phone: Rented
  const get = (part: string) => phone.api.get(`${phone.path}/${part}`)
  const put = (part: string, body: unknown) => phone.api.put(`${phone.path}/${part}`, body)
  beforeAll(async () => {
    phone = await rent(inject('system'))
  }, 100_000)
  afterAll(() => phone.api.delete(phone.path))

  it('reports its model, and has the settings of a new phone [1.13, 35.7, 35.26]', async () => {
    expect(bodyOf(await get('device'))).toEqual(whatItIs)
    expect(bodyOf(await get('timezone'))).toEqual({ timezone: null })
    expect(bodyOf(await get('locale'))).toEqual({ locale: 'en-US' })
    expect(bodyOf(await get('clipboard'))).toEqual({ text: '' })
  })

  it('holds a clipboard of any text, up to 10,000 characters [1.9, 35.9, 35.10]', async () => {
    for (const text of ['a', ' a\n\tb ', 'שלום 👩🏽‍🚀 漢字', '漢'.repeat(9999), '漢'.repeat(10_000)]) {
      expect(bodyOf(await put('clipboard', { text }))).toEqual({ text })
      expect(bodyOf(await get('clipboard'))).toEqual({ text })
      expect((await phone.faults.state()).clipboard).toBe(text)
    }
    const { clipboardSets } = await phone.faults.counters()
    for (const body of [{ text: 'x'.repeat(10_001) }, { text: '' }, {}])
      expect(refusal(await put('clipboard', body))).toEqual([400, 'validation_failed'])
    expect((await phone.faults.counters()).clipboardSets).toBe(clipboardSets)
    expect((await phone.faults.state()).clipboard).toBe('漢'.repeat(10_000))
  })

  it('reports that its clipboard cannot be read, and never that it is empty [23.30, 35.11, 39.17]', async () => {
    await put('clipboard', { text: 'behind' })
    await phone.faults.denyClipboard(true)
    try {
      const answer = await get('clipboard')
      expect(refusal(answer)).toEqual([409, 'clipboard_unavailable'])
      // This phone also refuses a write, and no answer reports the write as done.
      const write = await put('clipboard', { text: 'unseen' })
      expect(refusal(write)).toEqual([502, 'action_outcome_unknown'])
      expect(errorOf(write).next).toBe(`GET ${phone.path}/clipboard`)
    } finally {
      await phone.faults.denyClipboard(false)
    }
  })

  it('has the set location, with the time zone of that place, until the location is reset [1.10, 35.15, 35.17, 35.20]', async () => {
    const home = { lat: 40.7128, lng: -74.006 }
    expect(bodyOf(await get('location'))).toEqual(home)
    expect(bodyOf(await put('location', { lat: 35.6762, lng: 139.6503 }))).toEqual({
      lat: 35.6762,
      lng: 139.6503,
      timezone: 'Asia/Tokyo',
    })
    expect(bodyOf(await get('location'))).toEqual({ lat: 35.6762, lng: 139.6503 })
    expect(bodyOf(await get('timezone'))).toEqual({ timezone: 'Asia/Tokyo' })
    expect(await phone.faults.state()).toMatchObject({
      location: { latitude: 35.6762, longitude: 139.6503 },
      timeZone: 'Asia/Tokyo',
    })
    expect(
      bodyOf(await put('location', { lat: 48.2082, lng: 16.3738, timezone_from_location: false })),
    ).toMatchObject({ timezone: null })
    expect(bodyOf(await get('timezone'))).toEqual({ timezone: 'Asia/Tokyo' })
    expect(bodyOf(await phone.api.delete(`${phone.path}/location`))).toEqual({ reset: true })
    expect(bodyOf(await get('location'))).toEqual(home)
    expect(bodyOf(await get('timezone'))).toEqual({ timezone: 'America/New_York' })
  })

  it('accepts locations up to the limits of latitude and longitude, and none beyond them [35.16]', async () => {
    for (const [lat, lng] of [
      [90, 180],
      [-90, -180],
      [89.999999, -179.999999],
    ] as const) {
      const body = { lat, lng, timezone_from_location: false }
      expect(bodyOf(await put('location', body))).toEqual({ lat, lng, timezone: null })
      expect(bodyOf(await get('location'))).toEqual({ lat, lng })
    }
    for (const beyond of [{ lat: 90.000001, lng: 0 }, { lat: 0, lng: -180.000001 }, { lat: 0 }])
      expect(refusal(await put('location', beyond))).toEqual([400, 'validation_failed'])
    expect(bodyOf(await get('location'))).toEqual({ lat: 89.999999, lng: -179.999999 })
    await phone.api.delete(`${phone.path}/location`)
  })

  it('uses the locale that was set [1.11, 35.22]', async () => {
    for (const locale of ['de-DE', 'zh-Hant-TW', 'es-419', 'fr', 'en-US']) {
      expect(bodyOf(await put('locale', { locale }))).toEqual({ locale })
      expect(bodyOf(await get('locale'))).toEqual({ locale })
      expect((await phone.faults.state()).locale).toBe(locale)
    }
    for (const locale of ['english', 'EN', 'en_US', ''])
      expect(errorOf(await put('locale', { locale })).code).toBe('validation_failed')
  })

  it('keeps the time zone that was set [1.12, 35.25]', async () => {
    expect(bodyOf(await put('timezone', { timezone: 'Europe/Berlin' }))).toEqual({
      timezone: 'Europe/Berlin',
    })
    expect((await phone.faults.state()).timeZone).toBe('Europe/Berlin')
    for (const timezone of ['+02:00', 'Europe', 'europe/berlin'])
      expect(errorOf(await put('timezone', { timezone })).code).toBe('validation_failed')
  })

  it('leaves the outcome of a write open when it is unplugged in the middle, and sends it once [23.65, 35.4, 39.9]', async () => {
    const before = (await phone.faults.counters()).commands['cmd alarm set-timezone'] ?? 0
    await phone.faults.hangEvery(1, 'set-timezone')
    const answer = put('timezone', { timezone: 'Asia/Tokyo' })
    await new Promise((resolve) => setTimeout(resolve, 1000))
    await phone.faults.unplug()
    const error = errorOf(await answer)
    expect([error.code, error.next]).toEqual(['action_outcome_unknown', `GET ${phone.path}/timezone`])
    await phone.faults.heal()
    await phone.faults.replug()
    expect(
      ((await phone.faults.counters()).commands['cmd alarm set-timezone'] ?? 0) - before,
    ).toBeLessThanOrEqual(1)
    expect(bodyOf(await get('timezone'))).toEqual({ timezone: 'Europe/Berlin' })
  }, 60_000)
})

describe('a phone without the fast way', () => {
  let phone: Rented
  const get = (part: string) => phone.api.get(`${phone.path}/${part}`)
  const put = (part: string, body: unknown) => phone.api.put(`${phone.path}/${part}`, body)
  beforeAll(async () => {
    phone = await rent(inject('bare'))
  }, 100_000)
  afterAll(() => phone.api.delete(phone.path))

  it('reports its model, and the features that it lacks, and gets no requests for them [23.61, 35.5]', async () => {
    expect(bodyOf(await get('device'))).toEqual(whatItIs)
    const before = await phone.faults.state()
    for (const [feature, answer] of [
      ['clipboard', await get('clipboard')],
      ['clipboard', await put('clipboard', { text: 'x' })],
      ['location', await get('location')],
      ['location', await put('location', { lat: 1, lng: 1 })],
      ['location', await phone.api.delete(`${phone.path}/location`)],
      ['locale', await get('locale')],
      ['locale', await put('locale', { locale: 'de-DE' })],
    ] as const) {
      expect(refusal(answer)).toEqual([422, 'feature_unavailable'])
      expect(errorOf(answer)).toMatchObject({ details: { feature }, retryable: false })
    }
    const { clipboard, location, locale, timeZone } = await phone.faults.state()
    expect(before).toMatchObject({ clipboard, location, locale, timeZone })
  })

  it('keeps the time zone that was set, too', async () => {
    expect(bodyOf(await get('timezone'))).toEqual({ timezone: null })
    expect(bodyOf(await put('timezone', { timezone: 'Asia/Tokyo' }))).toEqual({ timezone: 'Asia/Tokyo' })
    expect(bodyOf(await get('timezone'))).toEqual({ timezone: 'Asia/Tokyo' })
    expect((await phone.faults.state()).timeZone).toBe('Asia/Tokyo')
    expect(refusal(await put('timezone', { timezone: '+02:00' }))).toEqual([400, 'validation_failed'])
  })
})
