/** The built package in consumers' projects: ES modules and CommonJS, and types under `tsc --strict`. */
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'

const run = promisify(execFile)
const root = path.join(import.meta.dirname, '..')
const { resolve } = createRequire(import.meta.url)
let dir: string

beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'phonerack-consumer-'))
  const installed = path.join(dir, 'node_modules/@phonerack/sdk')
  await mkdir(installed, { recursive: true })
  for (const name of ['package.json', 'dist'])
    await cp(path.join(root, name), path.join(installed, name), { recursive: true })
  await mkdir(path.join(dir, 'node_modules/@types'))
  await cp(path.dirname(resolve('@types/node/package.json')), path.join(dir, 'node_modules/@types/node'), {
    recursive: true,
  })
  await cp(path.dirname(resolve('undici-types/package.json')), path.join(dir, 'node_modules/undici-types'), {
    recursive: true,
  })
})
afterAll(() => rm(dir, { recursive: true, force: true }))

const use =
  "const client = new Phonerack({ apiKey: 'prk_a', baseUrl: 'http://127.0.0.1:9' }); console.log(typeof client.phones.create, typeof testing.startPhonerack, new Default({ apiKey: 'prk_a', baseUrl: 'http://127.0.0.1:9' }) instanceof Phonerack)"

it.each([
  [
    'an ES module',
    'a.mjs',
    `import Default, { Phonerack } from '@phonerack/sdk'; import * as testing from '@phonerack/sdk/testing'; ${use}`,
  ],
  [
    'CommonJS',
    'a.cjs',
    `const { Phonerack, default: Default } = require('@phonerack/sdk'); const testing = require('@phonerack/sdk/testing'); ${use}`,
  ],
])('is loaded by %s', async (_kind, name, text) => {
  await writeFile(path.join(dir, name), text)
  const { stdout } = await run(process.execPath, [path.join(dir, name)], { timeout: 60_000 })
  expect(stdout.trim()).toBe('function function true')
})

it('sends the key directly to this machine, and not to a proxy of the environment', async () => {
  const seen: string[] = []
  const listen = async (name: string, status: number): Promise<Server> => {
    const server = createServer((request, response) => {
      seen.push(`${name} ${request.headers.authorization ?? ''}`)
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}')
    })
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    return server
  }
  const [service, proxy] = [await listen('service', 200), await listen('proxy', 502)]
  const [baseUrl = '', proxyUrl = ''] = [service, proxy].map(
    (server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  )
  try {
    await writeFile(
      path.join(dir, 'proxy.mjs'),
      "import { Phonerack } from '@phonerack/sdk'; await new Phonerack().account()",
    )
    const proxies = { HTTP_PROXY: proxyUrl, http_proxy: proxyUrl, ALL_PROXY: proxyUrl, all_proxy: proxyUrl }
    const env = { PATH: process.env['PATH'], PHONERACK_API_KEY: 'prk_a', PHONERACK_BASE_URL: baseUrl }
    await run(process.execPath, [path.join(dir, 'proxy.mjs')], {
      env: { ...env, ...proxies },
      timeout: 60_000,
    })
    expect(seen).toEqual(['service Bearer prk_a'])
  } finally {
    service.close()
    proxy.close()
  }
})

it('compiles without the types of Node.js and without a library of disposables', async () => {
  const alone = path.join(dir, 'alone')
  await mkdir(path.join(alone, 'node_modules/@phonerack'), { recursive: true })
  await cp(path.join(dir, 'node_modules/@phonerack/sdk'), path.join(alone, 'node_modules/@phonerack/sdk'), {
    recursive: true,
  })
  const code =
    "import { Phonerack } from '@phonerack/sdk'\nawait using phone = await new Phonerack().phones.create()\nexport const id = phone.id\n"
  await writeFile(path.join(alone, 'a.mts'), code)
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: 'ES2022',
    lib: ['ES2023', 'DOM'],
    types: [],
    module: 'NodeNext',
    moduleResolution: 'NodeNext',
    skipLibCheck: true,
  }
  await writeFile(path.join(alone, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['a.mts'] }))
  await writeFile(path.join(alone, 'package.json'), '{"type":"module"}')
  const compiled = run(process.execPath, [resolve('typescript/bin/tsc'), '-p', alone, '--pretty', 'false'], {
    timeout: 100_000,
  })
  await expect(
    compiled.catch((error: unknown) => (error as { stdout: string }).stdout),
  ).resolves.toMatchObject({ stdout: '' })
})

it('compiles the examples of the README under --strict, from both kinds of modules', async () => {
  const readme = await readFile(path.join(root, 'README.md'), 'utf8')
  const [first = '', ...others] = [...readme.matchAll(/```ts\n([^]*?)```/g)].map(([, code = '']) => code)
  expect(others.length).toBeGreaterThanOrEqual(3)
  // The later examples continue the first example.
  const testing = others.pop() ?? ''
  const files = { 'first.mts': [first, ...others].join(''), 'testing.mts': testing }
  for (const [name, code] of Object.entries(files))
    await writeFile(path.join(dir, name), `${code}\nexport {}\n`)
  await writeFile(
    path.join(dir, 'old.cts'),
    "import sdk = require('@phonerack/sdk')\nexport const id = async (): Promise<string> => (await new sdk.Phonerack().phones.create()).id\n",
  )
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: 'ES2022',
    lib: ['ES2023', 'ESNext.Disposable'],
    module: 'NodeNext',
    moduleResolution: 'NodeNext',
    types: ['node'],
    skipLibCheck: false,
  }
  await writeFile(
    path.join(dir, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: [...Object.keys(files), 'old.cts'] }),
  )
  await writeFile(path.join(dir, 'package.json'), '{"type":"module"}')
  const compiled = run(process.execPath, [resolve('typescript/bin/tsc'), '-p', dir, '--pretty', 'false'], {
    timeout: 100_000,
  })
  await expect(
    compiled.catch((error: unknown) => (error as { stdout: string }).stdout),
  ).resolves.toMatchObject({ stdout: '' })
})
