/** `phone batch`, `phone prompt`, `api` and `completion`. */
import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { startBench, type Bench, type Result } from '../testing/program.js'
import { account, apiKey, observation, phoneFields, refusal } from '../testing/service.js'
import { headersOf } from './api.js'
import { actionsOf } from './phone-batch.js'

const one = 'ph_aaaaaaaaaaaa'
let bench: Bench
beforeEach(async () => {
  bench = await startBench()
  bench.service.phones.push(phoneFields(one, 'shop'))
})
afterEach(() => bench.close())

const batches = (): unknown[] =>
  bench.service.seen
    .filter(({ url }) => url.endsWith('/actions'))
    .map(({ body }) => (JSON.parse(body) as { actions: unknown }).actions)
const rows = (out: string): unknown[] =>
  out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown)

it('runs one batch a line, and prints one result a line', async () => {
  const stdin = '{"type":"home"}\n\n[{"type":"back"},{"type":"wait","ms":5}]\n'
  const result = await bench.phonerack(['phone', 'batch', one, '-'], { stdin })
  expect(result).toMatchObject({ exitCode: 0, err: '' })
  expect(rows(result.out)).toMatchObject([{ completed: 1, observation }, { completed: 2 }])
  expect(batches()).toEqual([[{ type: 'home' }], [{ type: 'back' }, { type: 'wait', ms: 5 }]])
})

it('stops at the first failure, or runs the rest with --keep-going; ends with the code of the failure', async () => {
  const failure = {
    index: 0,
    type: 'tap',
    ok: false,
    ms: 1,
    error: { code: 'target_not_found', message: 'No.' },
  }
  bench.service.answers.set(`POST /v1/phones/${one}/actions`, ({ body }) => {
    if (body.includes('bad')) return refusal(400, 'invalid_request_error', 'validation_failed')
    return { body: { results: [failure], completed: 0 } }
  })
  const file = path.join(bench.home, 'batches.jsonl')
  await writeFile(file, '{"type":"bad"}\n{"type":"tap"}')
  const stopped = await bench.phonerack(['phone', 'batch', one, file])
  expect(stopped.exitCode).toBe(2)
  expect(rows(stopped.out)).toMatchObject([{ error: { code: 'validation_failed' } }])
  const whole = await bench.phonerack(['phone', 'batch', one, file, '--keep-going', '--observe', 'none'])
  expect(whole.exitCode).toBe(9)
  expect(rows(whole.out)).toMatchObject([{ error: { code: 'validation_failed' } }, { completed: 0 }])
})

it.each(['action_outcome_unknown', 'internal_error'])(
  'ends after %s also with --keep-going',
  async (code) => {
    const failure = { index: 0, type: 'tap', ok: false, ms: 1, error: { code, message: 'Unknown.' } }
    bench.service.answers.set(`POST /v1/phones/${one}/actions`, () => ({
      body: { results: [failure], completed: 0 },
    }))
    const result = await bench.phonerack(['phone', 'batch', one, '-', '--keep-going'], {
      stdin: '{"type":"tap"}\n{"type":"home"}\n',
    })
    expect(result.exitCode).toBe(13)
    expect(rows(result.out)).toMatchObject([{ completed: 0 }])
    expect(batches()).toHaveLength(1)
  },
)

it('sends nothing for a line that is not a batch', async () => {
  const result = await bench.phonerack(['phone', 'batch', one, '-'], {
    stdin: '{"type":"home"}\n{"typ":1}\n',
  })
  expect(result).toMatchObject({ exitCode: 2 })
  expect(result.err).toContain('Line 2 must be an action')
  expect(batches()).toHaveLength(1)
  expect(() => actionsOf('nonsense', 7)).toThrow('Line 7 is not JSON.')
  expect(() => actionsOf('[]', 1)).toThrow('Line 1 must be')
})

it('takes the commands of a phone in the prompt, with the numbers of the last screen', async () => {
  const stdin = 'observe\ntap 3\ntype "hello world" --submit\n# a comment\nquit\ntap 4\n'
  const result = await bench.phonerack(['phone', 'prompt', 'shop'], { stdin })
  expect(result.exitCode).toBe(0)
  expect(result.out).toContain('[1] Button "Next" #next')
  expect(batches()).toEqual([
    [{ type: 'tap', target: { ref: 3, snapshot_id: observation.snapshot_id } }],
    [{ type: 'type', text: 'hello world', submit: true }],
  ])
})

it.each(['--profile full', '--context work'])('refuses %s in a line of the prompt', async (option) => {
  const words = ['phone', 'prompt', one, '--profile', 'guarded']
  const result = await bench.phonerack(words, { stdin: `key home ${option}\nkey home\n` })
  expect(result.exitCode).toBe(2)
  expect(result.err).toContain('cannot be set for one line of the prompt.')
  expect(bench.service.seen.some(({ url }) => url.endsWith('/actions'))).toBe(false)
})

