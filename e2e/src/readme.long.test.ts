/**
 * The examples of the packages for authors of agents, literally, with the packed packages in empty folders.
 * Needs the build.
 */
import { execFile, spawn } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { buildClient, buildWheel, clients } from '@phonerack/launcher/packages'
import { makeApk, newSigner } from '@phonerack/virtual-phone/apk-builder'
// A dependency of @hey-api/openapi-ts.
import { parseTOML } from 'confbox/toml'
import { afterAll, afterEach, beforeAll, expect, inject, it } from 'vitest'
import { z } from 'zod'
import { answerHandoff } from './system/live-socket.js'
import { root } from './system/system.js'
import { newTenant, saysNoneFree, untilFree, type Tenant } from './system/tenant.js'

const run = promisify(execFile)
/** The address of `./scripts/up` in the documents. */
const documented = 'http://127.0.0.1:7700'
const python = process.env['PYTHON'] ?? '/usr/bin/python3'
const id = 'ph_\\w+'

let tenant: Tenant
let dir: string
let bin: string
let env: Record<string, string>
const system = inject('system')

beforeAll(async () => {
  tenant = await newTenant(system)
  dir = await mkdtemp(path.join(tmpdir(), 'phonerack-readme-'))
  const settings = { package: 'com.example.readme', label: 'README', versionCode: 1, versionName: '1.0' }
  const apk = makeApk(settings, await newSigner('the examples'))
  for (const spec of clients) {
    const file = await buildClient(spec, { root, out: path.join(dir, 'out') })
    const cwd = path.join(dir, spec.name)
    await mkdir(cwd)
    const options = ['--offline', '--no-audit', '--no-fund', '--ignore-scripts']
    await run('npm', ['install', ...options, file], { cwd, timeout: 120_000 })
    await writeFile(path.join(cwd, 'app.apk'), apk)
  }
  bin = path.join(dir, 'phonerack', 'node_modules', '.bin')
  env = {
    PATH: `${bin}:${process.env['PATH'] ?? ''}`,
    HOME: dir,
    PHONERACK_BASE_URL: system.up.base_url,
    PHONERACK_API_KEY: tenant.admin.key,
  }
})
afterEach(deletePhones)
afterAll(() => rm(dir, { recursive: true, force: true }))

async function deletePhones(): Promise<void> {
  const { body } = await tenant.admin.get('/v1/phones')
  const { data } = z.object({ data: z.array(z.object({ id: z.string() })) }).parse(body)
  for (const phone of data) await tenant.admin.delete(`/v1/phones/${phone.id}`)
}

/** The code of one language in a document, block by block. */
async function blocks(document: string, language: string): Promise<string[]> {
  return blocksIn(await readFile(path.join(root, document), 'utf8'), language)
}
const blocksIn = (text: string, language: string): string[] =>
  [...text.matchAll(/^```(\w*)\n(.*?)^```$/gms)]
    .filter(([, found]) => found === language)
    .map(([, , code = '']) => code)

interface Ended {
  exitCode: number | null
  out: string
  err: string
}

/** Runs a program. A person answers the hand-over whose link the program prints. */
function attempt(program: string, args: string[], cwd: string, more: object = {}): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env: { ...env, ...more }, stdio: ['ignore', 'pipe', 'pipe'] })
    let [out, err, answered] = ['', '', false]
    const timer = setTimeout(() => child.kill('SIGKILL'), 300_000)
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString('utf8')
      const url = /^(http\S+\/live#\S+)\n/m.exec(out)?.[1]
      if (url === undefined || answered) return
      answered = true
      answerHandoff(url, 'Signed in.').catch(reject)
    })
    child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString('utf8')))
    child.on('error', reject)
    child.on('close', (exitCode) => {
      clearTimeout(timer)
      resolve({ exitCode, out, err })
    })
  })
}

