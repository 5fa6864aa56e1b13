/** Uploads, lists of apps, live links and recordings. */
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startBench, type Bench } from '../testing/program.js'
import { phoneFields, refusal } from '../testing/service.js'
import { Cancelled } from '../usage-error.js'

const one = 'ph_aaaaaaaaaaaa'
const id = 'upl_aaaaaaaaaaaa'
let bench: Bench
beforeEach(async () => {
  bench = await startBench()
  bench.service.phones.push(phoneFields(one, 'shop'))
})
afterEach(() => bench.close())

const upload = (status: string, error: object | null = null) => ({
  object: 'upload',
  id,
  status,
  package: 'com.example.shop',
  version_code: 7,
  version_name: '1.7',
  error,
  min_sdk: 26,
  size_bytes: 3,
  sha256: null,
  created_at: '2026-11-21T12:00:00.000Z',
  expires_at: '2026-11-28T12:50:00.000Z',
})

/** The API with an upload URL on the same server. @param end the upload after the service checked it */
function takeUploads(end: object): void {
  const { answers, baseUrl } = bench.service
  answers.set('POST /v1/apps/uploads', () => ({
    status: 201,
    body: {
      ...upload('awaiting_file'),
      upload_url: `${baseUrl}/storage`,
      upload_method: 'POST',
      upload_headers: { 'content-type': 'application/vnd.android.package-archive' },
      max_bytes: 100,
    },
  }))
  answers.set('POST /storage', () => ({ body: { storageId: 's1' } }))
  answers.set(`POST /v1/apps/uploads/${id}/complete`, () => ({ status: 202, body: upload('processing') }))
  answers.set(`GET /v1/apps/uploads/${id}`, () => ({ body: end }))
}

const apk = async (): Promise<string> => {
  const file = path.join(bench.home, 'app.apk')
  await writeFile(file, 'apk')
  return file
}

it('uploads an app without its key to the storage, and shows the progress on a terminal', async () => {
  takeUploads(upload('ready'))
  const result = await bench.phonerack(['app', 'upload', await apk()], { terminal: true })
  expect(result.exitCode).toBe(0)
  expect(result.out).toContain(`Uploaded com.example.shop 1.7 as ${id}.`)
  expect(result.err).toContain('Uploading [####################] 100 %')
  expect(result.err.endsWith('\r\u001b[K')).toBe(true)
  const stored = bench.service.seen.find(({ url }) => url === '/storage')
  expect(stored).toMatchObject({ body: 'apk' })
  expect(stored?.headers.authorization).toBeUndefined()
  expect((await bench.phonerack(['app', 'upload', await apk(), '-q'])).out).toBe(`${id}\n`)
})

it('ends with 9 for a file that is not an app, and shows the reason of the service', async () => {
  takeUploads(upload('invalid_apk', { code: 'invalid_apk', message: 'It has no manifest.', next: null }))
  const result = await bench.phonerack(['app', 'upload', await apk()])
  expect(result).toMatchObject({ exitCode: 9, out: '' })
  expect(result.err).toContain('error: It has no manifest.')
  expect(await bench.phonerack(['app', 'upload', '/no/such.apk'])).toMatchObject({ exitCode: 2 })
})

it('lists uploads, the library, and the apps of a phone', async () => {
  const { answers } = bench.service
  answers.set('GET /v1/apps/uploads', () => ({ body: { data: [upload('ready')], next_cursor: 'more' } }))
  const uploads = await bench.phonerack(['app', 'list', '--limit', '1'])
  expect(uploads.out).toMatch(/upl_aaaaaaaaaaaa {2}com.example.shop {2}1.7 {6}ready {3}3 {5}in 7 d/)
  expect(uploads.err).toContain('--cursor more')
  const app = { package: 'com.example.shop', label: 'Sh\u001b[5mop', version_code: 7, version_name: '1.7' }
  answers.set('GET /v1/apps/library', () => ({ body: { data: [app], next_cursor: null } }))
  expect((await bench.phonerack(['app', 'library', 'shop'])).out).toContain('com.example.shop  Shop  1.7')
  expect(bench.service.seen.at(-1)?.url).toBe('/v1/apps/library?query=shop')
  const system = { ...app, package: 'com.android.settings', system: true }
  answers.set(`GET /v1/phones/${one}/apps`, () => ({ body: { data: [{ ...app, system: false }, system] } }))
  expect((await bench.phonerack(['phone', 'apps', one, '-q'])).out).toBe('com.example.shop\n')
  expect((await bench.phonerack(['phone', 'apps', one, '--system', '-q'])).out).toContain(
    'com.android.settings\n',
  )
})

