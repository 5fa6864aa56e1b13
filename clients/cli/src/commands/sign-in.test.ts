/** Login, contexts, logout, and the place of the key. */
import { writeFileSync } from 'node:fs'
import { chmod, mkdir, readFile, stat, symlink } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startBench, type Bench } from '../testing/program.js'
import { apiKey, phoneFields, refusal } from '../testing/service.js'

let bench: Bench
beforeEach(async () => {
  bench = await startBench()
  bench.service.answers.set('POST /v1/setup', () => ({
    status: 201,
    body: {
      setup_token: 'prs_x',
      user_code: 'ZL7T-62DS',
      verification_url: 'https://phones.example/setup',
      expires_in: 900,
      interval: 0,
    },
  }))
  const approved = { status: 'approved', api_key: apiKey, project: 'demo' }
  bench.service.answers.set('POST /v1/setup/token', () => ({ body: approved }))
})
afterEach(() => bench.close())

const file = (): string => path.join(bench.home, '.config', 'phonerack', 'config.json')
const login = (...words: string[]) =>
  bench.phonerack(['login', '--base-url', `${bench.service.baseUrl}/setup`, ...words], { env: {} })

it('shows code and page, stores the key for its owner only, and never prints it', async () => {
  const result = await login()
  expect(result.exitCode).toBe(0)
  expect(result.err).toContain('ZL7T-62DS')
  expect(result.err).toContain('https://phones.example/setup')
  expect(result.out + result.err).not.toContain(apiKey)
  expect((await stat(file())).mode & 0o777).toBe(0o600)
  expect(JSON.parse(await readFile(file(), 'utf8'))).toEqual({
    version: 1,
    current: 'default',
    contexts: { default: { base_url: bench.service.baseUrl, api_key: apiKey, project: 'demo' } },
  })
  expect(JSON.parse(bench.service.seen[0]?.body ?? '')).toEqual({ client: 'phonerack on laptop' })
  expect((await bench.phonerack(['status'], { env: {} })).out).toContain('demo')
})

it('prints one object with --json', async () => {
  const { out, err } = await login('--json')
  expect(JSON.parse(out)).toMatchObject({ context: 'default', project: 'demo' })
  expect(JSON.parse(err)).toEqual({
    user_code: 'ZL7T-62DS',
    verification_url: 'https://phones.example/setup',
  })
})

it('keeps the changes that other commands make while the person confirms', async () => {
  await login()
  const other = { base_url: 'https://other.example', api_key: 'prk_other', project: 'other' }
  bench.service.answers.set('POST /v1/setup/token', () => {
    writeFileSync(file(), JSON.stringify({ version: 1, current: 'other', contexts: { other } }))
    return { body: { status: 'approved', api_key: apiKey, project: 'demo' } }
  })
  expect((await login('--context', 'default')).exitCode).toBe(0)
  const { contexts } = JSON.parse(await readFile(file(), 'utf8')) as { contexts: object }
  expect(contexts).toMatchObject({ other, default: { api_key: apiKey } })
})

it('reads a settings file that is read-only, and replaces it at login', async () => {
  await login()
  await chmod(file(), 0o400)
  expect((await bench.phonerack(['status'], { env: {} })).err).toBe('')
  expect((await login('--context', 'second')).exitCode).toBe(0)
  expect((await bench.phonerack(['context', 'list', '-q'], { env: {} })).out).toBe('default\nsecond\n')
})

it('sends nothing when the settings file cannot be written', async () => {
  await login()
  bench.service.seen.length = 0
  // The link points to a missing folder, so that root cannot write either.
  const nowhere = path.join(bench.home, 'nowhere')
  await mkdir(nowhere)
  await symlink(path.join(nowhere, 'missing', 'folder'), path.join(nowhere, 'phonerack'))
  const env = { XDG_CONFIG_HOME: nowhere }
  const words = ['login', '--base-url', bench.service.baseUrl]
  const result = await bench.phonerack(words, { env })
  expect(result).toMatchObject({ exitCode: 2, out: '' })
  expect(result.err).toContain(
    `The settings file ${nowhere}/phonerack/config.json cannot be written: ENOENT.`,
  )
  expect(bench.service.seen).toEqual([])
})

it('stores nothing when the person declines', async () => {
  bench.service.answers.set('POST /v1/setup/token', () => refusal(403, 'permission_error', 'setup_denied'))
  expect(await login()).toMatchObject({ exitCode: 4, out: '' })
  await expect(stat(file())).rejects.toThrow('ENOENT')
})

it('sends no request to an address that is not encrypted', async () => {
  const result = await bench.phonerack(['login', '--base-url', 'http://phones.example'], { env: {} })
  expect(result).toMatchObject({ exitCode: 2 })
  expect(result.err).toContain('is not encrypted')
})

