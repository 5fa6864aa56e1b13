/** `events`, on a server whose stream ends. */
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startBench, type Bench } from '../testing/program.js'
import { refusal, type Answer } from '../testing/service.js'
import { Cancelled } from '../usage-error.js'

let bench: Bench
let stop: AbortController
beforeEach(async () => {
  bench = await startBench()
  stop = new AbortController()
})
afterEach(() => bench.close())

const events = [
  {
    id: 'evt_1',
    object: 'event',
    type: 'phone.failed',
    created_at: '2026-11-21T12:50:00.000Z',
    phone_id: 'ph_aaaaaaaaaaaa',
    data: { phone: { id: 'ph_aaaaaaaaaaaa', failure: { code: 'phone_unavailable\u001b[31m' } } },
  },
  {
    id: 'evt_2',
    object: 'event',
    type: 'session.ended',
    created_at: '2026-11-21T12:50:01.000Z',
    phone_id: 'ph_aaaaaaaaaaaa',
    data: { session: { id: 'ses_aaaaaaaaaaaa', end_reason: 'idle', cost_usd: '0.060000' } },
  },
  {
    id: 'evt_3',
    object: 'event',
    type: 'app.crashed',
    created_at: '2026-11-21T12:50:02.000Z',
    phone_id: 'ph_aaaaaaaaaaaa',
    data: { crash: { package: 'com.a', kind: 'crash', exception: 'x.Y', at: null } },
  },
  { object: 'gap', type: 'gap', last_event_id: 'evt_0' },
]

/** The first stream has the events; the next request is Ctrl-C. */
function answer(): Answer {
  const [first] = bench.service.seen.filter(({ url }) => url.startsWith('/v1/events'))
  if (bench.service.seen.at(-1) !== first) stop.abort(new Cancelled('Interrupted.', true))
  const text = events.map(
    (event) => `id: ${'id' in event ? event.id : ''}\ndata: ${JSON.stringify(event)}\n\n`,
  )
  return { body: Buffer.from(text.join('')), headers: { 'content-type': 'text/event-stream' } }
}
const follow = (...words: string[]) => {
  bench.service.answers.set('GET /v1/events', answer)
  return bench.phonerack(['events', ...words], { signal: stop.signal })
}

it('prints one line for each event, until it is interrupted', async () => {
  const result = await follow('--type', 'phone.failed', '--phone', 'ph_aaaaaaaaaaaa', '--after', 'evt_0')
  expect(result.exitCode).toBe(130)
  expect(result.out).toBe(
    '2026-11-21T12:50:00.000Z  phone.failed  ph_aaaaaaaaaaaa  failure=phone_unavailable\n' +
      '2026-11-21T12:50:01.000Z  session.ended  ph_aaaaaaaaaaaa  id=ses_aaaaaaaaaaaa end_reason=idle cost_usd=0.060000\n' +
      '2026-11-21T12:50:02.000Z  app.crashed  ph_aaaaaaaaaaaa  kind=crash package=com.a exception=x.Y\n' +
      'Events after evt_0 have expired.\n',
  )
  expect(result.err).toContain('Waiting for events.')
  expect(result.err).toContain('The connection was lost; trying again.')
  const [seen] = bench.service.seen
  expect(seen?.url).toBe('/v1/events?type=phone.failed&phone=ph_aaaaaaaaaaaa')
  expect(seen?.headers['last-event-id']).toBe('evt_0')
})

it('prints the objects of the API with --json, and IDs with --quiet', async () => {
  const json = await follow('--json')
  const lines = json.out.trim().split('\n')
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(events)
  bench.service.seen.length = 0
  stop = new AbortController()
  expect((await follow('--quiet')).out).toBe('evt_1\nevt_2\nevt_3\n')
})

it('refuses an --after that no header can carry, and a service that sends something else', async () => {
  const ellipsis = await bench.phonerack(['events', '--after', 'evt_…'])
  expect(ellipsis).toMatchObject({ exitCode: 2, out: '' })
  expect(ellipsis.err).toContain('`--after` takes the id of an event, not `evt_…`.')
  expect(bench.service.seen).toEqual([])
  bench.service.answers.set('GET /v1/events', () => ({
    body: Buffer.from('<p>Welcome</p>'),
    headers: { 'content-type': 'text/html' },
  }))
  const page = await bench.phonerack(['events'])
  expect(page).toMatchObject({ exitCode: 12, out: '' })
  expect(page.err).toContain('unexpected_answer')
})

it('ends with the refusal of the API', async () => {
  bench.service.answers.set('GET /v1/events', () =>
    refusal(400, 'invalid_request_error', 'validation_failed'),
  )
  const result = await bench.phonerack(['events', '--type', 'x'])
  expect(result).toMatchObject({ exitCode: 2, out: '' })
  expect(result.err).toContain('validation_failed')
})

it('lists past events with --past, one page or all', async () => {
  const past = events.filter((event) => event.object === 'event')
  bench.service.answers.set('GET /v1/events', ({ url }) =>
    url.includes('cursor=')
      ? { body: { data: past.slice(2), next_cursor: null } }
      : { body: { data: past.slice(0, 2), next_cursor: 'more' } },
  )
  const page = await bench.phonerack(['events', '--past', '--type', 'app.crashed', '--limit', '2'])
  expect(page.exitCode).toBe(0)
  expect(page.out.split('\n')[0]).toBe(
    '2026-11-21T12:50:00.000Z  phone.failed  ph_aaaaaaaaaaaa  failure=phone_unavailable',
  )
  expect(page.err).toContain('There are more: add --all, or --cursor more')
  expect(bench.service.seen.map(({ url }) => url)).toEqual(['/v1/events?type=app.crashed&limit=2'])
  expect((await bench.phonerack(['events', '--past', '--all', '--quiet'])).out).toBe('evt_1\nevt_2\nevt_3\n')
  const json = await bench.phonerack(['events', '--past', '--cursor', 'more', '--json'])
  expect(JSON.parse(json.out)).toEqual({ data: past.slice(2), next_cursor: null })
})

it.each([
  [['--past', '--after', 'evt_1'], '`--after` is not for past events.'],
  [['--all'], '`--limit`, `--cursor` and `--all` are for lists.'],
])('refuses %s', async (flags, message) => {
  const result = await bench.phonerack(['events', ...flags])
  expect(result).toMatchObject({ exitCode: 2, out: '' })
  expect(result.err).toContain(message)
  expect(bench.service.seen).toEqual([])
})
