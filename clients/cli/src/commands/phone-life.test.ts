/** Renting, parking, deleting, and the default phone. */
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startBench, type Bench } from '../testing/program.js'
import { apiKey, phoneFields, refusal } from '../testing/service.js'

const one = 'ph_aaaaaaaaaaaa'
let bench: Bench
beforeEach(async () => {
  bench = await startBench()
  bench.service.phones.push(phoneFields(one, 'shop'))
})
afterEach(() => bench.close())

it('restarts a phone, and resets one after a confirmation', async () => {
  const restarting = () => ({ status: 202, body: phoneFields(one, 'shop', 'starting') })
  for (const name of ['reboot', 'reset'])
    bench.service.answers.set(`POST /v1/phones/${one}/${name}`, restarting)
  expect(await bench.phonerack(['phone', 'reboot', one, '-q'])).toMatchObject({
    exitCode: 0,
    out: `${one}\n`,
  })
  expect(await bench.phonerack(['phone', 'reset', one])).toMatchObject({ exitCode: 2, out: '' })
  expect(bench.service.seen.map(({ url }) => url)).not.toContain(`/v1/phones/${one}/reset`)
  expect(await bench.phonerack(['phone', 'reset', one, '--yes', '-q'])).toMatchObject({
    exitCode: 0,
    out: `${one}\n`,
  })
})

it('fails immediately without a free phone, or waits for one', async () => {
  let left = 2
  const full = refusal(503, 'provider_error', 'capacity_unavailable', { retryable: true })
  bench.service.answers.set('POST /v1/phones', () =>
    (left -= 1) >= 0
      ? { ...full, headers: { 'retry-after': '1' } }
      : { status: 201, body: phoneFields(one, 'shop') },
  )
  expect((await bench.phonerack(['phone', 'create'])).err).toContain('capacity_unavailable')
  expect(await bench.phonerack(['phone', 'create', '--capacity', '5s', '-q'])).toMatchObject({
    exitCode: 0,
    out: `${one}\n`,
  })
})

it('creates a phone, waits until it is ready, and prints its id with --quiet', async () => {
  bench.service.answers.set('POST /v1/phones', () => ({
    status: 202,
    body: phoneFields(one, 'shop', 'creating'),
  }))
  const words = [
    'phone',
    'create',
    '--name',
    'shop',
    '--metadata',
    'run=1',
    'job=2',
    '--idle-timeout',
    '5m',
    '--on-idle',
    'delete',
  ]
  expect(await bench.phonerack([...words, '-q'])).toMatchObject({ exitCode: 0, out: `${one}\n`, err: '' })
  const [create, wait] = bench.service.seen
  expect(JSON.parse(create?.body ?? '')).toEqual({
    name: 'shop',
    metadata: { run: '1', job: '2' },
    on_idle: 'delete',
    idle_timeout: 300,
    wait: false,
  })
  expect(create?.headers['idempotency-key']).toMatch(/^[0-9a-f-]{36}$/)
  expect(wait?.url).toBe(`/v1/phones/${one}?wait=ready&timeout=50`)
})

it('names the phone that is billed when the wait fails', async () => {
  bench.service.answers.set('POST /v1/phones', () => ({
    status: 202,
    body: phoneFields(one, 'shop', 'creating'),
  }))
  bench.service.answers.set(`GET /v1/phones/${one}`, () =>
    refusal(403, 'permission_error', 'phone_not_allowed'),
  )
  const result = await bench.phonerack(['phone', 'create'])
  expect(result).toMatchObject({ exitCode: 4, out: '' })
  expect(result.err).toContain(`phonerack phone park ${one}`)
})

it.each([
  ['create', 'POST /v1/phones'],
  ['start', `POST /v1/phones/${one}/start`],
])('does not advise to repeat a %s that was carried out when the wait after it fails', async (name, line) => {
  bench.service.answers.set(line, () => ({ status: 202, body: phoneFields(one, 'shop', 'starting') }))
  bench.service.answers.set(`GET /v1/phones/${one}`, () =>
    refusal(503, 'provider_error', 'service_unavailable', { retryable: true }),
  )
  const result = await bench.phonerack(['phone', name, ...(name === 'start' ? [one] : []), '--json'])
  expect(result).toMatchObject({ exitCode: 10, out: '' })
  expect(
    result.err
      .trim()
      .split('\n')
      .map((text): unknown => JSON.parse(text)),
  ).toMatchObject([{ id: one }, { error: { code: 'service_unavailable', retryable: false } }])
})

it('does not say so of a phone that has failed', async () => {
  bench.service.answers.set('POST /v1/phones', () => ({
    status: 202,
    body: phoneFields(one, 'shop', 'creating'),
  }))
  bench.service.answers.set(`GET /v1/phones/${one}`, () => ({ body: phoneFields(one, 'shop', 'failed') }))
  const result = await bench.phonerack(['phone', 'create', '--json'])
  expect(result).toMatchObject({ exitCode: 6, out: '' })
  expect(JSON.parse(result.err)).toMatchObject({ error: { details: { phone: one, status: 'failed' } } })
})