/** Returns the output of a program. The program runs again while other tests hold every phone. */
async function printed(...given: Parameters<typeof attempt>): Promise<string> {
  const ended = await untilFree(
    async () => {
      await deletePhones()
      return attempt(...given)
    },
    ({ err }) => saysNoneFree(err),
  )
  expect(ended, ended.err).toMatchObject({ exitCode: 0 })
  return ended.out.trim()
}

it('runs the examples of the TypeScript SDK', async () => {
  const cwd = path.join(dir, 'phonerack-sdk')
  const require = createRequire(path.join(root, 'clients/typescript/package.json'))
  // Node.js 20 does not know `await using`.
  const ts = require('typescript') as {
    ScriptTarget: { ES2022: number }
    ModuleKind: { ESNext: number }
    transpileModule: (code: string, options: object) => { outputText: string }
  }
  const compilerOptions = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext }
  const examples = await blocks('clients/typescript/README.md', 'ts')
  expect(examples).toHaveLength(7)
  // The second to the sixth block continue the first block.
  const programs = [examples.slice(0, 6).join('\n'), examples[6] ?? '']
  const outputs: string[] = []
  for (const [index, code] of programs.entries()) {
    const file = path.join(cwd, `example-${index}.mjs`)
    await writeFile(file, ts.transpileModule(code, { compilerOptions }).outputText)
    outputs.push(await printed(process.execPath, [file], cwd))
  }
  expect(outputs[0]).toMatch(
    /"New note".*\n\[ \d+, \d+ \]\nhttp\S+\/live#\S+\nuploading 1\n[^]*installing null\n/,
  )
  expect(outputs[0]).toMatch(/\nhttp\S+\/live#\S+ [1-9]\d{2,}\ntrue \d+ \d+\nwhsec_\S+\n/)
  expect(outputs[0]).toMatch(/\nstp_\w+ succeeded\n[1-9]\d{3,} [1-9]\d{2,}$/)
  expect(outputs[1]).toBe('')
})