it('ends a prompt that reads a script at the first failure', async () => {
  const unknown = await bench.phonerack(['phone', 'prompt', one], { stdin: 'dance\nkey home\n' })
  expect(unknown).toMatchObject({ exitCode: 2 })
  expect(unknown.err).toContain('There is no command `dance`.')
  expect((await bench.phonerack(['phone', 'prompt', one], { stdin: 'tap 3\n' })).exitCode).toBe(2)
  expect(batches()).toEqual([])
})

it('sends any request, and prints the answer as text or JSON', async () => {
  expect(JSON.parse((await bench.phonerack(['api', 'get', '/v1/account', '--json'])).out)).toEqual(account)
  expect((await bench.phonerack(['api', 'GET', '/v1/account'])).out).toContain('\n  "project": "demo"')
  bench.service.answers.set('POST /v1/phones', ({ body }) => ({
    status: 201,
    body: { got: JSON.parse(body) as unknown },
  }))
  const words = ['api', 'POST', '/v1/phones', '--header', 'Idempotency-Key: run-1234']
  expect((await bench.phonerack([...words, '--body', '{"name":"a"}', '--json'])).out).toBe(
    '{"got":{"name":"a"}}\n',
  )
  expect(bench.service.seen.at(-1)?.headers['idempotency-key']).toBe('run-1234')
  expect((await bench.phonerack([...words, '--body', '-', '--json'], { stdin: '[1]' })).out).toBe(
    '{"got":[1]}\n',
  )
  expect((await bench.phonerack(['api', 'GET', '/v1/none'])).exitCode).toBe(5)
})

it('prints nothing for an empty answer', async () => {
  const empty = { status: 204, body: Buffer.alloc(0) }
  bench.service.answers.set('DELETE /v1/none', () => empty)
  bench.service.answers.set('HEAD /v1/none', () => ({ body: Buffer.alloc(0) }))
  for (const method of ['DELETE', 'HEAD'])
    for (const flags of [[], ['--json']])
      expect(await bench.phonerack(['api', method, '/v1/none', ...flags])).toMatchObject({
        exitCode: 0,
        out: '',
        err: '',
      })
})

it('reports a body that is not JSON as an unexpected answer', async () => {
  const headers = { 'content-type': 'application/json' }
  bench.service.answers.set('GET /v1/none', () => ({ body: Buffer.from('<p>'), headers }))
  const result = await bench.phonerack(['api', 'GET', '/v1/none', '--json'])
  expect(result).toMatchObject({ exitCode: 12, out: '' })
  expect(JSON.parse(result.err)).toMatchObject({ error: { code: 'unexpected_answer' } })
})

it('ends with 13 when the answer of a write is not from the API, unless nothing was done', async () => {
  const headers = { 'content-type': 'application/json' }
  const page = (status: number) => ({ status, body: Buffer.from('<h1>Bad gateway</h1>'), headers })
  for (const [method, status, exitCode] of [
    ['POST', 200, 13],
    ['POST', 502, 13],
    ['POST', 403, 12],
    ['GET', 500, 12],
  ] as const) {
    bench.service.answers.set(`${method} /v1/none`, () => page(status))
    const result = await bench.phonerack(['api', method, '/v1/none', '--json'])
    expect(result, `${method} ${status}`).toMatchObject({ exitCode, out: '' })
    const { error } = JSON.parse(result.err) as { error: { code: string; next: string } }
    expect(error.code).toBe('unexpected_answer')
    expect(error.next.includes('may have been carried out')).toBe(exitCode === 13)
  }
})

it('sends the profile with each request, and nothing with a profile that does not exist', async () => {
  const known = { PHONERACK_API_KEY: apiKey, PHONERACK_BASE_URL: bench.service.baseUrl }
  const profile = async (words: string[], variable?: string): Promise<unknown> => {
    bench.service.seen.length = 0
    const env = variable === undefined ? known : { ...known, PHONERACK_PROFILE: variable }
    const { exitCode, err } = await bench.phonerack(['account', ...words], { env })
    if (exitCode === 0) return bench.service.seen[0]?.headers['phonerack-profile']
    expect(err).toContain('--profile and PHONERACK_PROFILE take full, guarded, read-only.')
    expect(bench.service.seen).toEqual([])
    return exitCode
  }
  expect(await profile([])).toBeUndefined()
  expect(await profile([], 'guarded')).toBe('guarded')
  expect(await profile(['--profile', 'read-only'], 'guarded')).toBe('read-only')
  expect(await profile(['--profile', 'readonly'])).toBe(2)
  expect(await profile([], 'toString')).toBe(2)
  expect(await profile([], '')).toBeUndefined()
  for (const empty of [['--profile', ''], ['--profile=']]) expect(await profile(empty, 'guarded')).toBe(2)
})

