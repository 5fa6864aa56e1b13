/**
 * The examples for agent frameworks, installed in empty folders as their pages describe, with our packed SDK,
 * and run with a scripted model against a running system. Needs the build.
 */
import { execFile, spawn } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { buildClient, buildWheel, clients } from '@phonerack/launcher/packages'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { z } from 'zod'
import { exampleFolder, nodeFolder, nodePackages, pythonFolder, type Installed } from './examples/install.js'
import { note } from './examples/note.js'
import { picturesIn } from './examples/pictures.js'
import { startModel, type Turn } from './examples/scripted-model.js'
import { root } from './system/system.js'
import { newTenant, saysNoneFree, untilFree, type Tenant } from './system/tenant.js'

interface Framework {
  name: string
  language: 'node' | 'python'
  /** The tools that the example shows its model; null: all tools. */
  tools: readonly string[] | null
}

const frameworks: readonly Framework[] = [
  { name: 'claude-agent-sdk', language: 'node', tools: null },
  { name: 'langchain', language: 'node', tools: ['act', 'observe'] },
  { name: 'langchain-python', language: 'python', tools: ['act', 'observe'] },
  { name: 'mastra', language: 'node', tools: ['phonerack_act', 'phonerack_observe'] },
  { name: 'openai-agents', language: 'node', tools: ['act', 'observe'] },
  { name: 'vercel-ai', language: 'node', tools: ['act', 'observe'] },
]
/** Examples that other tests cover. */
const others = ['n8n']

const system = inject('system')
let tenant: Tenant
let dir: string
let sdk: string
let node: Installed
let wheel: Installed

beforeAll(async () => {
  tenant = await newTenant(system)
  dir = await mkdtemp(path.join(tmpdir(), 'phonerack-examples-'))
  const spec = clients.find(({ name }) => name === 'phonerack-sdk')
  if (spec === undefined) throw new Error('the SDK has no package')
  sdk = await buildClient(spec, { root, out: path.join(dir, 'out') })
  node = await nodeFolder(path.join(dir, 'node'))
  const built = await buildWheel({ root, out: path.join(dir, 'out') })
  wheel = 'file' in built ? { at: built.file } : { missing: `the wheel needs ${built.missing.join(', ')}` }
})
afterAll(() => rm(dir, { recursive: true, force: true }))

interface Ended {
  code: number | null
  output: string
  /** The requests to the model. */
  requests: readonly string[]
}

/** Copies an example and installs its packages. */
async function installExample({ name, language }: Framework): Promise<Installed> {
  const folder = await exampleFolder(name, path.join(dir, name))
  return language === 'python' ? pythonFolder(folder, wheel) : nodePackages(folder, sdk, node)
}

async function runOnce(framework: Framework, bin: string, script: readonly Turn[]): Promise<Ended> {
  const model = await startModel(script)
  const cwd = path.join(dir, framework.name)
  const env = {
    PATH: `${bin}:${process.env['PATH'] ?? ''}`,
    HOME: cwd,
    ...model.env,
    PHONERACK_BASE_URL: system.up.base_url,
    PHONERACK_API_KEY: tenant.agent.key,
    // With these variables, the frameworks send no traces and statistics to their makers.
    OPENAI_AGENTS_DISABLE_TRACING: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    MASTRA_TELEMETRY_DISABLED: '1',
  }
  const program = framework.language === 'node' ? 'agent.mts' : 'agent.py'
  try {
    return await new Promise<Ended>((resolve, reject) => {
      const child = spawn(framework.language, [program], { cwd, env, timeout: 120_000 })
      let output = ''
      const hear = (chunk: Buffer): void => void (output += chunk.toString('utf8'))
      child.stdin.end()
      child.stdout.on('data', hear)
      child.stderr.on('data', hear)
      child.once('error', reject)
      child.once('close', (code) => resolve({ code, output, requests: model.requests }))
    })
  } finally {
    await model.stop()
  }
}

const runExample = (framework: Framework, bin: string, script: readonly Turn[]): Promise<Ended> =>
  untilFree(
    () => runOnce(framework, bin, script),
    ({ code, output }) => code !== 0 && saysNoneFree(output),
  )

/** The status of the only phone that a request to the model names. */
async function phoneIn(request: string | undefined): Promise<{ id: string; status: string }> {
  const id = /\bph_[a-z2-7]{12}\b/.exec(request ?? '')?.[0] ?? ''
  const { body } = await tenant.admin.get(`/v1/phones/${id}`)
  return z.object({ id: z.string(), status: z.string() }).parse(body)
}

/** The output for messages of failed tests. */
const withoutPictures = (request: string | undefined): string =>
  (request ?? '').replaceAll(/[A-Za-z0-9+/]{200,}/g, '…')

const toolsIn = (request: string | undefined): string[] =>
  z
    .object({ tools: z.array(z.object({ name: z.string() }).transform(({ name }) => name)) })
    .parse(JSON.parse(request ?? '{}'))
    .tools.sort()

it('each example has a test', async () => {
  const folders = await readdir(path.join(root, 'examples'), { withFileTypes: true })
  const names = folders.filter((each) => each.isDirectory()).map(({ name }) => name)
  expect(names.sort()).toEqual([...frameworks.map(({ name }) => name), ...others].sort())
})

describe.each(frameworks)('the example for $name', (framework) => {
  let installed: Installed
  beforeAll(async () => {
    installed = await installExample(framework)
  })
  afterAll(() => rm(path.join(dir, framework.name), { recursive: true, force: true }))

  it('writes a note within its limits, and deletes the phone', async ({ skip }) => {
    if ('missing' in installed) return skip(installed.missing)
    const { code, output, requests } = await runExample(framework, installed.at, note)
    expect(code, output).toBe(0)
    expect(output).toContain('The note is written.')
    const [first, seen, refused, last] = requests
    if (framework.tools !== null) expect(toolsIn(first)).toEqual(framework.tools)
    expect(picturesIn(seen ?? '')).toEqual(['image'])
    expect(withoutPictures(refused)).toContain('handoff_required')
    expect(withoutPictures(last)).toMatch(/EditText \\+"Milk\\+"/)
    const phone = await phoneIn(first)
    expect(phone.status).toBe('deleted')
    const { body } = await tenant.admin.get(`/v1/phones/${phone.id}/steps`)
    const { data } = z
      .object({ data: z.array(z.object({ status: z.string(), completed: z.number() })) })
      .parse(body)
    // The refused batch never reached the phone.
    expect(data).toEqual([{ status: 'succeeded', completed: 4 }])
  })

  it.runIf(framework.language === 'node')('has no type errors', async ({ skip }) => {
    if ('missing' in installed) return skip(installed.missing)
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--ignoreConfig', '--module', 'nodenext']
    const types = ['--typeRoots', path.join(root, 'node_modules', '@types'), '--types', 'node']
    const libraries = ['--target', 'es2024', '--lib', 'es2024,esnext.disposable,dom']
    const args = [...options, ...types, ...libraries, 'agent.mts']
    const compiler = path.join(root, 'node_modules', '.bin', 'tsc')
    await promisify(execFile)(compiler, args, { cwd: path.join(dir, framework.name), timeout: 120_000 })
  })

  it('deletes the phone when the model fails', async ({ skip }) => {
    if ('missing' in installed) return skip(installed.missing)
    const { code, output, requests } = await runExample(framework, installed.at, [
      ...note.slice(0, 1),
      { refuse: 400 },
    ])
    expect(code, output).not.toBe(0)
    expect(output).toContain('The model refuses this request.')
    expect((await phoneIn(requests[0])).status).toBe('deleted')
  })
})
