/** `phone steps`. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startBench, type Bench } from '../testing/program.js'
import { phoneFields } from '../testing/service.js'

const one = 'ph_aaaaaaaaaaaa'
let bench: Bench
beforeEach(async () => {
  bench = await startBench()
  bench.service.phones.push(phoneFields(one, 'shop'))
})
afterEach(() => bench.close())

const step = {
  object: 'step',
  id: 'stp_aaaaaaaaaaaa',
  status: 'failed',
  started_at: '2026-11-21T12:50:00.000Z',
  by: { via: 'mcp', client: 'claude\u001b[31m-code/2.0', key_id: 'key_a', key_name: 'agent' },
  actions: [{ type: 'open_app' }, { type: 'tap' }, { type: 'type' }, { type: 'back' }, { type: 'home' }],
  completed: 1,
}

it('lists steps with their sender and actions, without control characters', async () => {
  bench.service.answers.set(`GET /v1/phones/${one}/steps`, () => ({
    body: { data: [step], next_cursor: 'more' },
  }))
  for (const words of [
    ['phone', 'steps', 'shop'],
    ['phone', 'steps', 'list', one, '--session', 'ses_a', '--limit', '5'],
  ]) {
    const result = await bench.phonerack(words)
    expect(result.exitCode, result.err).toBe(0)
    expect(result.out).toMatch(
      /stp_aaaaaaaaaaaa .* failed +mcp claude-code\/2\.0 +open_app, tap, type, back, 1 more \(1 of 5 done\)/,
    )
  }
  expect(bench.service.seen.at(-1)?.url).toBe(
    `/v1/phones/${one}/steps?session=ses_a&observations=none&limit=5`,
  )
  expect((await bench.phonerack(['phone', 'steps', one, '-q'])).out).toBe('stp_aaaaaaaaaaaa\n')
  const json = await bench.phonerack(['phone', 'steps', one, '--json'])
  expect(JSON.parse(json.out)).toEqual({ data: [step], next_cursor: 'more' })
  expect(bench.service.seen.at(-1)?.url).toContain('observations=full')
})

it('shows a step with its actions, their results and the screen', async () => {
  const url = `/v1/phones/${one}/steps/stp_aaaaaaaaaaaa`
  const shown = {
    ...step,
    duration_ms: 1200,
    error: null,
    picture: null,
    before: null,
    results: [
      { index: 0, type: 'open_app', ok: true, ms: 1 },
      { index: 1, type: 'tap', ok: false, ms: 1, error: { code: 'target_not_found' } },
    ],
    after: { text: 'app com.a\n[1] Button "Pay\u001b[2J"' },
  }
  bench.service.answers.set(`GET ${url}`, () => ({ body: shown }))
  const { out, exitCode } = await bench.phonerack(['phone', 'steps', 'show', one, 'stp_aaaaaaaaaaaa'])
  expect(exitCode).toBe(0)
  expect(out.split('\n')).toEqual([
    'id        stp_aaaaaaaaaaaa',
    'status    failed',
    'started   2026-11-21T12:50:00.000Z',
    'duration  1200 ms',
    'by        mcp claude-code/2.0',
    'key       agent',
    'ok  {"type":"open_app"}',
    'target_not_found  {"type":"tap"}',
    '-  {"type":"type"}',
    '-  {"type":"back"}',
    '-  {"type":"home"}',
    'app com.a',
    '[1] Button "Pay"',
    '',
  ])
  expect(bench.service.seen.at(-1)?.url).toBe(`${url}?observations=text`)
  const json = await bench.phonerack(['phone', 'steps', 'show', one, 'stp_aaaaaaaaaaaa', '--json'])
  expect(JSON.parse(json.out)).toEqual(shown)
  expect(await bench.phonerack(['phone', 'steps', 'show', one])).toMatchObject({ exitCode: 2 })
})

it('writes the picture of a step to a file, and overwrites none', async () => {
  const jpeg = Buffer.from([0xff, 0xd8, 0xff])
  bench.service.answers.set(`GET /v1/phones/${one}/steps/stp_aaaaaaaaaaaa/screenshot`, () => ({ body: jpeg }))
  const file = path.join(bench.home, 'step.jpg')
  const words = ['phone', 'steps', 'shot', one, 'stp_aaaaaaaaaaaa', '-o', file]
  expect(await bench.phonerack(words)).toMatchObject({ exitCode: 0, out: `${file}\n` })
  expect(await readFile(file)).toEqual(jpeg)
  expect(await bench.phonerack(words)).toMatchObject({ exitCode: 2 })
  const toStdout = await bench.phonerack([...words.slice(0, -1), '-'])
  expect(toStdout.bytes).toEqual(jpeg)
})

it('exports a session to a file, and overwrites none', async () => {
  bench.service.answers.set(`GET /v1/phones/${one}/steps/export`, () => ({ body: Buffer.from('export') }))
  const file = path.join(bench.home, 'repeat.ts')
  const words = ['phone', 'steps', 'export', one, '--as', 'ts', '--session', 'ses_a', '-o', file]
  expect(await bench.phonerack([...words, '-q'])).toMatchObject({ exitCode: 0, out: `${file}\n` })
  expect(await readFile(file, 'utf8')).toBe('export')
  expect(bench.service.seen.at(-1)?.url).toBe(`/v1/phones/${one}/steps/export?format=ts&session=ses_a`)
  const asked = bench.service.seen.length
  expect(await bench.phonerack(words)).toMatchObject({ exitCode: 2 })
  expect(await bench.phonerack(['phone', 'steps', 'export', one, '--as', 'pdf'])).toMatchObject({
    exitCode: 2,
  })
  expect(bench.service.seen).toHaveLength(asked)
  expect((await bench.phonerack(['phone', 'steps', 'export', one, '-o', '-'])).bytes).toEqual(
    Buffer.from('export'),
  )
  expect(bench.service.seen.at(-1)?.url).toBe(`/v1/phones/${one}/steps/export?format=html`)
})