it.each(['GET', 'head'])('refuses a body for %s', async (method) => {
  const result = await bench.phonerack(['api', method, '/v1/phones', '--body', '{}'])
  expect(result).toMatchObject({ exitCode: 2 })
  expect(result.err).toContain('request has no body')
  expect(bench.service.seen).toEqual([])
})

it('answers no to a question when the terminal of the shell closes', async () => {
  const result = await bench.phonerack(['phone', 'prompt', one], { stdin: 'delete\n', terminal: true })
  expect(result).toMatchObject({ exitCode: 0 })
  expect(result.err).toContain('Nothing was done.')
  expect(bench.service.seen.some(({ method }) => method === 'DELETE')).toBe(false)
})

/** Types into a shell on a terminal. `shows` waits for text that was printed after the last call. */
async function onTerminal(
  use: (write: (text: string) => void, shows: (text: string) => Promise<void>) => Promise<void>,
): Promise<Result> {
  const stdin = new PassThrough()
  let shown = ''
  const terminal = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    shown += String(text)
    return true
  })
  try {
    const ended = bench.phonerack(['phone', 'prompt', 'shop'], { stdin, terminal: true })
    await use(
      (text) => stdin.write(text),
      async (text) => {
        await expect.poll(() => shown).toContain(text)
        shown = ''
      },
    )
    return await ended
  } finally {
    terminal.mockRestore()
  }
}

it('answers no to a question after Ctrl-C, and takes the next command', async () => {
  const result = await onTerminal(async (write, shows) => {
    write('delete\n')
    await shows('[y/N] ')
    write('\u0003')
    await shows('shop> ')
    write('key home\nquit\n')
  })
  expect(result).toMatchObject({ exitCode: 0 })
  expect(result.err).toContain('Interrupted.')
  expect(bench.service.seen.some(({ method }) => method === 'DELETE')).toBe(false)
  expect(batches()).toEqual([[{ type: 'home' }]])
})

it('leaves the shell after Ctrl-C without a command', async () => {
  const result = await onTerminal(async (write, shows) => {
    await shows('shop> ')
    write('\u0003')
  })
  expect(result).toMatchObject({ exitCode: 0 })
})

it.each([
  ...[['https://evil.example/v1'], ['//evil.example/v1'], ['/\\evil.example'], ['v1/phones']],
  ...[['/v1/a b'], ['/v1/\u00fc'], ['/\t/evil.example']],
])('sends no request and no key to %s', async (place) => {
  expect(await bench.phonerack(['api', 'GET', place])).toMatchObject({ exitCode: 2 })
  expect(bench.service.seen).toEqual([])
})

it('takes headers but no key', () => {
  expect(headersOf(['X-One: a: b', 'X-Two:'])).toEqual({ 'X-One': 'a: b', 'X-Two': '' })
  expect(() => headersOf(['Authorization: Bearer x'])).toThrow('not given on the command line')
  expect(() => headersOf(['X: a\r\nB: c'])).toThrow('`--header` takes')
})

it('completes commands and options in bash', async () => {
  const { out } = await bench.phonerack(['completion', 'bash'])
  const complete = (...words: string[]): string[] =>
    execFileSync('bash', [
      '-c',
      `${out}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($#-1)); _phonerack; printf '%s\\n' "\${COMPREPLY[@]}"`,
      'bash',
      ...words,
    ])
      .toString()
      .trim()
      .split('\n')
  expect(complete('phonerack', 'ph')).toEqual(['phone'])
  expect(complete('phonerack', '--json', 'phone', 'ob')).toEqual(['observe'])
  expect(complete('phonerack', 'phone', 'tap', 'shop', '--te')).toEqual(['--text'])
})

it('has completion scripts for zsh and fish, and no other', async () => {
  expect((await bench.phonerack(['completion', 'zsh'])).out).toMatch(/^#compdef phonerack/)
  expect((await bench.phonerack(['completion', 'fish'])).out).toContain(
    `complete -c phonerack -f -n '__phonerack_at "phone"' -a tap`,
  )
  expect(await bench.phonerack(['completion', 'tcsh'])).toMatchObject({ exitCode: 2 })
})

it('refuses a file of batches that is missing or not a file', async () => {
  const missing = await bench.phonerack(['phone', 'batch', 'shop', '/no/such/file'])
  expect(missing).toMatchObject({ exitCode: 2, out: '' })
  expect(missing.err).toContain('There is no file /no/such/file.')
  const folder = await bench.phonerack(['phone', 'batch', one, bench.home])
  expect(folder).toMatchObject({ exitCode: 2 })
  expect(folder.err).toContain('is not a file.')
})
