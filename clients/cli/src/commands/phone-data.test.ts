/** Files, installs, settings and hand-overs of a phone. */
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startBench, type Bench } from '../testing/program.js'
import { phoneFields } from '../testing/service.js'
import { installableOf } from './phone-install.js'

const one = 'ph_aaaaaaaaaaaa'
let bench: Bench
beforeEach(async () => {
  bench = await startBench()
  bench.service.phones.push(phoneFields(one, 'shop'))
})
afterEach(() => bench.close())

const sentBody = (): unknown => JSON.parse(bench.service.seen.at(-1)?.body ?? 'null')

it('prints a file on a terminal only as text without control characters', async () => {
  const words = ['phone', 'pull', one, '/sdcard/a', '-o', '-']
  let body = Buffer.from('milk\u001b]0;title\u0007\u009b2J\n')
  bench.service.answers.set(`GET /v1/phones/${one}/files/content`, () => ({ body }))
  expect(await bench.phonerack(words, { terminal: true })).toMatchObject({ exitCode: 0, out: 'milk\n' })
  body = Buffer.from([137, 80, 0, 27])
  expect(await bench.phonerack(words, { terminal: true })).toMatchObject({ exitCode: 2, out: '' })
})

it('removes control characters from an id of the server', async () => {
  const id = 'ph_\u001b[2J\u009b\u202eb'
  bench.service.answers.set('POST /v1/phones', () => ({ status: 201, body: phoneFields(id, 'shop') }))
  for (const flags of [[], ['--quiet'], ['--json']]) {
    const { out, err } = await bench.phonerack(['phone', 'create', ...flags], { terminal: true })
    // oxlint-disable-next-line no-control-regex -- the test searches for these characters
    expect(`${out}${err}`).not.toMatch(/\u001b\[2J|\u009b|\u202e/)
  }
})

it('copies files, and never writes outside the folder that the name stands for', async () => {
  const content = Buffer.from([0, 1, 2, 255])
  bench.service.answers.set(`GET /v1/phones/${one}/files/content`, () => ({ body: content }))
  bench.service.answers.set(`PUT /v1/phones/${one}/files`, ({ url }) => ({
    status: 201,
    body: { path: new URL(url, 'http://x').searchParams.get('path'), size: 4 },
  }))
  expect((await bench.phonerack(['phone', 'pull', one, '/sdcard/a.bin', '-o', '-'])).bytes).toEqual(content)
  const file = path.join(bench.home, 'a b.txt')
  await writeFile(file, 'milk')
  expect((await bench.phonerack(['phone', 'push', one, file, '-q'])).out).toBe('/sdcard/Download/a b.txt\n')
  expect(bench.service.seen.at(-1)).toMatchObject({ body: 'milk' })
  expect((await bench.phonerack(['phone', 'push', one, file, '--to', '/sdcard/x/', '-q'])).out).toBe(
    '/sdcard/x/a b.txt\n',
  )
  expect(await bench.phonerack(['phone', 'push', one, path.join(bench.home, 'none')])).toMatchObject({
    exitCode: 2,
  })
})

it('lists a folder of the phone or of the default phone', async () => {
  const data = [{ name: 'DCIM', type: 'directory', size: 0, modified_at: null }]
  bench.service.answers.set(`GET /v1/phones/${one}/files`, () => ({ body: { path: '/sdcard', data } }))
  expect((await bench.phonerack(['phone', 'ls', one])).out).toContain('DCIM/')
  const env = {
    PHONERACK_API_KEY: 'prk_test',
    PHONERACK_BASE_URL: bench.service.baseUrl,
    PHONERACK_PHONE: one,
  }
  await bench.phonerack(['phone', 'ls', '/sdcard/DCIM'], { env })
  expect(bench.service.seen.at(-1)?.url).toBe(`/v1/phones/${one}/files?path=%2Fsdcard%2FDCIM`)
})

it('tells files, packages and uploads apart', () => {
  const none = (): boolean => false
  expect(installableOf('upl_aaaaaaaaaaaa', none)).toEqual({ upload: 'upl_aaaaaaaaaaaa' })
  expect(installableOf('com.example.shop', none)).toEqual({ package: 'com.example.shop' })
  expect(installableOf('app.apk', () => true)).toBe('app.apk')
  expect(() => installableOf('app.apk', none)).toThrow('There is no file app.apk.')
})

it('installs an app of the library and waits for it; ends with 9 when the phone refuses it', async () => {
  const install = (status: string, error: string | null = null) => ({
    package: 'com.example.shop',
    upload: null,
    install: null,
    status,
    error,
    next: 'Free some space.',
    started_at: null,
    updated_at: null,
  })
  bench.service.answers.set(`POST /v1/phones/${one}/apps`, () => ({
    status: 202,
    body: { package: 'com.example.shop', status: 'running' },
  }))
  bench.service.answers.set(`GET /v1/phones/${one}/apps/installs`, () => ({
    body: { data: [install('succeeded')] },
  }))
  const words = ['phone', 'install', one, 'com.example.shop']
  expect((await bench.phonerack(words)).out).toBe(`Installed com.example.shop on ${one}.\n`)
  for (const [code, exitCode] of [
    ['install_failed', 9],
    ['version_downgrade', 9],
    ['action_outcome_unknown', 13],
  ] as const) {
    bench.service.answers.set(`GET /v1/phones/${one}/apps/installs`, () => ({
      body: { data: [install('failed', code)] },
    }))
    const failed = await bench.phonerack(words)
    expect(failed).toMatchObject({ exitCode, out: '' })
    expect(failed.err).toBe(
      `error: The install of com.example.shop failed.\nnext:  Free some space.\ncode:  ${code}\n`,
    )
  }
})

it('reads and sets clipboard and location', async () => {
  bench.service.answers.set(`GET /v1/phones/${one}/clipboard`, () => ({ body: { text: 'a\u001b[1mb\nc' } }))
  bench.service.answers.set(`PUT /v1/phones/${one}/location`, () => ({
    body: { lat: 1, lng: 2, timezone: null },
  }))
  expect((await bench.phonerack(['phone', 'clip', one])).out).toBe('ab\nc\n')
  expect(
    await bench.phonerack(['phone', 'locate', one, '--set', '-33.9,151.2', '--no-timezone']),
  ).toMatchObject({ exitCode: 0 })
  expect(sentBody()).toEqual({ lat: -33.9, lng: 151.2, timezone_from_location: false })
  expect(await bench.phonerack(['phone', 'locate', one, '--set', '91,0'])).toMatchObject({ exitCode: 2 })
})

it('hands the phone to a person, shows the link, and ends with 9 when they decline', async () => {
  const request = {
    object: 'handoff',
    id: 'hnd_aaaaaaaaaaaa',
    phone: one,
    message: 'Sign in',
    note: null,
    taken_at: null,

    created_at: '2026-11-21T12:50:00.000Z',
    expires_at: new Date(Date.now() + 60_000).toISOString(),
    ended_at: null,
  }
  bench.service.answers.set(`POST /v1/phones/${one}/handoffs`, () => ({
    status: 201,
    body: { ...request, status: 'open', url: 'https://phones.example/live#prl_x' },
  }))
  const ended = (status: string) => () => ({ body: { ...request, status, note: 'Done\u0007' } })
  bench.service.answers.set(`GET /v1/phones/${one}/handoffs/hnd_aaaaaaaaaaaa`, ended('done'))
  const words = ['phone', 'handoff', one, 'Sign in']
  const done = await bench.phonerack(words)
  expect(done).toMatchObject({ exitCode: 0, out: 'done: Done\n' })
  expect(done.err).toContain('https://phones.example/live#prl_x')
  bench.service.answers.set(`GET /v1/phones/${one}/handoffs/hnd_aaaaaaaaaaaa`, ended('declined'))
  expect(await bench.phonerack(words)).toMatchObject({ exitCode: 9 })
  expect((await bench.phonerack([...words, '--no-wait', '-q'])).out).toBe(
    'https://phones.example/live#prl_x\n',
  )
})

it.each([
  ['locale', 'de-DE', 'language'],
  ['timezone', 'Europe/Berlin', 'time zone'],
])('prints and sets the %s', async (name, value, label) => {
  bench.service.answers.set(`GET /v1/phones/${one}/${name}`, () => ({ body: { [name]: value } }))
  bench.service.answers.set(`PUT /v1/phones/${one}/${name}`, () => ({ body: { [name]: value } }))
  expect((await bench.phonerack(['phone', name, one])).out).toBe(`${value}\n`)
  expect((await bench.phonerack(['phone', name, one, '--set', value])).out).toBe(
    `The ${label} of ${one} is ${value}.\n`,
  )
  expect(sentBody()).toEqual({ [name]: value })
})