it('shows the wait only on a terminal', async () => {
  bench.service.answers.set('POST /v1/phones', () => ({
    status: 202,
    body: phoneFields(one, 'shop', 'creating'),
  }))
  expect((await bench.phonerack(['phone', 'create'], { terminal: true })).err).toContain(`Creating ${one}`)
  expect((await bench.phonerack(['phone', 'create'])).err).toBe('')
})

it('parks a phone', async () => {
  const result = await bench.phonerack(['phone', 'park', 'shop', '--json'])
  expect(JSON.parse(result.out)).toMatchObject({ id: one, status: 'parked' })
})

it('deletes only after a confirmation: on a terminal by an answer, else by --yes', async () => {
  const words = ['phone', 'delete', 'shop']
  const isDeleted = (): boolean => bench.service.seen.some(({ method }) => method === 'DELETE')
  expect(await bench.phonerack(words)).toMatchObject({ exitCode: 2 })
  expect(await bench.phonerack(words, { terminal: true, stdin: 'n\n' })).toMatchObject({ exitCode: 1 })
  expect(await bench.phonerack(words, { terminal: true })).toMatchObject({ exitCode: 1 })
  expect(isDeleted()).toBe(false)
  const asked = await bench.phonerack(words, { terminal: true, stdin: 'y\n' })
  expect(asked.err).toContain(`Delete the phone shop (${one}) with its data?`)
  expect(asked).toMatchObject({ exitCode: 0, out: `Deleted shop (${one}).\n` })
  expect(await bench.phonerack([...words, '--yes'])).toMatchObject({ exitCode: 0 })
})

it('says who can delete when the key cannot', async () => {
  const details = { required: 'phones:delete' }
  bench.service.answers.set(`DELETE /v1/phones/${one}`, () =>
    refusal(403, 'permission_error', 'insufficient_scope', { details }),
  )
  const result = await bench.phonerack(['phone', 'delete', one, '--yes'])
  expect(result.exitCode).toBe(4)
  expect(result.err).toContain('A key from `phonerack login` is an Agent key, which cannot delete phones.')
  expect(result.err).toContain('An Admin key can: a person creates it in the console')
})

it('reads one page of a list, or all', async () => {
  bench.service.answers.set('GET /v1/phones', ({ url }) => {
    const isNext = url.includes('cursor=next')
    return {
      body: { data: [phoneFields(isNext ? 'ph_bbbbbbbbbbbb' : one)], next_cursor: isNext ? null : 'next' },
    }
  })
  const first = await bench.phonerack(['phone', 'list', '--limit', '1', '--status', 'ready'])
  expect(first.err).toContain('--cursor next')
  expect(bench.service.seen.at(-1)?.url).toBe('/v1/phones?status=ready&limit=1')
  const page = JSON.parse((await bench.phonerack(['phone', 'list', '--json'])).out) as object
  expect(page).toMatchObject({ data: [{ id: one }], next_cursor: 'next' })
  expect((await bench.phonerack(['phone', 'list', '--all', '-q'])).out).toBe(`${one}\nph_bbbbbbbbbbbb\n`)
})

it('rents no phone when it cannot make it the default one', async () => {
  expect(await bench.phonerack(['phone', 'create', '--use'])).toMatchObject({ exitCode: 2 })
  expect(bench.service.seen).toEqual([])
})

it('rents no phone as the default one when the settings file cannot be written', async () => {
  // The folder is so deep that a file with a longer name is refused, also for root, which ignores modes.
  const depth = (process.platform === 'linux' ? 4096 : 1024) - 36
  let home = bench.home
  while (home.length < depth)
    home = path.join(home, 'a'.repeat(Math.min(200, Math.max(1, depth - home.length - 1))))
  const file = path.join(home, 'phonerack', 'config.json')
  const context = { base_url: bench.service.baseUrl, api_key: apiKey, project: 'demo' }
  await mkdir(path.dirname(file), { recursive: true })
  await writeFile(file, JSON.stringify({ version: 1, current: 'demo', contexts: { demo: context } }), {
    mode: 0o600,
  })
  const env = { XDG_CONFIG_HOME: home }
  const refused = await bench.phonerack(['phone', 'create', '--use'], { env })
  expect(refused).toMatchObject({ exitCode: 2, out: '' })
  expect(refused.err).toContain(`The settings file ${file} cannot be written: ENAMETOOLONG.`)
  expect(bench.service.seen).toEqual([])
  expect(await bench.phonerack(['phone', 'create'], { env })).toMatchObject({ exitCode: 0 })
})
