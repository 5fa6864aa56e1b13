/** `webhook`, on a server that answers like the API. The real service is in `control-plane` and `e2e`. */
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startBench, type Bench } from '../testing/program.js'
import { refusal } from '../testing/service.js'

let bench: Bench
beforeEach(async () => (bench = await startBench()))
afterEach(() => bench.close())

const id = 'whk_aaaaaaaaaaaa'
const url = 'https://agents.example.com/phonerack'
const webhook = (fields: object = {}) => ({
  object: 'webhook',
  id,
  url,
  description: null,
  events: null,
  enabled: true,
  failing_since: null,
  earlier_secret_expires_at: null,
  created_at: '2026-11-21T12:00:00.000Z',
  ...fields,
})
const delivery = (fields: object = {}) => ({
  object: 'delivery',
  id: 'dlv_aaaaaaaaaaaa',
  webhook: id,
  event: 'evt_aaaaaaaaaaaa',
  type: 'phone.ready',
  status: 'pending',
  attempts: 2,
  created_at: '2026-11-21T12:00:00.000Z',
  last_attempt_at: null,

  next_attempt_at: '2026-11-21T12:55:00.000Z',
  duration_ms: null,
  error: null,
  response: null,
  ...fields,
})
const answer = (line: string, body: unknown, status = 200) =>
  bench.service.answers.set(line, () => ({ status, body }))
const sent = () => JSON.parse(bench.service.seen.at(-1)?.body ?? 'null') as unknown

it('creates a webhook and prints its secret alone on stdout, and rotates it', async () => {
  answer('POST /v1/webhooks', webhook({ secret: 'whsec_a' }), 201)
  const words = ['webhook', 'create', url, '--type', 'phone.ready', '--type', 'handoff.done']
  const made = await bench.phonerack([...words, '--description', 'Agents'])
  expect(made).toMatchObject({ exitCode: 0, out: 'whsec_a\n' })
  expect(made.err).toContain(`${id} signs with this secret`)
  expect(sent()).toEqual({ url, events: ['phone.ready', 'handoff.done'], description: 'Agents' })
  expect((await bench.phonerack(['webhook', 'create', url, '-q'])).out).toBe('whsec_a\n')
  expect(sent()).toEqual({ url })
  expect(JSON.parse((await bench.phonerack(['webhook', 'create', url, '--json'])).out)).toMatchObject({ id })
  answer(`POST /v1/webhooks/${id}/rotate`, webhook({ secret: 'whsec_b' }))
  expect((await bench.phonerack(['webhook', 'rotate', id])).out).toBe('whsec_b\n')
})

it('lists webhooks and shows one', async () => {
  expect((await listed([])).out).toContain('No webhooks.')
  const off = webhook({ enabled: false, events: ['phone.ready', 'phone.failed'] })
  const failing = webhook({ id: 'whk_b', failing_since: '2026-11-21T10:50:00.000Z', url: `${url}\u001b[31m` })
  const table = await listed([off, failing])
  expect(table.out).toContain('phone.ready, phone.failed  off')
  expect(table.out).toContain('all                        failing since 2 h ago')
  expect(table.out).not.toContain('\u001b')
  expect((await bench.phonerack(['webhook', 'list', '-q'])).out).toBe(`${id}\nwhk_b\n`)
  answer(`GET /v1/webhooks/${id}`, off)
  expect((await bench.phonerack(['webhook', 'show', id])).out).toContain(`url    ${url}`)
})
async function listed(data: object[]) {
  answer('GET /v1/webhooks', { data })
  return bench.phonerack(['webhook', 'list'])
}

it('changes a webhook, and switches it off and on', async () => {
  answer(`PATCH /v1/webhooks/${id}`, webhook())
  const update = (...words: string[]) => bench.phonerack(['webhook', 'update', id, ...words])
  expect(await update('--disable')).toMatchObject({ exitCode: 0 })
  expect(sent()).toEqual({ enabled: false })
  await update('--enable', '--all-types', '--description', '', '--url', 'https://b.example')
  expect(sent()).toEqual({ enabled: true, events: null, description: null, url: 'https://b.example' })
  await update('--type', 'phone.ready')
  expect(sent()).toEqual({ events: ['phone.ready'] })
  const count = bench.service.seen.length
  for (const words of [[], ['--enable', '--disable'], ['--type', 'a', '--all-types']])
    expect(await update(...words)).toMatchObject({ exitCode: 2, out: '' })
  expect(bench.service.seen).toHaveLength(count)
})

it('deletes a webhook only after a confirmation', async () => {
  answer(`DELETE /v1/webhooks/${id}`, { id, deleted: true })
  expect(await bench.phonerack(['webhook', 'delete', id])).toMatchObject({ exitCode: 2 })
  expect(bench.service.seen).toEqual([])
  expect((await bench.phonerack(['webhook', 'delete', id, '--yes'])).out).toBe(`Deleted ${id}.\n`)
  bench.service.answers.set(`DELETE /v1/webhooks/${id}`, () =>
    refusal(404, 'not_found_error', 'webhook_not_found'),
  )
  expect(await bench.phonerack(['webhook', 'delete', id, '--yes'])).toMatchObject({ exitCode: 5 })
})

it('sends a test, lists deliveries, and sends one again', async () => {
  answer(`POST /v1/webhooks/${id}/test`, delivery(), 202)
  expect((await bench.phonerack(['webhook', 'test', id])).out).toContain('Sending dlv_aaaaaaaaaaaa.')
  const data = [
    delivery({ error: 'timeout' }),
    delivery({
      id: 'dlv_b',
      status: 'succeeded',
      next_attempt_at: null,
      response: { status: 204, body: '' },
    }),
  ]
  answer(`GET /v1/webhooks/${id}/deliveries`, { data, next_cursor: 'more' })
  const table = await bench.phonerack(['webhook', 'deliveries', id, '--limit', '2'])
  expect(table.out).toMatch(
    /dlv_aaaaaaaaaaaa {2}phone\.ready {2}evt_aaaaaaaaaaaa {2}pending {4}2 {9}timeout {2}in 5 min/,
  )
  expect(table.out).toMatch(/dlv_b .*succeeded {2}2 {9}204 {6}-/)
  expect(table.err).toContain('--cursor more')
  expect(bench.service.seen.at(-1)?.url).toBe(`/v1/webhooks/${id}/deliveries?limit=2`)
  answer(`POST /v1/webhooks/${id}/deliveries/dlv_b/retry`, delivery({ id: 'dlv_b' }), 202)
  expect((await bench.phonerack(['webhook', 'retry', id, 'dlv_b'])).out).toBe('Sending dlv_b again.\n')
})
