/** The examples of the README run word by word in a shell, over a server that answers like the API. Needs the build. */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
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

it('runs the lines of the shell', async () => {
  const lines = blocks('').flatMap((block) => [...block.matchAll(/^notes> (.*)$/gm)].map(([, line]) => line))
  expect(lines.at(-1)).toBe('quit')
  await inShell('phonerack phone create --name notes --quiet')
  const env = { PHONERACK_API_KEY: apiKey, PHONERACK_BASE_URL: service.baseUrl }
  const ended = await bench.phonerack(['phone', 'shell', 'notes'], { env, stdin: `${lines.join('\n')}\n` })
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
  const { packages: [npm] = [] } = (await manifest('docs/mcp-server.json')) as {
    packages?: { packageArguments: { value: string }[]; environmentVariables: { name: string }[] }[]
  }
  const { name, version } = (await manifest('clients/cli/package.json')) as Record<string, unknown>
  expect(npm).toMatchObject({ registryType: 'npm', identifier: name, version, transport: { type: 'stdio' } })
  // Those that `inShell` sets.
  expect(npm?.environmentVariables).toMatchObject([
    { name: 'PHONERACK_BASE_URL', isRequired: true },
    { name: 'PHONERACK_API_KEY', isRequired: true, isSecret: true },
  ])
  const words = npm?.packageArguments.map(({ value }) => value).join(' ')
  expect(words).toBe('mcp')
  const ended = await inShell(`phonerack ${words} < /dev/null`)
  expect(ended).toEqual({ stdout: '', stderr: '' })
})
