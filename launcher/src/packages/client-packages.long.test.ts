/** The packages for authors of agents: built once, then installed in empty folders and used. Needs a build. */
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { buildClient, buildPythonSource, buildWheel, clients } from './index.js'

const checkout = path.resolve(import.meta.dirname, '..', '..', '..')
const dir = mkdtempSync(path.join(tmpdir(), 'phonerack-client-packages-'))
const at = (...words: string[]): string => path.join(dir, ...words)
/** The environment without variables of this run, such as keys. npm has neither a registry nor a cache. */
const env = {
  PATH: process.env['PATH'],
  HOME: at('home'),
  npm_config_cache: at('cache'),
  npm_config_registry: 'http://127.0.0.1:9',
  npm_config_update_notifier: 'false',
}
const run = (cwd: string, program: string, ...args: string[]): string =>
  execFileSync(program, args, { cwd, env, encoding: 'utf8', timeout: 120_000 })
const sha256 = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex')
const manifestSchema = z.looseObject({
  name: z.string(),
  version: z.string(),
  dependencies: z.record(z.string(), z.string()).default({}),
  bundleDependencies: z.array(z.string()).default([]),
})
const manifestOf = (folder: string) =>
  manifestSchema.parse(JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')))
const { version } = manifestOf(path.join(checkout, 'clients', 'typescript'))

beforeAll(async () => {
  for (const spec of clients) {
    const file = await buildClient(spec, { root: checkout, out: at('out') })
    mkdirSync(at(spec.name))
    run(at(spec.name), 'npm', 'install', '--offline', '--no-audit', '--no-fund', '--ignore-scripts', file)
  }
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

it('writes one tarball per package, named by its version', () => {
  expect(readdirSync(at('out')).sort()).toEqual([`phonerack-${version}.tgz`, `phonerack-sdk-${version}.tgz`])
})

it.each(clients)('puts into $name all of its dependencies, and no file of this workspace', ({ name }) => {
  const installed = at(name, 'node_modules', name === 'phonerack' ? name : '@phonerack/sdk')
  const { dependencies, bundleDependencies } = manifestOf(installed)
  expect(bundleDependencies).toEqual(Object.keys(dependencies))
  expect(Object.keys(dependencies).filter((each) => each.startsWith('@phonerack/'))).toEqual([])
  for (const [module, wanted] of Object.entries(dependencies))
    expect(manifestOf(path.join(installed, 'node_modules', module)).version).toBe(wanted)
  const files = readdirSync(installed, { recursive: true }).map(String)
  expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'package.json']))
  expect(files.filter((file) => /^src(?:\/|$)|\.test\.|\.tsbuildinfo$|\.turbo/.test(file))).toEqual([])
})

it('imports the SDK as an ES module and as CommonJS', () => {
  const folder = at('phonerack-sdk')
  const use =
    "console.log(typeof new Phonerack({ apiKey: 'prk_a', baseUrl: 'http://127.0.0.1:9' }).phones.create)"
  writeFileSync(path.join(folder, 'a.mjs'), `import { Phonerack } from '@phonerack/sdk'; ${use}`)
  writeFileSync(path.join(folder, 'a.cjs'), `const { Phonerack } = require('@phonerack/sdk'); ${use}`)
  for (const file of ['a.mjs', 'a.cjs']) expect(run(folder, process.execPath, file)).toBe('function\n')
  run(folder, process.execPath, '-e', "require('@phonerack/sdk/testing')")
})

it('gives pip a source distribution of the Python SDK that pip can install', async (test) => {
  const look =
    "import importlib.util as u; exit(any(u.find_spec(n) is None for n in ('pip', 'setuptools', 'wheel')))"
  if (spawnSync('/usr/bin/python3', ['-c', look]).status !== 0)
    return test.skip('missing: python3-pip, python3-setuptools, python3-wheel')
  const file = await buildPythonSource({ root: checkout, out: at('python') })
  expect(path.basename(file)).toBe(`phonerack-python-${version}.tgz`)
  const offline = ['--no-index', '--no-deps', '--no-build-isolation', '--no-cache-dir', '--quiet']
  run(dir, '/usr/bin/python3', '-m', 'pip', 'install', ...offline, '--target', at('python-installed'), file)
  const files = readdirSync(at('python-installed', 'phonerack'))
  expect(files).toEqual(expect.arrayContaining(['__init__.py', 'py.typed']))
  const again = await buildPythonSource({ root: checkout, out: at('python-again') })
  expect(sha256(again)).toBe(sha256(file))
})

it('runs the command line', () => {
  const program = at('phonerack', 'node_modules', '.bin', 'phonerack')
  expect(run(at('phonerack'), program, '--version')).toContain(version)
  expect(run(at('phonerack'), program, '--help')).toContain('phone')
  // The request loads every module that requests need.
  const refused = spawnSync(program, ['account', '--json'], {
    encoding: 'utf8',
    timeout: 60_000,
    env: { ...env, PHONERACK_API_KEY: 'prk_a', PHONERACK_BASE_URL: 'http://127.0.0.1:9' },
  })
  expect(refused.stdout).toBe('')
  expect(refused.stderr).toContain('connection_failed')
})

it('gives the same bytes when it is built again', async () => {
  for (const spec of clients) {
    const file = await buildClient(spec, { root: checkout, out: at('again') })
    expect(sha256(file)).toBe(sha256(at('out', path.basename(file))))
  }
})

describe('the wheel', () => {
  it('names the Debian packages that are missing, instead of failing', async () => {
    const none = { ...process.env, PYTHON: at('no-python') }
    expect(await buildWheel({ root: checkout, out: at('none') }, none)).toEqual({
      missing: ['python3', 'python3-build', 'python3-setuptools', 'python3-wheel'],
    })
    // A Python without its libraries for packages.
    const bare = at('bare-python')
    writeFileSync(bare, '#!/bin/sh\nexec /usr/bin/python3 -S "$@"\n', { mode: 0o755 })
    if (spawnSync('/usr/bin/python3', ['-c', '']).status === 0)
      expect(await buildWheel({ root: checkout, out: at('none') }, { ...process.env, PYTHON: bare })).toEqual(
        { missing: ['python3-build', 'python3-setuptools', 'python3-wheel'] },
      )
  })

  it('can be imported without other packages, and has the same bytes when it is built again', async (test) => {
    const built = await buildWheel({ root: checkout, out: at('wheel') })
    if ('missing' in built) return test.skip(`missing: ${built.missing.join(', ')}`)
    expect(path.basename(built.file)).toBe(`phonerack-${version}-py3-none-any.whl`)
    const again = await buildWheel({ root: checkout, out: at('wheel-again') })
    expect('file' in again && sha256(again.file)).toBe(sha256(built.file))
    if (spawnSync('/usr/bin/python3', ['-c', 'import httpx']).status !== 0)
      return test.skip('missing: python3-httpx')
    mkdirSync(at('empty'))
    const code =
      "import phonerack; print(phonerack.__file__); phonerack.Phonerack(api_key='prk_a', base_url='http://127.0.0.1:9')"
    const output = execFileSync('/usr/bin/python3', ['-c', code], {
      cwd: at('empty'),
      encoding: 'utf8',
      timeout: 60_000,
      env: { PATH: process.env['PATH'], PYTHONPATH: built.file, PYTHONDONTWRITEBYTECODE: '1' },
    })
    expect(output.trim()).toBe(path.join(built.file, 'phonerack', '__init__.py'))
  })
})
