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
  ...{ object: 'step', id: 'stp_aaaaaaaaaaaa', status: 'failed', started_at: '2026-11-21T12:50:00.000Z' },
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