it('keeps the key of another installation, unless its context is named', async () => {
  await login()
  const other = ['login', '--base-url', 'https://other.example']
  expect((await bench.phonerack(other, { env: {} })).err).toContain(
    'Add --context and another name to keep both',
  )
  await login('--context', 'second')
  expect((await bench.phonerack(['context', 'list'], { env: {} })).out).toMatch(/default .*\nsecond \*/)
  await bench.phonerack(['context', 'use', 'default'], { env: {} })
  expect((await bench.phonerack(['context', 'list', '-q'], { env: {} })).out).toBe('default\nsecond\n')
  expect((await bench.phonerack(['status', '--json', '--context', 'second'], { env: {} })).out).toContain(
    '"second"',
  )
})

it('stores a key from stdin after a check', async () => {
  const words = ['login', '--base-url', bench.service.baseUrl, '--key-from-stdin']
  expect(await bench.phonerack(words, { env: {}, stdin: 'prk_wrong\n' })).toMatchObject({ exitCode: 3 })
  await expect(stat(file())).rejects.toThrow('ENOENT')
  expect(await bench.phonerack(words, { env: {}, stdin: `${apiKey}\n` })).toMatchObject({ exitCode: 0 })
})

it('deletes the key at logout, and then asks to sign in', async () => {
  await login()
  expect((await bench.phonerack(['logout'], { env: {} })).out).toContain('Deleted the key of default')
  expect(await readFile(file(), 'utf8')).not.toContain(apiKey)
  const status = await bench.phonerack(['status'], { env: {} })
  expect(status).toMatchObject({ exitCode: 3 })
  expect(status.err).toContain('Run `phonerack login')
})

it('stores no key with --profile, which would not limit it', async () => {
  for (const words of [[], ['--key-from-stdin']]) {
    const result = await login('--profile', 'guarded', ...words)
    expect(result).toMatchObject({ exitCode: 2, out: '' })
    expect(result.err).toContain('login takes no --profile')
  }
  expect(bench.service.seen).toEqual([])
  await expect(stat(file())).rejects.toThrow('ENOENT')
})

it('checks the key with the profile that limits it', async () => {
  await login()
  bench.service.seen.length = 0
  const profiles = (): unknown[] =>
    bench.service.seen
      .splice(0)
      .flatMap(({ url, headers }) => (url === '/v1/account' ? [headers['phonerack-profile']] : []))
  expect((await bench.phonerack(['doctor', '--profile', 'read-only'], { env: {} })).exitCode).toBe(0)
  expect(profiles()).toEqual(['read-only'])
  expect((await bench.phonerack(['doctor'], { env: { PHONERACK_PROFILE: 'guarded' } })).exitCode).toBe(0)
  expect(profiles()).toEqual(['guarded'])
  const wrong = await bench.phonerack(['doctor', '--profile', 'none'], { env: {} })
  expect(wrong.exitCode).toBe(2)
  expect(wrong.out).toContain('There is no profile `none`.')
  expect(profiles()).toEqual([])
})

it('has a default phone for each context', async () => {
  bench.service.phones.push(phoneFields('ph_aaaaaaaaaaaa', 'shop'))
  await login()
  expect((await bench.phonerack(['phone', 'use', 'shop'], { env: {} })).exitCode).toBe(0)
  expect((await bench.phonerack(['phone', 'get', '-q'], { env: {} })).out).toBe('ph_aaaaaaaaaaaa\n')
  await bench.phonerack(['phone', 'use', '--clear'], { env: {} })
  expect((await bench.phonerack(['phone', 'get'], { env: {} })).exitCode).toBe(2)
})

it('checks all that a command needs', async () => {
  await login()
  const good = await bench.phonerack(['doctor', '--json'], { env: {} })
  expect(good.exitCode).toBe(0)
  const { checks } = JSON.parse(good.out) as { checks: { name: string; status: string }[] }
  expect(checks.map(({ name }) => name)).toEqual([
    'program',
    'settings',
    'connection',
    'tls',
    'version',
    'clock',
    'key',
  ])
  // The tests use a fixed clock.
  expect(checks.find(({ name }) => name === 'clock')).toMatchObject({ status: 'warning' })
  bench.service.answers.set('GET /v1/account', () => refusal(401, 'authentication_error', 'key_revoked'))
  const revoked = await bench.phonerack(['doctor'], { env: {} })
  expect(revoked).toMatchObject({ exitCode: 3 })
  expect(revoked.out).toContain('Run `phonerack login` to get a new key.')
  bench.service.answers.set('GET /openapi.json', () => ({ body: 'something else' }))
  expect((await bench.phonerack(['doctor'], { env: {} })).out).toContain('not as Phonerack does')
})
