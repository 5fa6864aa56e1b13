/** Screens and actions of a phone. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startBench, type Bench } from '../testing/program.js'
import { observation, phoneFields, refusal } from '../testing/service.js'

const one = 'ph_aaaaaaaaaaaa'
const snapshot = 'snp_aaaaaaaaaaaa'
let bench: Bench
beforeEach(async () => {
  bench = await startBench()
  bench.service.phones.push(phoneFields(one, 'shop'))
})
afterEach(() => bench.close())

const sentBody = (): unknown => JSON.parse(bench.service.seen.at(-1)?.body ?? 'null')
const clean = observation.text.replace('\u001b[31m', '')

it('prints the text form of the screen, and the snapshot on stderr', async () => {
  const result = await bench.phonerack(['phone', 'observe', one])
  expect(result).toEqual({
    exitCode: 0,
    out: `${clean}\n`,
    bytes: expect.anything() as Buffer,
    err: `snapshot ${snapshot}\n`,
  })
  expect(await bench.phonerack(['phone', 'observe', one, '-q'])).toMatchObject({ out: `${clean}\n`, err: '' })
  expect(JSON.parse((await bench.phonerack(['phone', 'observe', one, '--json'])).out)).toEqual(observation)
})

const text = { text: 'Next' }
it.each([
  ['tap --text Next', [{ type: 'tap', target: text }]],
  ['tap --text Next --nth 1 --double', [{ type: 'double_tap', target: { text: 'Next', nth: 1 } }]],
  [
    `tap --ref 3 --snapshot ${snapshot} --long --duration 2s`,
    [{ type: 'long_press', target: { ref: 3, snapshot_id: snapshot }, duration_ms: 2000 }],
  ],
  [
    'long-press --text Next --duration 2s',
    [{ type: 'long_press', target: { text: 'Next' }, duration_ms: 2000 }],
  ],
  ['long-press --xy 1,2', [{ type: 'long_press', target: { x: 1, y: 2 } }]],
  [
    'drag --from 1,2 --to 3,4 --hold 1s --duration 300ms',
    [{ type: 'drag', from: { x: 1, y: 2 }, to: { x: 3, y: 4 }, hold_ms: 1000, duration_ms: 300 }],
  ],
  ['open Notes', [{ type: 'open_app', label: 'Notes' }]],
  ['tap --xy 540,1200', [{ type: 'tap', target: { x: 540, y: 1200 } }]],
  [
    'tap --text Next --timeout 5s',
    [
      { type: 'wait_for', target: text, timeout_ms: 5000 },
      { type: 'tap', target: text },
    ],
  ],
  [
    'type hello --id title --clear --submit',
    [{ type: 'type', text: 'hello', target: { id: 'title' }, clear: true, submit: true }],
  ],
  ['type -', [{ type: 'type', text: 'secret' }]],
  ['clear', [{ type: 'clear' }]],
  [
    'swipe --from 1,2 --to 3,4 --duration 300ms',
    [{ type: 'swipe', from: { x: 1, y: 2 }, to: { x: 3, y: 4 }, duration_ms: 300 }],
  ],
  ['scroll down --amount 0.5', [{ type: 'scroll', direction: 'down', amount: 0.5 }]],
  ['scroll to --text Next', [{ type: 'scroll_to', target: text }]],
  ['key back', [{ type: 'back' }]],
  ['key a --modifier ctrl', [{ type: 'key', key: 'a', modifiers: ['ctrl'] }]],
  ['open com.example.shop', [{ type: 'open_app', package: 'com.example.shop' }]],
  ['open https://example.com/a?b', [{ type: 'open_url', url: 'https://example.com/a?b' }]],
  [
    'wait --text Next --gone --timeout 3s',
    [{ type: 'wait_for', target: text, timeout_ms: 3000, state: 'gone' }],
  ],
  ['wait --idle', [{ type: 'wait_idle' }]],
])('sends `%s`', async (words, actions) => {
  const [name = '', ...rest] = words.split(' ')
  const result = await bench.phonerack(['phone', name, one, ...rest], { stdin: 'secret\n' })
  expect(result).toMatchObject({ exitCode: 0, err: '' })
  expect(sentBody()).toEqual({ actions, observe: 'none' })
})

it.each([
  'tap',
  'tap --text a --id b',
  'tap --xy 1,2 --timeout 1s',
  'tap --text a --duration 1s',
  'scroll sideways',
  'scroll down --amount 2',
  'wait',
  'wait --ready --idle',
  'wait --xy 1,2',
  'type one two',
])('refuses `%s` before it sends anything', async (words) => {
  const [name = '', ...rest] = words.split(' ')
  expect(await bench.phonerack(['phone', name, one, ...rest])).toMatchObject({ exitCode: 2, out: '' })
  expect(bench.service.seen).toEqual([])
})

const failed = {
  results: [
    {
      index: 0,
      type: 'tap',
      ok: false,
      ms: 9,
      error: {
        code: 'target_not_found',
        message: 'No element matches.',
        retryable: false,
        next: 'Observe again.',
        details: {
          candidates: [
            { ref: 1, type: 'Button', text: 'Next\u001b[0m', desc: null, id: null, center: [5, 6] },
          ],
          snapshot_id: snapshot,
        },
      },
    },
  ],
  completed: 0,
  observation,
}

it('ends with 9 after a failed action, and lists what came close', async () => {
  bench.service.answers.set(`POST /v1/phones/${one}/actions`, () => ({ body: failed }))
  const result = await bench.phonerack(['phone', 'tap', one, '--text', 'Nxt'])
  expect(result).toMatchObject({ exitCode: 9, out: '' })
  expect(result.err).toContain('  [1] Button "Next" (5,6)')
  expect(result.err).toContain('next:  Observe again.')
})

it('names options in its advice instead of fields of an answer that is not printed', async () => {
  const next = 'Target an element of `observation`.'
  const results = failed.results.map((each) => ({ ...each, error: { ...each.error, next, details: {} } }))
  bench.service.answers.set(`POST /v1/phones/${one}/actions`, () => ({ body: { ...failed, results } }))
  const words = ['phone', 'tap', one, '--text', 'Nxt']
  expect((await bench.phonerack(words)).err).toContain(
    'next:  Read the screen with `phonerack phone observe`,',
  )
  expect((await bench.phonerack([...words, '--json'])).err).toContain(next)
  const several = 'Target one of `details.candidates` by its ref with `details.snapshot_id`, or add `nth`.'
  for (const each of results)
    each.error = { ...each.error, next: several, details: { snapshot_id: snapshot } }
  expect((await bench.phonerack(words)).err).toContain(`with \`--ref <n> --snapshot ${snapshot}\`, or add`)
})

it('prints the result of a failed action on stdout and the error on stderr with --json', async () => {
  bench.service.answers.set(`POST /v1/phones/${one}/actions`, () => ({ body: failed }))
  const result = await bench.phonerack(['phone', 'tap', one, '--text', 'Nxt', '--json'])
  expect(result.exitCode).toBe(9)
  expect(JSON.parse(result.out)).toEqual(failed)
  expect(JSON.parse(result.err)).toMatchObject({ error: { code: 'target_not_found' } })
})

it('prints the screen after an action with --observe', async () => {
  const result = await bench.phonerack(['phone', 'key', one, 'home', '--observe'])
  expect(result.out).toBe(`home ok (5 ms)\n${clean}\n`)
  expect(sentBody()).toMatchObject({ observe: 'ui' })
})

it('writes a screenshot to a file or to stdout, and overwrites only with --force', async () => {
  const image = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff])
  bench.service.answers.set(`GET /v1/phones/${one}/screenshot`, () => ({ body: image }))
  const file = path.join(bench.home, 'screen.png')
  const words = ['phone', 'shot', one, '-o', file]
  expect((await bench.phonerack(words)).out).toBe(`${file}\n`)
  expect(await readFile(file)).toEqual(image)
  expect(await bench.phonerack(words)).toMatchObject({ exitCode: 2 })
  expect(await bench.phonerack([...words, '--force'])).toMatchObject({ exitCode: 0 })
  expect((await bench.phonerack(['phone', 'shot', one])).bytes).toEqual(image)
  const env = {
    PHONERACK_API_KEY: 'prk_test',
    PHONERACK_BASE_URL: bench.service.baseUrl,
    TERM: 'xterm-kitty',
  }
  const shown = await bench.phonerack(['phone', 'shot', one, '--show'], { terminal: true, env })
  expect(shown.out).toBe(`\u001b_Gf=100,a=T,m=0;${image.toString('base64')}\u001b\\\n`)
})

it('prints only the changes after a snapshot, which in the prompt can be the last one', async () => {
  const sorted = { since: snapshot, same: true, added: [], changed: [], removed: [], kept: 2 }
  const changes = { ...observation, elements: undefined, ...sorted }
  bench.service.answers.set(`GET /v1/phones/${one}/observe`, ({ url }) => ({
    body: url.includes('since') ? { ...changes, text: `same as ${snapshot}` } : observation,
  }))
  const given = await bench.phonerack(['phone', 'observe', one, '--since', snapshot])
  expect(given.out).toBe(`same as ${snapshot}\n`)
  expect(bench.service.seen.at(-1)?.url).toContain(`since=${snapshot}`)
  const refused = await bench.phonerack(['phone', 'observe', one, '--since', 'last'])
  expect(refused).toMatchObject({ exitCode: 2 })
  const prompt = await bench.phonerack(['phone', 'prompt', one], { stdin: 'observe\nobserve --since last\n' })
  expect(prompt.out).toBe(`${clean}\nsame as ${snapshot}\n`)
})

it('reports a phone that is not ready with its next step', async () => {
  bench.service.answers.set(`GET /v1/phones/${one}/observe`, () =>
    refusal(409, 'conflict_error', 'phone_not_running', { next: `POST /v1/phones/${one}/start` }),
  )
  const result = await bench.phonerack(['phone', 'observe', one])
  expect(result).toMatchObject({ exitCode: 6 })
  expect(result.err).toContain(`next:  \`phonerack phone start ${one}\`\n`)
})

it('waits for the status of a phone, and ends with 9 when it does not come', async () => {
  const wait = (...words: string[]) => bench.phonerack(['phone', 'wait', one, ...words])
  expect(await wait('--ready', '-q')).toMatchObject({ exitCode: 0, out: `${one}\n` })
  expect(await wait('--parked')).toMatchObject({ exitCode: 9 })
  bench.service.phones.splice(0, 1, phoneFields(one, 'shop', 'starting'))
  const late = await wait('--ready', '--timeout', '1s')
  expect(late).toMatchObject({ exitCode: 9 })
  expect(late.err).toContain('error: The phone is not ready after 1 s.')
  bench.service.phones.splice(0, 1, phoneFields(one, 'shop', 'parked'))
  expect(await wait('--parked')).toMatchObject({ exitCode: 0 })
  expect(await wait('--ready')).toMatchObject({ exitCode: 6 })
})
