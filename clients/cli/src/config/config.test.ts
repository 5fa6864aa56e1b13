/** The settings: their place, their access rights, and the choice of the key. */
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { accessOf, originOf } from './access.js'
import { emptyConfig, isContextName, parseConfig, withContext, withoutContext } from './config.js'
import { configFile } from './place.js'
import { readConfig, tighten, writeConfig } from './store.js'

let folder: string
beforeEach(async () => void (folder = await mkdtemp(path.join(tmpdir(), 'phonerack-cli-'))))
afterEach(() => rm(folder, { recursive: true, force: true }))

const context = (origin: string) => ({ base_url: origin, api_key: `key-of-${origin}`, project: 'demo' })
const two = withContext(
  withContext(emptyConfig(), 'work', context('https://work.example')),
  'home',
  context('http://127.0.0.1:8080'),
)

it.each([
  ['linux', {}, '/home/ada/.config/phonerack/config.json'],
  ['linux', { XDG_CONFIG_HOME: '/x' }, '/x/phonerack/config.json'],
  ['linux', { XDG_CONFIG_HOME: 'relative' }, '/home/ada/.config/phonerack/config.json'],
  ['darwin', {}, '/home/ada/Library/Application Support/phonerack/config.json'],
  [
    'win32',
    { APPDATA: 'C:\\Users\\ada\\AppData\\Roaming' },
    'C:\\Users\\ada\\AppData\\Roaming\\phonerack\\config.json',
  ],
] as const)('is in the folder of the platform: %s %j', (platform, env, file) => {
  expect(configFile({ platform, env, home: '/home/ada' })).toBe(file)
})

it('writes a file for its owner only, and leaves no temporary file', async () => {
  const file = path.join(folder, 'phonerack', 'config.json')
  await writeConfig(file, two)
  await writeConfig(file, two)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect((await stat(path.dirname(file))).mode & 0o777).toBe(0o700)
  expect(await readdir(path.dirname(file))).toEqual(['config.json'])
  expect(await readConfig(file)).toEqual(two)
})

it('takes the rights of others from a file', async () => {
  const file = path.join(folder, 'config.json')
  await writeFile(file, '{}')
  await chmod(file, 0o644)
  expect(await tighten(file, 'linux')).toBe(true)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(await tighten(file, 'linux')).toBe(false)
  expect(await tighten(path.join(folder, 'missing'), 'linux')).toBe(false)
})

it('never shows a part of the file to a reader', async () => {
  const file = path.join(folder, 'config.json')
  await writeConfig(file, two)
  const reads = Array.from({ length: 20 }, async () => {
    const text = await readFile(file, 'utf8')
    expect(parseConfig(text, file)).toEqual(two)
  })
  await Promise.all([...reads, writeConfig(file, two), writeConfig(file, two)])
})

it.each([
  '',
  '[]',
  '{"version":2,"contexts":{}}',
  '{"version":1,"contexts":{"a":{}}}',
  '{"version":1,"contexts":{"__proto__x y":{}}}',
])('refuses %s as settings', (text) =>
  expect(() => parseConfig(text, 'config.json')).toThrow('config.json is not a settings file'),
)

it('has no current context that is not there', () => {
  expect(parseConfig('{"version":1,"current":"gone","contexts":{}}', '').current).toBeNull()
  expect(withoutContext(two, 'home').current).toBe('work')
  expect(withoutContext(withoutContext(two, 'home'), 'work')).toEqual(emptyConfig())
})

it('takes the current context, and --context before all else', () => {
  expect(accessOf(two, {}, undefined)).toMatchObject({
    context: 'home',
    apiKey: 'key-of-http://127.0.0.1:8080',
  })
  expect(accessOf(two, { PHONERACK_CONTEXT: 'work' }, undefined).context).toBe('work')
  const env = { PHONERACK_API_KEY: 'env', PHONERACK_BASE_URL: 'https://env.example' }
  expect(accessOf(two, env, 'work')).toMatchObject({ context: 'work', apiKey: 'key-of-https://work.example' })
  expect(() => accessOf(two, {}, 'none')).toThrow('There is no context `none`.')
  expect(() => accessOf(two, {}, 'toString')).toThrow('There is no context')
})

it('takes the key of the environment, for its base URL or that of the only context', () => {
  const env = { PHONERACK_API_KEY: 'env', PHONERACK_BASE_URL: 'https://env.example' }
  expect(accessOf(two, env, undefined)).toEqual({
    baseUrl: 'https://env.example',
    apiKey: 'env',
    context: null,
    keyFrom: 'environment',
  })
  const one = withoutContext(two, 'work')
  expect(accessOf(one, { PHONERACK_API_KEY: 'env' }, undefined).baseUrl).toBe('http://127.0.0.1:8080')
  for (const more of [{}, { PHONERACK_CONTEXT: 'work' }])
    expect(() => accessOf(two, { PHONERACK_API_KEY: 'env', ...more }, undefined)).toThrow(
      'the base URL is unknown',
    )
  expect(() => accessOf(emptyConfig(), { PHONERACK_API_KEY: 'env' }, undefined)).toThrow(
    'the base URL is unknown',
  )
  expect(() => accessOf(emptyConfig(), {}, undefined)).toThrow('You are not signed in.')
})

it('never gives a stored key to another origin', () => {
  const url = fc.oneof(
    fc.webUrl(),
    fc.constantFrom('https://work.example/', 'https://work.example.evil.com', 'http://work.example', ''),
  )
  fc.assert(
    fc.property(url, fc.option(fc.constantFrom('work', 'home'), { nil: undefined }), (baseUrl, name) => {
      const env = { PHONERACK_BASE_URL: baseUrl, ...(name === undefined ? {} : { PHONERACK_CONTEXT: name }) }
      try {
        const access = accessOf(two, env, undefined)
        expect(access.apiKey).toBe(`key-of-${originOf(access.baseUrl) ?? ''}`)
        if (baseUrl !== '') expect(originOf(access.baseUrl)).toBe(originOf(baseUrl))
      } catch (error) {
        expect(error).toMatchObject({ name: 'SignInError' })
      }
    }),
  )
})

it('has context names without a meaning in paths or objects', () => {
  expect(['default', 'a.b-c_1'].every(isContextName)).toBe(true)
  expect(['', '../x', 'a b', '__proto__', 'constructor', 'x'.repeat(65)].some(isContextName)).toBe(false)
})
