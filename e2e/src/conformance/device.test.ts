/** Chapters "Device" and "Files" of the specification through `/v1`, on phones that offer the fast way and on one that does not. */
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { errorOf, type Api, type Answer } from '../system/api.js'
import { faultsOf, type PhoneFaults } from '../system/faults.js'
import { startSystem, stopSystem, type System } from '../system/system.js'
import { newTenant, readyPhone } from '../system/tenant.js'

/** Lacks what the fast way needs: input by commands, no clipboard, no location, no locale of its own. */
let bare: System
beforeAll(async () => {
  bare = await startSystem({ virtualPhones: 1, faultPort: true, without: [['scrcpy', 'settings-app']] })
}, 120_000)
afterAll(() => stopSystem(bare), 60_000)

interface Rented {
  api: Api
  path: string
  faults: PhoneFaults
}

async function rent(system: System): Promise<Rented> {
  const { admin } = await newTenant(system)
  const { id } = await readyPhone(admin)
  return { api: admin, path: `/v1/phones/${id}`, faults: await (await faultsOf(system)).ofPhone(id) }
}

const bodyOf = (answer: Answer, status = 200): unknown => {
  expect({ status: answer.status, body: answer.body }).toMatchObject({ status })
  return answer.body
}

describe('a phone that offers the fast way', () => {
  let phone: Rented
  const get = (part: string) => phone.api.get(`${phone.path}/${part}`)
  const put = (part: string, body: unknown) => phone.api.put(`${phone.path}/${part}`, body)
  beforeAll(async () => {
    phone = await rent(inject('system'))
  }, 100_000)
  afterAll(() => phone.api.delete(phone.path))

  it('says what it is', async () => {
    expect(bodyOf(await get('device'))).toMatchObject({
      brand: expect.any(String) as string,
      model: 'Virtual Phone',
      os_version: '14',
      screen: { width: 1080, height: 2400, density: 420 },
    })
  })

  it('holds a clipboard of any text, up to 10,000 characters', async () => {
    for (const text of [' a\n\tb ', 'שלום 👩🏽‍🚀 漢字', '漢'.repeat(10_000)]) {
      expect(bodyOf(await put('clipboard', { text }))).toEqual({ text })
      expect(bodyOf(await get('clipboard'))).toEqual({ text })
      expect((await phone.faults.state()).clipboard).toBe(text)
    }
    expect(errorOf(await put('clipboard', { text: 'x'.repeat(10_001) })).code).toBe('validation_failed')
  })

  it('says that its clipboard cannot be read, and never that it is empty', async () => {
    await put('clipboard', { text: 'behind' })
    await phone.faults.denyClipboard(true)
    try {
      const answer = await get('clipboard')
      expect([answer.status, errorOf(answer).code]).toEqual([409, 'clipboard_unavailable'])
    } finally {
      await phone.faults.denyClipboard(false)
    }
  })

  it('is where it was put, with the time zone of that place, until it is reset', async () => {
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

  it('speaks the locale that was set', async () => {
    for (const locale of ['de-DE', 'zh-Hant-TW', 'es-419', 'fr', 'en-US']) {
      expect(bodyOf(await put('locale', { locale }))).toEqual({ locale })
      expect(bodyOf(await get('locale'))).toEqual({ locale })
      expect((await phone.faults.state()).locale).toBe(locale)
    }
    for (const locale of ['english', 'EN', 'en_US', ''])
      expect(errorOf(await put('locale', { locale })).code).toBe('validation_failed')
  })

  it('keeps the time zone that was set', async () => {
    expect(bodyOf(await put('timezone', { timezone: 'Europe/Berlin' }))).toEqual({
      timezone: 'Europe/Berlin',
    })
    expect((await phone.faults.state()).timeZone).toBe('Europe/Berlin')
    for (const timezone of ['+02:00', 'Europe', 'europe/berlin'])
      expect(errorOf(await put('timezone', { timezone })).code).toBe('validation_failed')
  })

  it('leaves the outcome of a write open when it is unplugged in the middle, and sends it once', async () => {
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

describe.each([
  ['with the fast way', () => inject('system')],
  ['without it', () => bare],
])('files of a phone %s', (_name, system) => {
  let phone: Rented
  beforeAll(async () => {
    phone = await rent(system())
  }, 100_000)
  afterAll(() => phone.api.delete(phone.path))
  const at = (path: string, part = 'files') => `${phone.path}/${part}?path=${encodeURIComponent(path)}`
  const upload = (path: string, bytes: Uint8Array) =>
    phone.api.put(at(path), bytes, { headers: { 'content-type': 'application/octet-stream' } })

  it('are uploaded, listed, downloaded and deleted', async () => {
    const bytes = randomBytes(100_000)
    const path = '/sdcard/Documents/tax 2026/größe.bin'
    expect(bodyOf(await upload('/storage/emulated/0/Documents/tax 2026/größe.bin', bytes), 201)).toEqual({
      path,
      size: 100_000,
    })
    expect(bodyOf(await phone.api.get(at('/sdcard/Documents/tax 2026')))).toMatchObject({
      path: '/sdcard/Documents/tax 2026',
      data: [{ name: 'größe.bin', type: 'file', size: 100_000 }],
    })
    const download = await phone.api.get(at(path, 'files/content'))
    expect(download.bytes.equals(bytes)).toBe(true)
    expect(download.headers.get('content-disposition')).toContain("filename*=UTF-8''gr%C3%B6%C3%9Fe.bin")
    expect(bodyOf(await phone.api.delete(at(path)))).toEqual({ path, deleted: true })
    expect(errorOf(await phone.api.delete(at(path)))).toMatchObject({
      code: 'file_not_found',
      details: { path },
    })
    expect(errorOf(await phone.api.get(at(path, 'files/content'))).code).toBe('file_not_found')
    expect(errorOf(await phone.api.get(at('/sdcard/none'))).code).toBe('file_not_found')
  })

  it('have at most 4,000,000 bytes', async () => {
    expect((await upload('/sdcard/most', randomBytes(4_000_000))).status).toBe(201)
    expect((await phone.api.get(at('/sdcard/most', 'files/content'))).bytes.length).toBe(4_000_000)
    expect((await upload('/sdcard/more', randomBytes(4_000_001))).status).toBe(413)
    expect(errorOf(await phone.api.get(at('/sdcard/more', 'files/content'))).code).toBe('file_not_found')
    await phone.api.delete(at('/sdcard/most'))
  })

  it('are told from directories, with the request that fits', async () => {
    await upload('/sdcard/box/a', Buffer.from('a'))
    expect(errorOf(await phone.api.get(at('/sdcard/box/a')))).toMatchObject({
      code: 'validation_failed',
      next: `GET ${phone.path}/files/content?path=%2Fsdcard%2Fbox%2Fa`,
      details: { issues: [{ path: ['path'] }] },
    })
    expect(errorOf(await phone.api.get(at('/sdcard/box', 'files/content')))).toMatchObject({
      code: 'validation_failed',
      next: `GET ${phone.path}/files?path=%2Fsdcard%2Fbox`,
    })
    for (const path of ['/sdcard/box', '/sdcard'])
      expect(errorOf(await phone.api.delete(at(path))).code).toBe('validation_failed')
    for (const path of ['/etc/hosts', '/sdcard/../etc/hosts', '/sdcardx', `/sdcard/${'a'.repeat(1017)}`])
      expect(errorOf(await phone.api.get(at(path)))).toMatchObject({
        code: 'validation_failed',
        details: { issues: [{ path: ['path'] }] },
      })
  })

  it('are whole or not there when the storage is full', async () => {
    await upload('/sdcard/kept', Buffer.from('old'))
    await phone.faults.fullStorage(true)
    try {
      expect(errorOf(await upload('/sdcard/kept', randomBytes(200_000)))).toMatchObject({
        code: 'provider_error',
        details: { reason: 'storage_full' },
      })
    } finally {
      await phone.faults.fullStorage(false)
    }
    expect((await phone.api.get(at('/sdcard/kept', 'files/content'))).bytes.toString()).toBe('old')
    const { pushes } = await phone.faults.counters()
    const parts = Object.entries(pushes).filter(([path]) => path.endsWith('.part'))
    expect(parts.length).toBeGreaterThan(0)
    expect(parts.filter(([, count]) => count > 1)).toEqual([])
  })
})

describe('a phone without the fast way', () => {
  it('says which feature it lacks, and sends nothing', async () => {
    const phone = await rent(bare)
    try {
      expect(bodyOf(await phone.api.get(`${phone.path}/device`))).toMatchObject({ model: 'Virtual Phone' })
      for (const [feature, answer] of [
        ['clipboard', await phone.api.get(`${phone.path}/clipboard`)],
        ['clipboard', await phone.api.put(`${phone.path}/clipboard`, { text: 'x' })],
        ['location', await phone.api.put(`${phone.path}/location`, { lat: 1, lng: 1 })],
        ['locale', await phone.api.put(`${phone.path}/locale`, { locale: 'de-DE' })],
      ] as const) {
        expect(answer.status).toBe(422)
        expect(errorOf(answer)).toMatchObject({ code: 'feature_unavailable', details: { feature } })
      }
      expect(bodyOf(await phone.api.put(`${phone.path}/timezone`, { timezone: 'Asia/Tokyo' }))).toEqual({
        timezone: 'Asia/Tokyo',
      })
    } finally {
      await phone.api.delete(phone.path)
    }
  }, 60_000)
})