it('runs the examples of the command line', async () => {
  const cwd = path.join(dir, 'phonerack')
  const found = await blocks('clients/cli/README.md', 'sh')
  const block = (start: string): string => found.find((each) => each.startsWith(start)) ?? ''
  const shell = (script: string): Promise<string> =>
    printed('bash', ['--norc', '-euo', 'pipefail', '-c', script], cwd)

  const environment = block('export PHONERACK_BASE_URL=')
  expect(environment).toContain(documented)
  expect(environment).toContain('.phonerack/up.json')
  const ours = environment
    .replace(documented, system.up.base_url)
    .replace('.phonerack/up.json', path.join(system.dir, 'up.json'))
  expect(await shell(`unset PHONERACK_API_KEY\n${ours}\nphonerack status`)).toContain('PHONERACK_API_KEY')

  const first = block('phonerack phone create --name notes\n')
  const notes = await shell(first)
  expect(notes).toMatch(/^\[\d+\] EditText "hello from a terminal" #title /m)
  const lines = (await blocks('clients/cli/README.md', '')).flatMap((text) =>
    [...text.matchAll(/^notes> (.*)$/gm)].map(([, line = '']) => line),
  )
  expect(lines.at(-1)).toBe('quit')
  const created = 'phonerack phone create --name notes --quiet'
  const typed = await shell(`${created}\nphonerack phone prompt notes <<'END'\n${lines.join('\n')}\nEND\n`)
  expect(typed).toContain('com.phonerack.notes')

  const script = await shell(block('phonerack phone create --name job'))
  expect(script).toMatch(new RegExp(`^${id}\\n\\{"data":\\[[^]*"completed":2[^]*"status":"parked"`))
})

it('runs the examples of the Python SDK', async (test) => {
  const wheel = await buildWheel({ root, out: path.join(dir, 'wheel') })
  if ('missing' in wheel) return test.skip(`missing: ${wheel.missing.join(', ')}`)
  const httpx = await run(python, ['-c', 'import httpx']).catch((error: unknown) => error)
  if (httpx instanceof Error) return test.skip('missing: python3-httpx')
  const examples = await blocks('clients/python/README.md', 'python')
  expect(examples.length).toBeGreaterThan(4)
  const more = { PYTHONPATH: wheel.file, PYTHONDONTWRITEBYTECODE: '1', PYTHONUNBUFFERED: '1' }
  const out = await printed(python, ['-c', examples.join('\n')], path.join(dir, 'phonerack-sdk'), more)
  expect(out).toMatch(/"New note".*\n\(\d+, \d+\)\nhttp\S+\/live#\S+\ndone Signed in\.\nuploading 1\.0\n/)
  expect(out).toMatch(/\ninstalling None\nhttp\S+\/live#\S+ [1-9]\d{2,}\n/)
  expect(out).toContain('\nphone_not_running ')
})

interface ServerConfig {
  url?: string
  headers?: Record<string, string>
  command?: string
  args?: string[]
}

/** Replaces variables like the clients of these files: `${NAME}`, `${env:NAME}`, `${input:NAME}`. */
const expanded = (value: string): string =>
  value.replace(/\$\{(?:env:PHONERACK_API_KEY|input:phonerack-key|PHONERACK_API_KEY)\}/g, tenant.admin.key)

const codexSchema = z.strictObject({
  mcp_servers: z.strictObject({
    phonerack: z.strictObject({ url: z.string(), bearer_token_env_var: z.string() }),
  }),
})

/** `config.toml` of Codex, which names the variable of the key. */
function codexConfig(text: string): ServerConfig {
  const { url, bearer_token_env_var: name } = codexSchema.parse(parseTOML(text)).mcp_servers.phonerack
  return { url, headers: { Authorization: `Bearer ${env[name] ?? ''}` } }
}

async function projectWith({ url, headers = {}, command, args = [] }: ServerConfig): Promise<unknown> {
  const client = new Client({ name: 'readme', version: '1' })
  const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, expanded(value)]))
  await client.connect(
    url === undefined
      ? new StdioClientTransport({ command: command ?? '', args, env })
      : new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: sent } }),
  )
  try {
    expect((await client.listTools()).tools).toHaveLength(29)
    const { structuredContent } = await client.callTool({ name: 'get_account' })
    return z.object({ project: z.string() }).parse(structuredContent).project
  } finally {
    await client.close()
  }
}

it('connects with the configurations for MCP clients, and runs the first call', async () => {
  const { base_url: baseUrl } = system.up
  const project = z
    .object({ project: z.string() })
    .parse((await tenant.admin.get('/v1/account')).body).project
  const install = (await tenant.admin.get('/llms-install.md')).bytes.toString('utf8')
  const documents = [await readFile(path.join(root, 'docs/mcp.md'), 'utf8'), install]
  const readme = await readFile(path.join(root, 'clients/cli/README.md'), 'utf8')
  const configs = [...documents, readme]
    .flatMap((text) => blocksIn(text.replaceAll(documented, baseUrl), 'json'))
    .flatMap((text) => {
      const { mcpServers, servers } = JSON.parse(text) as Record<
        string,
        { phonerack: ServerConfig } | undefined
      >
      return [mcpServers, servers].flatMap((each) => (each ? [each.phonerack] : []))
    })
  const codex = blocksIn(install, 'toml').map(codexConfig)
  expect(codex).toHaveLength(1)
  configs.push(...codex)
  expect(configs.filter(({ url }) => url !== undefined)).toHaveLength(5)
  expect(configs.filter(({ command }) => command !== undefined)).toHaveLength(3)
  for (const config of configs) expect(await projectWith(config), JSON.stringify(config)).toBe(project)

  const call = blocksIn(documents[0] ?? '', 'sh').find((each) => each.startsWith('curl ')) ?? ''
  const more = { BASE: baseUrl, KEY: tenant.admin.key }
  expect(await printed('bash', ['-euc', call], dir, more)).toContain(project)
})
