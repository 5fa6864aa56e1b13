/** Long answers of tools: each stays below the limit of clients, and the calls that it names read the rest. */
import { newId } from '@phonerack/shared'
import { describe, expect, it } from 'vitest'
import { createApi, type Send } from './api.js'
import { maxBytes } from './lists.js'
import { plainFields } from './text.js'
import { tools } from './tools/index.js'
import { type ToolAnswer } from './tool.js'

const long = '漢"'.repeat(300)
const entriesOf = (count: number, fields: (index: number) => object): object[] =>
  Array.from({ length: count }, (_, index) => ({ id: `entry-${index}`, ...fields(index) }))

/** Answers `/v1` with pages of a list, or with the whole list for a path that has no pages. */
const serving =
  (all: readonly object[], isPaged: boolean, fields: object = {}): Send =>
  ({ query = {} }) => {
    const from = Number(query['cursor'] ?? 0)
    const end = isPaged ? from + Number(query['limit'] ?? 50) : all.length
    const body = {
      ...fields,
      data: all.slice(from, end),
      ...(isPaged ? { next_cursor: end < all.length ? String(end) : null } : {}),
    }
    return Promise.resolve({ status: 200, headers: {}, bytes: Buffer.from(JSON.stringify(body)) })
  }

const run = async (name: string, args: object, send: Send): Promise<ToolAnswer> => {
  const tool = tools.find((each) => each.name === name)
  if (!tool) throw new Error(`no tool ${name}`)
  const answer = await tool.run(
    tool.input.parse(args),
    createApi(send, newId('request'), new AbortController().signal),
  )
  // Clients show one of these two forms. The 2,000 bytes are for the head and the last line.
  for (const form of [answer.text, JSON.stringify(plainFields(answer.structured))])
    expect(Buffer.byteLength(form)).toBeLessThan(maxBytes + 2000)
  return answer
}

/** Reads all pages by the calls that the last line of each text names. */
async function readAll(name: string, args: object, send: Send): Promise<{ ids: unknown[]; calls: number }> {
  const ids: unknown[] = []
  let next: object = {}
  for (let calls = 1; ; calls += 1) {
    const { structured, text } = await run(name, { ...args, ...next }, send)
    ids.push(...(structured['data'] as { id: unknown }[]).map(({ id }) => id))
    const [, field = '', value = ''] = /\nnext_(cursor|offset) "?(\d+)"?: .*$/.exec(text) ?? []
    if (field === '') return { ids, calls }
    next = { [field]: field === 'offset' ? Number(value) : value }
  }
}

const phone = { phone_id: 'ph_aaaaaaaaaaaa' }
const app = (index: number) => ({ package: `com.example.a${index}`, label: long, system: false, next: null })
const step = { status: 'succeeded', by: {}, actions: [], results: [{ matched: long }] }

describe('a long list', () => {
  it.each<[string, object, object[], boolean]>([
    ['list_phones', {}, entriesOf(50, () => ({ metadata: { a: long, b: long } })), true],
    ['read_log', { ...phone, kind: 'log' }, entriesOf(70, () => ({ message: long })), true],
    ['read_log', { ...phone, kind: 'crashes', limit: 50 }, entriesOf(50, () => ({ stack: long })), true],
    ['list_steps', phone, entriesOf(60, () => ({ ...step, actions: [{ type: 'type', text: long }] })), true],
    ['search_library', {}, entriesOf(120, (index) => ({ ...app(index), version_name: long })), true],
    ['list_files', phone, entriesOf(2000, (index) => ({ name: `${index}-${long.slice(0, 80)}` })), false],
    ['notifications', phone, entriesOf(90, () => ({ title: long, text: long })), false],
    ['record_screen', { ...phone, operation: 'list' }, entriesOf(400, () => ({ name: long })), false],
    ['list_apps', phone, entriesOf(300, app), false],
  ])('%s %j reads a long list in parts, each entry once', async (name, args, all, isPaged) => {
    const { ids, calls } = await readAll(name, args, serving(all, isPaged, { path: '/sdcard' }))
    expect(ids).toEqual(all.map((entry) => (entry as { id: string }).id))
    expect(calls).toBeGreaterThan(1)
  })
})

describe('one entry that is too long', () => {
  it('in read_log is shown with its texts cut, and those that follow are read', async () => {
    const all = entriesOf(4, () => ({ message: '漢'.repeat(65_536), reason: 'short' }))
    const send = serving(all, true)
    const { text } = await run('read_log', { ...phone, kind: 'crashes' }, send)
    expect(text).toMatch(/漢… \(\d+ more characters\)" reason=short/)
    expect((await readAll('read_log', { ...phone, kind: 'crashes' }, send)).ids).toHaveLength(4)
  })
})

it('permissions that were left out are named', async () => {
  const permissions = entriesOf(3000, () => ({ granted: true }))
  const send: Send = () =>
    Promise.resolve({ status: 200, headers: {}, bytes: Buffer.from(JSON.stringify({ permissions })) })
  const { text } = await run('set_permissions', { ...phone, package: 'a.b' }, send)
  expect(text).toMatch(/next: \d+ more permissions were left out: GET \/v1\//)
})

it.each([
  ['text', Buffer.from('漢"\n\\'.repeat(20_000))],
  ['text that JSON makes longer', Buffer.from('"'.repeat(90_000))],
  ['binary content', Buffer.alloc(150_000, 0)],
])('a file with %s is read in parts by next_offset', async (_, file) => {
  const send: Send = () => Promise.resolve({ status: 200, headers: {}, bytes: file })
  const parts: Buffer[] = []
  for (let offset: unknown = 0; offset !== null;) {
    const { structured } = await run(
      'read_file',
      { ...phone, path: '/sdcard/a', offset, max_bytes: 60_000 },
      send,
    )
    const encoding = structured['encoding'] === 'base64' ? 'base64' : 'utf8'
    parts.push(Buffer.from(structured['content'] as string, encoding))
    offset = structured['next_offset']
  }
  expect(Buffer.concat(parts).equals(file)).toBe(true)
})

it('a batch with long results leaves less room for the screen', async () => {
  const candidates = Array.from({ length: 5 }, () => ({ text: long.repeat(2), desc: long.repeat(2) }))
  const error = {
    code: 'target_not_found',
    message: 'No.',
    retryable: false,
    next: null,
    details: { candidates },
  }
  const ok = { type: 'tap', ok: true, ms: 1, matched: long.repeat(2) }
  const results = [
    ...Array.from({ length: 19 }, (__, index) => ({ ...ok, index })),
    { index: 19, type: 'tap', ok: false, ms: 1, error },
  ]
  const observation = { snapshot_id: 'snp_a', text: `${long}\n`.repeat(200), taken_at: '' }
  const body = JSON.stringify({ results, completed: 19, observation })
  const send: Send = () => Promise.resolve({ status: 200, headers: {}, bytes: Buffer.from(body) })
  const actions = results.map(() => ({ type: 'tap', target: { text: 'a' } }))
  const { text } = await run('act', { ...phone, actions }, send)
  expect(text).toContain('more elements were left out')
})
