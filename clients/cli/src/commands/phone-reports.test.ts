/** Reports of a phone, for people and scripts. */
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startBench, type Bench } from '../testing/program.js'
import { phoneFields } from '../testing/service.js'

const one = 'ph_aaaaaaaaaaaa'
const at = `/v1/phones/${one}`
let bench: Bench
beforeEach(async () => {
  bench = await startBench()
  bench.service.phones.push(phoneFields(one, 'shop'))
})
afterEach(() => bench.close())

const lastUrl = () => new URL(bench.service.seen.at(-1)?.url ?? '', 'http://x')

it('prints the log, the newest line last, without control characters', async () => {
  const line = (message: string) => ({
    at: '2026-11-21T12:49:30.086Z',
    level: 'warn',
    tag: 'Tag',
    pid: 12,
    package: null,
    message,
  })
  const body = { data: [line('second\u001b[2J'), line('first\nmore')], next_cursor: null }
  bench.service.answers.set(`GET ${at}/logs`, () => ({ body }))
  const words = [
    'phone',
    'logs',
    one,
    '--package',
    'com.a',
    '--level',
    'warn',
    '--since',
    '10m',
    '--limit',
    '2',
  ]
  expect((await bench.phonerack(words, { terminal: true })).out).toBe(
    '2026-11-21T12:49:30.086Z W/Tag(12): first\n    more\n2026-11-21T12:49:30.086Z W/Tag(12): second\n',
  )
  const query = Object.fromEntries(lastUrl().searchParams)
  expect(query).toMatchObject({ package: 'com.a', level: 'warn', limit: '2' })
  expect(Date.now() - Date.parse(query['since'] ?? '')).toBeGreaterThanOrEqual(600_000)
  expect(await bench.phonerack(['phone', 'logs', one, '--level', 'loud'])).toMatchObject({ exitCode: 2 })
})

it('prints crashes with their stacks', async () => {
  const crash = {
    at: '2026-11-21T12:49:30.086Z',
    kind: 'crash',
    package: 'com.a',
    process: 'com.a',
    pid: 12,
    exception: 'x.Y',
    reason: 'why',
    stack: 'x.Y: why\n\tat a.b',
    truncated: false,
  }
  bench.service.answers.set(`GET ${at}/crashes`, () => ({ body: { data: [crash], next_cursor: null } }))
  const { out } = await bench.phonerack(['phone', 'crashes', one])
  expect(out).toContain('crash  com.a  x.Y: why\nx.Y: why\n')
  expect((await bench.phonerack(['phone', 'crashes', one, '-q'])).out).toBe('com.a\n')
})

it('lists notifications, and opens and dismisses one', async () => {
  const notice = {
    id: 'ntf_aaaaaaaaaaaa',
    package: 'com.a',
    title: 'Title',
    text: 'Text',
    dismissible: true,
    posted_at: null,
  }
  bench.service.answers.set(`GET ${at}/notifications`, () => ({ body: { data: [notice] } }))
  expect((await bench.phonerack(['phone', 'notifications', one, '-q'])).out).toBe('ntf_aaaaaaaaaaaa\n')
  expect((await bench.phonerack(['phone', 'notifications', one])).out).toContain('Title')
  const json = await bench.phonerack(['phone', 'notifications', one, '--json'])
  expect(JSON.parse(json.out)).toEqual({ data: [notice] })
  for (const verb of ['open', 'dismiss']) {
    const path = `${at}/notifications/ntf_aaaaaaaaaaaa/${verb}`
    bench.service.answers.set(`POST ${path}`, () => ({ body: { id: 'ntf_aaaaaaaaaaaa' } }))
    expect(
      await bench.phonerack(['phone', 'notifications', one, `--${verb}`, 'ntf_aaaaaaaaaaaa']),
    ).toMatchObject({ exitCode: 0 })
    expect(lastUrl().pathname).toBe(path)
  }
  const both = ['phone', 'notifications', one, '--open', 'a', '--dismiss', 'b']
  expect(await bench.phonerack(both)).toMatchObject({ exitCode: 2 })
})

it('grants and revokes permissions, with or without their prefix', async () => {
  const permissions = [{ name: 'android.permission.CAMERA', granted: true }]
  bench.service.answers.set(`POST ${at}/apps/com.a/permissions`, () => ({
    body: { package: 'com.a', permissions },
  }))
  const words = ['phone', 'permissions', one, 'com.a', '--grant', 'camera']
  expect((await bench.phonerack([...words, '--grant', 'read_sms', '--revoke', 'a.b.C'])).out).toBe(
    'android.permission.CAMERA granted\n',
  )
  expect(JSON.parse(bench.service.seen.at(-1)?.body ?? '')).toEqual({
    grant: ['android.permission.CAMERA', 'android.permission.READ_SMS'],
    revoke: ['a.b.C'],
  })
  expect(await bench.phonerack(['phone', 'permissions', one, 'com.a'])).toMatchObject({ exitCode: 2 })
  // The option takes one value, so the phone and the package can follow it.
  expect(await bench.phonerack(['phone', 'permissions', '--grant', 'camera', one, 'com.a'])).toMatchObject({
    exitCode: 0,
  })
})