it('uninstalls an app', async () => {
  const place = `DELETE /v1/phones/${one}/apps/com.example.shop`
  bench.service.answers.set(place, () => ({ body: { package: 'com.example.shop', uninstalled: true } }))
  expect(await bench.phonerack(['phone', 'uninstall', one, 'com.example.shop'])).toMatchObject({
    exitCode: 0,
  })
  bench.service.answers.set(place, () => refusal(404, 'not_found_error', 'app_not_found'))
  expect(await bench.phonerack(['phone', 'uninstall', one, 'com.example.shop'])).toMatchObject({
    exitCode: 5,
  })
})

it('prints a live link alone on stdout', async () => {
  const link = { url: 'https://phones.example/live#prl_x', expires_at: '2026-11-21T13:50:00.000Z' }
  bench.service.answers.set(`POST /v1/phones/${one}/live`, () => ({ status: 201, body: link }))
  const result = await bench.phonerack(['phone', 'live', one, '--expires', '1h', '--view-only'])
  expect(result).toMatchObject({ exitCode: 0, out: `${link.url}\n` })
  expect(result.err).toContain('sees the screen. It ends in 60 min.')
  expect(JSON.parse(bench.service.seen.at(-1)?.body ?? '')).toEqual({ expires_in: 3600, control: false })
})

function takeRecordings(): void {
  const recording = (status: string) => ({
    object: 'recording',
    id: 'rec_aaaaaaaaaaaa',
    phone: one,
    name: null,
    status,
    started_at: '2026-11-21T12:50:00.000Z',
    ended_at: null,
    duration_ms: null,
    size_bytes: null,
    expires_at: '2026-11-28T12:50:00.000Z',
  })
  const { answers } = bench.service
  const place = `/v1/phones/${one}/recordings`
  answers.set(`POST ${place}`, () => ({ status: 201, body: recording('recording') }))
  answers.set(`POST ${place}/rec_aaaaaaaaaaaa/stop`, () => ({ body: recording('processing') }))
  answers.set(`GET ${place}`, () => ({ body: { data: [recording('ready')] } }))
  answers.set(`GET ${place}/rec_aaaaaaaaaaaa/video`, () => ({ body: Buffer.from([0, 1, 255]) }))
}

it('records for a time, and writes the video', async () => {
  takeRecordings()
  const file = path.join(bench.home, 'video.mp4')
  const result = await bench.phonerack(['phone', 'record', one, '--for', '10ms', '-o', file, '--json'])
  expect(result.exitCode).toBe(0)
  expect(JSON.parse(result.out)).toMatchObject({ id: 'rec_aaaaaaaaaaaa', status: 'ready', file })
  expect(await readFile(file)).toEqual(Buffer.from([0, 1, 255]))
  expect(await bench.phonerack(['phone', 'record', one])).toMatchObject({ exitCode: 2 })
  // The command starts no recording when it could not write the file.
  const before = bench.service.seen.length
  const again = await bench.phonerack(['phone', 'record', one, '--for', '10ms', '-o', file])
  expect(again).toMatchObject({ exitCode: 2 })
  expect(bench.service.seen).toHaveLength(before)
})

it('keeps the video of a recording that Ctrl-C ends', async () => {
  takeRecordings()
  const stop = new AbortController()
  setTimeout(() => stop.abort(new Cancelled('Interrupted.', true)), 300)
  const words = ['phone', 'record', one, '-o', path.join(bench.home, 'video.mp4')]
  const result = await bench.phonerack(words, { terminal: true, signal: stop.signal })
  expect(result).toMatchObject({ exitCode: 0 })
  expect(result.out).toContain('Wrote 3 bytes to')
})
