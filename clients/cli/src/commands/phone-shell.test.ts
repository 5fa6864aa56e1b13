/** `phone shell`: its operands, streams and exit codes. */
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startBench, type Bench } from '../testing/program.js'
import { apiKey, phoneFields, refusal } from '../testing/service.js'

const one = 'ph_aaaaaaaaaaaa'
const result = {
  stdout: 'a b\n',
  stderr: 'oh\n',
  exit_code: 0 as number | null,
  timed_out: false,
  truncated: false,
  duration_ms: 5,
}
let bench: Bench
beforeEach(async () => {
  bench = await startBench()
  bench.service.phones.push(phoneFields(one, 'job'))
})
afterEach(() => bench.close())

/** Answers each command with the result, and collects the bodies. */
function answering(changes: Partial<typeof result> = {}): unknown[] {
  const bodies: unknown[] = []
  bench.service.answers.set(`POST /v1/phones/${one}/shell`, ({ body }) => {
    bodies.push(JSON.parse(body))
    return { body: { ...result, ...changes } }
  })
  return bodies
}

it.each([
  [['shell', 'job', '--', 'ls', '-la'], { command: 'ls -la' }],
  [['shell', one, 'ls | wc -l'], { command: 'ls | wc -l' }],
  [['shell', 'job', 'cat', '--stdin', '--timeout', '1500ms'], { command: 'cat', stdin: 'in', timeout: 1.5 }],
])('sends %j, and prints both streams', async (words, body) => {
  const bodies = answering()
  const ended = await bench.phonerack(['phone', ...words], { stdin: 'in' })
  expect(ended).toMatchObject({ exitCode: 0, out: 'a b\n', err: 'oh\n' })
  expect(bodies).toEqual([body])
})

it('sends the command to the default phone', async () => {
  const bodies = answering()
  const { baseUrl } = bench.service
  const env = { PHONERACK_API_KEY: apiKey, PHONERACK_BASE_URL: baseUrl, PHONERACK_PHONE: 'job' }
  expect((await bench.phonerack(['phone', 'shell', 'ls -la'], { env })).exitCode).toBe(0)
  expect(bodies).toEqual([{ command: 'ls -la' }])
})

it.each([
  [{ exit_code: 7 }, 7],
  [{ exit_code: null, timed_out: true }, 124],
  [{ exit_code: null, truncated: true }, 1],
])('ends after %j with %d', async (changes, exitCode) => {
  answering(changes)
  expect(await bench.phonerack(['phone', 'shell', 'job', '--', 'false'])).toMatchObject({ exitCode })
  const json = await bench.phonerack(['phone', 'shell', 'job', '--json', '--', 'false'])
  expect([json.exitCode, JSON.parse(json.out)]).toEqual([exitCode, { ...result, ...changes }])
})

it('ends with the code of a refusal', async () => {
  bench.service.answers.set(`POST /v1/phones/${one}/shell`, () =>
    refusal(403, 'permission_error', 'shell_not_allowed'),
  )
  expect((await bench.phonerack(['phone', 'shell', 'job', '--', 'id'])).exitCode).toBe(4)
})

it('runs in the prompt with the options of its command', async () => {
  const bodies = answering()
  const ended = await bench.phonerack(['phone', 'prompt', 'job'], { stdin: 'shell ls -la\n' })
  expect(ended).toMatchObject({ exitCode: 0, out: 'a b\n' })
  expect(bodies).toEqual([{ command: 'ls -la' }])
})
