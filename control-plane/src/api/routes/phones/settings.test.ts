/** Device and file endpoints: fields, limits at their edges, responses. */
import { ApiError } from '@phonerack/shared'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  errorOf,
  expectConventions,
  refusalOf,
  sendJson,
  startApi,
  type TestApi,
} from '../../../testing/api.js'
import { storagePath } from './files.js'

let api: TestApi
let base: string
beforeAll(async () => {
  api = await startApi({ devices: 1 })
  base = `/v1/phones/${await api.readyPhone()}`
})
afterAll(() => api.close())

const get = (path: string) => api.request('GET', `${base}/${path}`)
const put = (path: string, body: unknown) => sendJson(api, 'PUT', `${base}/${path}`, body)
const refused = (path: string, body: unknown) => refusalOf(api, 'PUT', `${base}/${path}`, body)

describe('device', () => {
  it('has null for values that are not reported', async () => {
    const screen = { screenWidth: 1080, screenHeight: 2400, screenDensity: 420 }
    api.agent.held.device = { brand: 'Acme', osVersion: '14', ...screen }
    const response = await get('device')
    expectConventions(response)
    expect(response.json()).toEqual({
      brand: 'Acme',
      model: null,
      os_version: '14',
      screen: { width: 1080, height: 2400, density: 420 },
      carrier: null,
    })
  })
})

describe('clipboard', () => {
  it('keeps whitespace, and can be read back', async () => {
    const text = '  two\n lines 👋🏽 '
    expect((await put('clipboard', { text })).json()).toEqual({ text })
    expect((await get('clipboard')).json()).toEqual({ text })
  })

  it('accepts 1 to 10,000 characters [20.43]', async () => {
    for (const text of ['a', 'ab', '😀'.repeat(9999), '😀'.repeat(10_000)])
      expect((await put('clipboard', { text })).statusCode).toBe(200)
    await refused('clipboard', { text: 'a'.repeat(10_001) })
    await refused('clipboard', { text: '' })
    await refused('clipboard', {})
    await refused('clipboard', { text: 1 })
    await refused('clipboard', { text: 'a', more: true })
  })

  it('needs phones:control for reads too [35.13]', async () => {
    const key = await api.keyOf('read-only')
    const error = errorOf(await api.request('GET', `${base}/clipboard`, { key }), 403, 'insufficient_scope')
    expect(error.details).toEqual({ required: 'phones:control' })
  })

  it('returns 409 when it cannot be read', async () => {
    api.failures.set('settings.clipboard', new ApiError('clipboard_unavailable'))
    errorOf(await get('clipboard'), 409, 'clipboard_unavailable')
  })
})

describe('location', () => {
  it('is set with its time zone, without it, and reset', async () => {
    const at = { lat: 48.2, lng: 16.37 }
    expect((await put('location', at)).json()).toEqual({ ...at, timezone: 'Europe/Vienna' })
    expect((await put('location', { ...at, timezone_from_location: false })).json()).toEqual({
      ...at,
      timezone: null,
    })
    expect((await get('location')).json()).toEqual(at)
    expect((await api.request('DELETE', `${base}/location`)).json()).toEqual({ reset: true })
  })

  it('must be within its bounds', async () => {
    for (const [lat, lng] of [
      [-90, -180],
      [90, 180],
      [-89.999999, -179.999999],
      [89.999999, 179.999999],
      [0, 0],
    ])
      expect((await put('location', { lat, lng })).statusCode).toBe(200)
    for (const body of [
      { lat: 90.000001, lng: 0 },
      { lat: -90.000001, lng: 0 },
      { lat: 0, lng: 180.000001 },
      { lat: 0, lng: -180.000001 },
      { lat: 0 },
      { lng: 0 },
      { lat: '0', lng: 0 },
      { lat: 0, lng: 0, timezone_from_location: 'yes' },
    ])
      await refused('location', body)
  })
})

describe('locale', () => {
  it.each(['en', 'fil', 'en-US', 'zh-Hant-TW', 'zh-Hans', 'es-419', 'sr-Latn-RS'])(
    'accepts %s [35.23]',
    async (locale) => {
      expect((await put('locale', { locale })).json()).toEqual({ locale })
      expect((await get('locale')).json()).toEqual({ locale })
    },
  )

  it.each(['', 'e', 'EN', 'engl', 'en_US', 'en-us', 'en-USA', 'en-12', 'zh-hant', 'en-US-x', 'en '])(
    'refuses %j [35.24]',
    async (locale) => {
      await refused('locale', { locale })
    },
  )
})

describe('time zone', () => {
  it('is null while default, and accepts exact names', async () => {
    api.agent.held.timezone = ''
    expect((await get('timezone')).json()).toEqual({ timezone: null })
    for (const timezone of [
      'Europe/Berlin',
      'America/Argentina/Buenos_Aires',
      'UTC',
      'Asia/Calcutta',
      'EST',
      'EST5EDT',
      'Etc/GMT+9',
      'Etc/GMT-14',
      'GMT0',
      'US/Pacific',
      'GB-Eire',
    ]) {
      expect((await put('timezone', { timezone })).json()).toEqual({ timezone })
      expect((await get('timezone')).json()).toEqual({ timezone })
    }
  })

  it('refuses offsets and unknown zones', async () => {
    for (const timezone of [
      '',
      '+02:00',
      '+05:30',
      'GMT+2',
      'GMT+5',
      'UTC+1',
      'UTC+5',
      'Etc/GMT+15',
      'europe/berlin',
      'est',
      'etc/GMT+9',
      'Europe/Berlin ',
      'Mars/Base',
      'Europe',
    ])
      await refused('timezone', { timezone })
  })
})

