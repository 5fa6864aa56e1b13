/** The examples of the README run word by word in a shell, over a server that answers like the API. Needs the build. */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startBench, type Bench } from './testing/program.js'
import { apiKey, startService, type Service } from './testing/service.js'

const run = promisify(execFile)
const program = path.join(import.meta.dirname, '..', 'dist', 'cli.js')
const readme = await readFile(path.join(import.meta.dirname, '..', 'README.md'), 'utf8')
const blocks = (language: string): string[] =>
  [...readme.matchAll(/^```(\w*)\n(.*?)^```$/gms)]
    .filter(([, found]) => found === language)
    .map(([, , text = '']) => text)

let service: Service
let bench: Bench
let bin: string
beforeEach(async () => {
  service = await startService()
  bench = await startBench()
  bin = await mkdtemp(path.join(tmpdir(), 'phonerack-readme-'))
  await writeFile(path.join(bin, 'phonerack'), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`, {
    mode: 0o755,
  })
})
afterEach(async () => {
  await service.close()
  await bench.close()
  await rm(bin, { recursive: true, force: true })
})

const inShell = (script: string) =>
  run('bash', ['--norc', '-euo', 'pipefail', '-c', script], {
    cwd: bin,
    env: {
      PATH: `${bin}:${process.env['PATH'] ?? ''}`,
      XDG_CONFIG_HOME: '/nonexistent',
      PHONERACK_API_KEY: apiKey,
      PHONERACK_BASE_URL: service.baseUrl,
    },
  })
const startsWith = (start: string): string => blocks('sh').find((block) => block.startsWith(start)) ?? ''

it('installs, signs in, and shows the service', async () => {
  await writeFile(path.join(bin, 'npm'), '#!/bin/sh\n[ "$*" = "install --global phonerack" ]\n', {
    mode: 0o755,
  })
  service.answers.set('POST /v1/setup', () => ({
    status: 201,
    body: {
      setup_token: 'prs_x',
      user_code: 'ZL7T-62DS',
      verification_url: `${service.baseUrl}/setup`,
      expires_in: 900,
      interval: 0,
    },
  }))
  const approved = { status: 'approved', api_key: apiKey, project: 'demo' }
  service.answers.set('POST /v1/setup/token', () => ({ body: approved }))
  const block = startsWith('npm install')
  expect(block).toContain('https://phones.example')
  const script = block.replace('https://phones.example', service.baseUrl)
  const ours = 'export XDG_CONFIG_HOME="$PWD/settings"; unset PHONERACK_API_KEY PHONERACK_BASE_URL'
  const { stdout, stderr } = await inShell(`${ours}\n${script}\nphonerack status`)
  expect(stderr).toContain('ZL7T-62DS')
  expect(stdout).toMatch(/Signed in to project demo .*key +stored/s)
})

it('takes the address and a key from up.json', async () => {
  await mkdir(path.join(bin, '.phonerack'))
  await writeFile(path.join(bin, '.phonerack/up.json'), JSON.stringify({ keys: { admin: apiKey } }))
  const block = startsWith('export PHONERACK_BASE_URL=')
  expect(block).toContain('http://127.0.0.1:7700')
  const script = block.replace('http://127.0.0.1:7700', service.baseUrl)
  const { stdout } = await inShell(`unset PHONERACK_API_KEY PHONERACK_BASE_URL\n${script}\nphonerack status`)
  expect(stdout).toContain('PHONERACK_API_KEY')
})

it('rents a phone, writes a note and parks it', async () => {
  const { stdout } = await inShell(startsWith('phonerack phone create --name notes\n'))
  expect(stdout).toContain('[1] Button "Next" #next')
  const types = service.seen
    .filter(({ url }) => url.endsWith('/actions'))
    .flatMap(({ body }) => (JSON.parse(body) as { actions: { type: string }[] }).actions)
    .map(({ type }) => type)
  expect(types).toEqual(['open_app', 'wait_for', 'tap', 'wait_for', 'type'])
  expect(service.seen.at(-1)?.url).toMatch(/\/park$/)
})

it('runs the examples for scripts', async () => {
  const { stdout, stderr } = await inShell(startsWith('phonerack phone create --name job'))
  expect(stderr).toBe('')
  const [id = '', ...rest] = stdout.trim().split('\n')
  expect(id).toMatch(/^ph_/)
  const answers = rest.map((line) => JSON.parse(line) as object)
  expect(answers).toMatchObject([
    { data: [{ id }], next_cursor: null },
    { completed: 1 },
    { completed: 2 },
    { project: 'demo' },
    { id, status: 'parked' },
  ])
})

it('runs the lines of the prompt', async () => {
  const lines = blocks('').flatMap((block) => [...block.matchAll(/^notes> (.*)$/gm)].map(([, line]) => line))
  expect(lines.at(-1)).toBe('quit')
  await inShell('phonerack phone create --name notes --quiet')
  const env = { PHONERACK_API_KEY: apiKey, PHONERACK_BASE_URL: service.baseUrl }
  const ended = await bench.phonerack(['phone', 'prompt', 'notes'], { env, stdin: `${lines.join('\n')}\n` })
  expect(ended).toMatchObject({ exitCode: 0 })
})

it('lists each command', async () => {
  const words = new Set([...readme.matchAll(/`([^`\n]+)`/g)].flatMap(([, code = '']) => code.split(/[\s,]+/)))
  const { out } = await bench.phonerack(['completion', 'fish'])
  const names = [...out.matchAll(/ -a (\S+)/g)].map(([, name = '']) => name)
  expect(names).toContain('handoff')
  expect(names.filter((name) => !words.has(name))).toEqual([])
})

it('has a configuration for MCP that starts the program', () => {
  const [config = ''] = blocks('json')
  expect(JSON.parse(config)).toEqual({ mcpServers: { phonerack: { command: 'phonerack', args: ['mcp'] } } })
})

it('has a template for MCP registries that starts the program', async () => {
  const manifest = async (name: string) =>
    JSON.parse(await readFile(path.join(import.meta.dirname, '../../..', name), 'utf8')) as unknown
  const { name: server, packages: [npm] = [] } = (await manifest('docs/mcp-server.json')) as {
    name: string
    packages?: { packageArguments: { value: string }[]; environmentVariables: { name: string }[] }[]
  }
  const { name, version, mcpName } = (await manifest('clients/cli/package.json')) as Record<string, unknown>
  // The official registry compares both names.
  expect(server).toBe(mcpName)
  expect(npm).toMatchObject({ registryType: 'npm', identifier: name, version, transport: { type: 'stdio' } })
  // `inShell` sets these variables.
  expect(npm?.environmentVariables).toMatchObject([
    { name: 'PHONERACK_BASE_URL', isRequired: true },
    { name: 'PHONERACK_API_KEY', isRequired: true, isSecret: true },
  ])
  const words = npm?.packageArguments.map(({ value }) => value).join(' ')
  expect(words).toBe('mcp')
  const ended = await inShell(`phonerack ${words} < /dev/null`)
  expect(ended).toEqual({ stdout: '', stderr: '' })
})
