/** Exit codes, error envelopes, help and operands, over a server that answers like the API. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { PhonerackError } from '@phonerack/sdk'
import { plainLines } from '@phonerack/shared/plain'
import { hostileTexts } from '@phonerack/shared/testing/plain-texts'
import { exitCodeOf } from './failure.js'
import { startBench, type Bench } from './testing/program.js'
import { phoneFields, refusal } from './testing/service.js'
import { Cancelled } from './usage-error.js'

const [one, two] = ['ph_aaaaaaaaaaaa', 'ph_bbbbbbbbbbbb']
let bench: Bench
beforeEach(async () => {
  bench = await startBench()
  bench.service.phones.push(phoneFields(one, 'shop'), phoneFields(two, 'bank', 'parked'))
})
afterEach(() => bench.close())

const sent = (): string[] => bench.service.seen.map(({ method, url }) => `${method} ${url}`)

it.each([
  [400, 'invalid_request_error', 'validation_failed', 2],
  [401, 'authentication_error', 'key_revoked', 3],
  [403, 'permission_error', 'phone_not_allowed', 4],
  [404, 'not_found_error', 'phone_not_found', 5],
  [409, 'conflict_error', 'phone_not_running', 6],
  [402, 'billing_error', 'insufficient_credits', 7],
  [429, 'rate_limit_error', 'rate_limited', 8],
  [422, 'invalid_request_error', 'install_failed', 9],
  [500, 'provider_error', 'provider_error', 10],
  [500, 'api_error', 'internal_error', 12],
  [500, 'provider_error', 'action_outcome_unknown', 13],
  [418, 'new_error', 'new_code', 1],
])('turns %i %s %s into exit code %i', async (status, type, code, exitCode) => {
  bench.service.answers.set(`GET /v1/phones/${one}`, () => refusal(status, type, code))
  const result = await bench.phonerack(['phone', 'get', one, '--json'])
  expect(result).toMatchObject({ exitCode, out: '' })
  expect(JSON.parse(result.err)).toMatchObject({ error: { type, code, request_id: 'req_aaaaaaaaaaaa' } })
})

it('ends with 11 without a connection', async () => {
  await bench.service.close()
  const env = { PHONERACK_API_KEY: 'prk_test', PHONERACK_BASE_URL: bench.service.baseUrl }
  for (const words of [['doctor'], ['phone', 'tap', one, '--text', 'Next']])
    expect((await bench.phonerack([...words], { env })).exitCode).toBe(11)
})

it('ends with 13 if the connection breaks after an action was sent', async () => {
  const server = createServer((request) => request.socket.destroy())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const env = { PHONERACK_API_KEY: 'prk_test', PHONERACK_BASE_URL: baseUrl }
  const tapped = await bench.phonerack(['phone', 'tap', one, '--text', 'Next', '--json'], { env })
  expect(tapped.exitCode).toBe(13)
  expect(JSON.parse(tapped.err)).toMatchObject({ error: { code: 'connection_failed', retryable: false } })
  await new Promise((resolve) => server.close(resolve))
})

it('ends with 13 if a proxy refuses the repeat of a create that may have been carried out', async () => {
  let [asked, first] = [0, 502]
  bench.service.answers.set('POST /v1/phones', () => ({
    status: (asked += 1) === 1 ? first : 403,
    body: Buffer.from('<h1>Proxy</h1>'),
  }))
  const made = await bench.phonerack(['phone', 'create', '--json'])
  expect(made.exitCode).toBe(13)
  const [, repeat] = bench.service.seen
  expect(JSON.parse(made.err)).toMatchObject({
    error: { code: 'unexpected_answer', details: { idempotency_key: repeat?.headers['idempotency-key'] } },
  })
  ;[asked, first] = [0, 403]
  expect((await bench.phonerack(['phone', 'create', '--json'])).exitCode).toBe(12)
})

it('prints usage errors as a sentence, or as an envelope with --json', async () => {
  const text = await bench.phonerack(['phone', 'tpa'])
  expect(text).toMatchObject({ exitCode: 2, out: '' })
  expect(text.err).toContain("error: Unknown command 'tpa'.")
  expect(text.err).toContain('tap')
  const json = await bench.phonerack(['--json', 'phone', 'tap', one, '--no-such'])
  expect(JSON.parse(json.err)).toMatchObject({
    error: { type: 'usage_error', message: "Unknown option '--no-such'." },
  })
})

it('prints help without any words', async () => {
  const bare = await bench.phonerack([])
  expect(bare).toMatchObject({ exitCode: 0, err: '' })
  expect(bare.out).toBe((await bench.phonerack(['--help'])).out)
})

it('names commands as the next step, and requests in JSON', async () => {
  const next = `POST /v1/phones/${two}/start`
  bench.service.answers.set(`GET /v1/phones/${two}/observe`, () =>
    refusal(409, 'conflict_error', 'phone_not_running', { next }),
  )
  const { err } = await bench.phonerack(['phone', 'observe', two])
  expect(err).toContain(`next:  \`phonerack phone start ${two}\`\n`)
  const json = await bench.phonerack(['phone', 'observe', two, '--json'])
  expect(JSON.parse(json.err)).toMatchObject({ error: { next } })
})

it('prints help on stdout, with the operands as they are', async () => {
  const help = await bench.phonerack(['phone', '--help'])
  expect(help).toMatchObject({ exitCode: 0, err: '' })
  expect(help.out).toContain('type [phone] <text>')
  expect(help.out).toContain('delete <phone>')
  expect((await bench.phonerack(['phone', 'type', '--help'])).out).toContain('[phone] <text>')
})

it('finds a phone by its name, and sends no such request for an id', async () => {
  expect((await bench.phonerack(['phone', 'observe', 'shop'])).exitCode).toBe(0)
  expect((await bench.phonerack(['phone', 'observe', one])).exitCode).toBe(0)
  expect(sent()).toEqual(['GET /v1/phones', `GET /v1/phones/${one}/observe`, `GET /v1/phones/${one}/observe`])
})

it('names the ids of two phones with one name, and sends nothing to them', async () => {
  bench.service.phones.push(phoneFields('ph_cccccccccccc', 'shop'))
  const result = await bench.phonerack(['phone', 'park', 'shop'])
  expect(result).toMatchObject({ exitCode: 2 })
  expect(result.err).toContain(`2 phones have the name "shop": ${one}, ph_cccccccccccc.`)
  expect(sent()).toEqual(['GET /v1/phones'])
})

it('reports a name that no phone has as not found', async () => {
  expect(await bench.phonerack(['phone', 'park', 'none'])).toMatchObject({ exitCode: 5 })
})

it('takes the default phone of the environment', async () => {
  const env = {
    PHONERACK_API_KEY: 'prk_test',
    PHONERACK_BASE_URL: bench.service.baseUrl,
    PHONERACK_PHONE: two,
  }
  expect((await bench.phonerack(['phone', 'get', '-q'], { env })).out).toBe(`${two}\n`)
  expect((await bench.phonerack(['phone', 'get'])).err).toContain('The phone is missing.')
})

it('prints nothing that hides or moves text, and keeps each value in JSON', async () => {
  const phones = hostileTexts.map(({ text }, index) => phoneFields(`ph_${index}`, text))
  bench.service.phones.splice(0, 2, ...phones)
  const text = await bench.phonerack(['phone', 'list'])
  const rows = text.out.split('\n')
  for (const [index, { about, plain }] of hostileTexts.entries())
    expect(rows[index + 1], about).toContain(`  ${plain}  `)
  const json = await bench.phonerack(['phone', 'list', '--json'])
  expect(JSON.parse(json.out)).toMatchObject({
    data: phones.map(({ name }) => ({ name })),
    next_cursor: null,
  })
  for (const { out } of [text, json]) expect(plainLines(out)).toBe(out)
})

it('prints nothing that hides or moves text of the errors of the service', async () => {
  const message = hostileTexts.map(({ text }) => text).join('\n')
  bench.service.answers.set(`GET /v1/phones/${one}`, () => refusal(404, 'not_found_error', 'x', { message }))
  const { err } = await bench.phonerack(['phone', 'get', one])
  for (const { about, lines } of hostileTexts) expect(err, about).toContain(lines)
  const json = await bench.phonerack(['phone', 'get', one, '--json'])
  expect(JSON.parse(json.err)).toMatchObject({ error: { message } })
  for (const printed of [err, json.err]) expect(plainLines(printed)).toBe(printed)
})

it('colors only on a terminal, and not with NO_COLOR', async () => {
  const env = { PHONERACK_API_KEY: 'prk_test', PHONERACK_BASE_URL: bench.service.baseUrl }
  const list = ['phone', 'list']
  expect((await bench.phonerack(list)).out).not.toContain('\u001b')
  expect((await bench.phonerack(list, { terminal: true })).out).toContain('\u001b[32mready')
  expect((await bench.phonerack(list, { terminal: true, env: { ...env, NO_COLOR: '1' } })).out).not.toContain(
    '\u001b',
  )
})

it('ends with 130 after Ctrl-C', async () => {
  const interrupt = new AbortController()
  bench.service.answers.set(`GET /v1/phones/${one}`, () => {
    interrupt.abort(new Cancelled('Interrupted.', true))
    return { body: {} }
  })
  const result = await bench.phonerack(['phone', 'get', one], { signal: interrupt.signal })
  expect(result).toMatchObject({ exitCode: 130 })
})

it.each([
  { issues: [null, 'x', { path: [null, 'a', 1], message: { toString: 1 } }] },
  { candidates: [{ ref: 1, center: [null, { toString: 1 }] }, { toString: 1 }, null, Object.create(null)] },
])('prints details of an unexpected form', async (details) => {
  bench.service.answers.set(`GET /v1/phones/${one}`, () =>
    refusal(400, 'invalid_request_error', 'validation_failed', { details }),
  )
  const result = await bench.phonerack(['phone', 'get', one])
  expect(result).toMatchObject({ exitCode: 2 })
  expect(result.err).toContain('It is validation_failed.')
  expect(result.err).toContain('"toString":1')
})

it.each(['constructor', 'toString', '__proto__'])('ends with 1 after an error of the type %s', (type) => {
  const fields = { type, code: 'new_code', message: 'New.', retryable: false, next: null, details: {} }
  expect(exitCodeOf(new PhonerackError(fields))).toBe(1)
})

it('prints a phone of the status `constructor` on a terminal', async () => {
  bench.service.phones.splice(0, 1, phoneFields(one, 'shop', 'constructor'))
  const result = await bench.phonerack(['phone', 'list'], { terminal: true })
  expect(result).toMatchObject({ exitCode: 0 })
  expect(result.out).toContain('constructor')
})

it.each(['localhost:7700', 'phones.example', 'file:///etc'])('refuses the address %s', async (address) => {
  const message = `error: \`${address}\` is not an address.\nnext:  Give an address such as https://phones.example.`
  const env = { PHONERACK_API_KEY: 'prk_test', PHONERACK_BASE_URL: address }
  const status = await bench.phonerack(['status'], { env })
  expect(status).toMatchObject({ exitCode: 2 })
  expect(status.err).toContain(message)
  const login = await bench.phonerack(['login', '--base-url', address], { env: {} })
  expect(login).toMatchObject({ exitCode: 2 })
  expect(login.err).toContain(message)
})