describe('paths', () => {
  it('are normalised inside shared storage', () => {
    expect(storagePath('/sdcard')).toBe('/sdcard')
    expect(storagePath('/sdcard/')).toBe('/sdcard')
    expect(storagePath('/storage/emulated/0')).toBe('/sdcard')
    expect(storagePath('/storage/emulated/0/a b/ü?')).toBe('/sdcard/a b/ü?')
    expect(storagePath('/sdcard/..a/.b')).toBe('/sdcard/..a/.b')
    for (const bad of [
      '',
      '/',
      'sdcard',
      '/sdcardx',
      '/storage/emulated/01',
      '/sdcard/../x',
      '/sdcard/./x',
      '/sdcard//x',
    ])
      expect(storagePath(bad), bad).toBeNull()
  })

  it('have at most 1024 characters [20.44, 34.4]', () => {
    for (const name of ['a'.repeat(1015), '😀'.repeat(1016)])
      expect(storagePath(`/sdcard/${name}`)).not.toBeNull()
    expect(storagePath(`/sdcard/${'a'.repeat(1017)}`)).toBeNull()
  })
})

describe('files', () => {
  const upload = (path: string, payload: Buffer, headers: Record<string, string> = {}) =>
    api.request('PUT', `${base}/files?path=${encodeURIComponent(path)}`, { payload, headers })
  const query = (path: string) => `path=${encodeURIComponent(path)}`

  it('are uploaded as raw bytes of any type, and downloaded unchanged [2.11, 2.15]', async () => {
    const bytes = Buffer.from([0, 255, 123, 34, 10])
    for (const type of [undefined, 'application/json', 'text/plain', 'image/png']) {
      const response = await upload(
        '/storage/emulated/0/a/ß "x".bin',
        bytes,
        type ? { 'content-type': type } : {},
      )
      expect([response.statusCode, response.json()]).toEqual([
        201,
        { path: '/sdcard/a/ß "x".bin', size: bytes.length },
      ])
    }
    const response = await get(`files/content?${query('/sdcard/a/ß "x".bin')}`)
    expect(response.rawPayload).toEqual(bytes)
    expect(response.headers['content-type']).toBe('application/octet-stream')
    expect(response.headers['content-disposition']).toBe(
      `attachment; filename="? \\"x\\".bin"; filename*=UTF-8''%C3%9F%20%22x%22.bin`,
    )
    expectConventions(response)
    api.agent.held.files = ['a']
    const listed = await get('files')
    expect(listed.json()).toMatchObject({ path: '/sdcard', data: [{ type: 'file', size: 5 }] })
    expect((await api.request('DELETE', `${base}/files?${query('/sdcard/a/ß "x".bin')}`)).json()).toEqual({
      path: '/sdcard/a/ß "x".bin',
      deleted: true,
    })
  })

  it('may be empty, and have at most 4,000,000 bytes [20.3]', async () => {
    expect((await upload('/sdcard/empty', Buffer.alloc(0))).json()).toEqual({
      path: '/sdcard/empty',
      size: 0,
    })
    for (const size of [3_999_999, 4_000_000])
      expect((await upload('/sdcard/most', Buffer.alloc(size))).json()).toMatchObject({ size })
    errorOf(await upload('/sdcard/more', Buffer.alloc(4_000_001)), 413, 'payload_too_large')
    expect([...api.agent.held.contents.keys()]).not.toContain('/sdcard/more')
  })

  it('need a path that ends with a name to be uploaded', async () => {
    for (const path of ['/sdcard', '/sdcard/', '/sdcard/dir/', '/etc/passwd', '/sdcard/../x']) {
      const error = errorOf(await upload(path, Buffer.from('x')), 400, 'validation_failed')
      expect(error.details.issues?.[0]?.path).toEqual(['path'])
    }
    errorOf(await api.request('PUT', `${base}/files`, { payload: 'x' }), 400, 'validation_failed')
    errorOf(await get('files/content'), 400, 'validation_failed')
    errorOf(await get('files?path=%2Fsdcard&path=%2Fsdcard'), 400, 'validation_failed')
  })

  it('return 404 with their path when they do not exist', async () => {
    const absent = new ApiError('file_not_found', { details: { path: '/sdcard/none' } })
    api.agent.onCall = (name) => (name === 'readFile' ? Promise.reject(absent) : Promise.resolve())
    const error = errorOf(await get(`files/content?${query('/sdcard/none')}`), 404, 'file_not_found')
    api.agent.onCall = () => Promise.resolve()
    expect(error.details).toEqual({ path: '/sdcard/none' })
  })

  it('have file names in headers that every browser can read [34.16]', async () => {
    for (const name of ['名前.txt', 'a\r\nX-Evil: 1', 'plain.txt']) {
      api.agent.held.contents.set(`/sdcard/${name}`, Buffer.from('x'))
      const response = await get(`files/content?${query(`/sdcard/${name}`)}`)
      expect(response.statusCode).toBe(200)
      expect(response.headers['x-evil']).toBeUndefined()
    }
  })
})

describe('each endpoint', () => {
  it('needs a ready phone [34.1]', async () => {
    const parked = `/v1/phones/${await api.placePhone('parked')}`
    for (const [method, path] of [
      ['GET', 'device'],
      ['GET', 'clipboard'],
      ['GET', 'location'],
      ['DELETE', 'location'],
      ['GET', 'locale'],
      ['GET', 'timezone'],
      ['GET', 'files'],
      ['GET', 'files/content?path=%2Fsdcard%2Fa'],
      ['PUT', 'files?path=%2Fsdcard%2Fa'],
      ['DELETE', 'files?path=%2Fsdcard%2Fa'],
    ] as const)
      errorOf(await api.request(method, `${parked}/${path}`), 409, 'phone_not_running')
  })
})
