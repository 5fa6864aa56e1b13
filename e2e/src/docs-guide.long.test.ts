/**
 * Every code block of the documentation's pages, run in the order of the page with the packed clients against a running
 * system, and compared with the output that the page shows. Needs the build.
 */
import { execFile, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { buildWheel, clients as packages } from '@phonerack/launcher/packages'
import { makeApk, newSigner } from '@phonerack/virtual-phone/apk-builder'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { z } from 'zod'
import { blocksFor, blocksOf, clientsOf, type Block, type Client } from './guide/blocks.js'
import { isPrinted } from './guide/output.js'
import { outputsOf, programOf } from './guide/programs.js'
import { runTools } from './guide/tools.js'
import { answerHandoff } from './system/live-socket.js'
import { root } from './system/system.js'
import { newTenant, saysNoneFree, untilFree, type Tenant } from './system/tenant.js'

const run = promisify(execFile)
/** The address of `./scripts/up` in the pages. */
const documented = 'http://127.0.0.1:7700'
const python = process.env['PYTHON'] ?? '/usr/bin/python3'

/** Why a block is not run. */
const reasons: Readonly<Record<string, string>> = {
  install: 'The test installs the packages of the service once, for all pages.',
  workflow: 'It runs on the machines of a CI service. Its script is the block before it, which runs.',
}

const folder = path.join(root, 'site', 'pages')
const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .sort()
  .map((name) => ({ name, blocks: blocksOf(readFileSync(path.join(folder, name), 'utf8')) }))
const runs = pages.flatMap(({ name, blocks }) =>
  clientsOf(blocks).map((client) => ({ name, client, blocks })),
)

let tenant: Tenant
let dir: string
let env: Record<string, string>
let missing: readonly string[] = []
const system = inject('system')

beforeAll(async () => {
  tenant = await newTenant(system)
  dir = await mkdtemp(path.join(tmpdir(), 'phonerack-guide-'))
  const files = packages.map(({ name }) => `${system.up.base_url}/packages/${name}.tgz`)
  // No registry answers, since all modules are in the files.
  const options = ['--registry', 'http://127.0.0.1:9', '--no-audit', '--no-fund', '--ignore-scripts']
  await run('npm', ['install', ...options, ...files], { cwd: dir, timeout: 120_000 })
  await symlink(
    path.join(root, 'node_modules', 'standardwebhooks'),
    path.join(dir, 'node_modules', 'standardwebhooks'),
  )
  const wheel = await buildWheel({ root, out: path.join(dir, 'wheel') })
  if ('missing' in wheel) missing = wheel.missing
  else if (
    await run(python, ['-c', 'import httpx']).then(
      () => false,
      () => true,
    )
  )
    missing = ['python3-httpx']
  env = {
    PATH: `${path.join(dir, 'node_modules', '.bin')}:${process.env['PATH'] ?? ''}`,
    PHONERACK_BASE_URL: system.up.base_url,
    PHONERACK_API_KEY: tenant.admin.key,
    ...('file' in wheel ? { PYTHONPATH: wheel.file } : {}),
    PYTHONDONTWRITEBYTECODE: '1',
    PYTHONUNBUFFERED: '1',
    NO_COLOR: '1',
    LC_ALL: 'C.UTF-8',
  }
})
afterAll(() => rm(dir, { recursive: true, force: true }))

async function deletePhones(): Promise<void> {
  const { body } = await tenant.admin.get('/v1/phones')
  const { data } = z.object({ data: z.array(z.object({ id: z.string() })) }).parse(body)
  for (const phone of data) await tenant.admin.delete(`/v1/phones/${phone.id}`)
}

/** Answers the first hand-over whose link appears in a text. */
function answering(): { read(text: string): void; settled(): Promise<void> } {
  let answer: Promise<void> | null = null
  return {
    read(text) {
      const url = /http[^\s"]+\/live#[\w-]+(?=[\s".])/.exec(text)?.[0]
      if (url !== undefined) answer ??= answerHandoff(url, 'Signed in.')
    },
    settled: () => answer ?? Promise.resolve(),
  }
}

async function runProgram(
  client: Exclude<Client, 'MCP'>,
  blocks: readonly Block[],
  cwd: string,
): Promise<Map<number, string>> {
  const { file, text, command } = programOf(client, blocks, python)
  await writeFile(path.join(cwd, file), text)
  const [name = '', ...args] = command
  const person = answering()
  const { code, out, all } = await new Promise<{ code: number | null; out: string; all: string }>(
    (resolve, reject) => {
      const child = spawn(name, args, { cwd, env: { ...env, HOME: cwd }, stdio: ['ignore', 'pipe', 'pipe'] })
      let [printed, both] = ['', '']
      const timer = setTimeout(() => child.kill('SIGKILL'), 240_000)
      const hear = (chunk: Buffer): void => {
        both += chunk.toString('utf8')
        person.read(both)
      }
      child.stdout.on('data', (chunk: Buffer) => {
        printed += chunk.toString('utf8')
        hear(chunk)
      })
      child.stderr.on('data', hear)
      child.on('error', reject)
      child.on('close', (exitCode) => {
        clearTimeout(timer)
        resolve({ code: exitCode, out: printed, all: both })
      })
    },
  )
  await person.settled()
  if (code !== 0) throw new Error(`ended with ${code}:\n${all}`)
  return outputsOf(out)
}

async function runBlocks(
  client: Client,
  blocks: readonly Block[],
  cwd: string,
): Promise<Map<number, string>> {
  if (client !== 'MCP') return runProgram(client, blocks, cwd)
  const person = answering()
  const onText = (text: string): void => person.read(text)
  const access = { url: system.up.mcp_url, key: tenant.admin.key, onText }
  const outputs = await runTools(blocks, access)
  await person.settled()
  return outputs
}

/** Blocks with the address and a key of the system under test. */
const forSystem = (blocks: readonly Block[]): Block[] =>
  blocks.map((block) => ({
    ...block,
    code: block.code
      .replaceAll(documented, system.up.base_url)
      .replace(/^(export PHONERACK_API_KEY=)prk_…$/m, `$1${tenant.admin.key}`),
  }))

/** The block of output for a step that the client ran, if the page has one. */
function expectedOutputs(blocks: readonly Block[], own: readonly Block[]): { step: number; code: string }[] {
  return blocks
    .filter(({ isOutput }) => isOutput)
    .flatMap(({ step, code }) => {
      const before = Math.max(
        ...blocks.filter((block) => !block.isOutput && block.step < step).map((block) => block.step),
      )
      return own.some((block) => block.step === before) ? [{ step: before, code }] : []
    })
}

describe('the code of the documentation', () => {
  it('is run, or has a listed reason', () => {
    const words = pages.flatMap(({ blocks }) => blocks.flatMap(({ notRun }) => notRun ?? []))
    expect([...new Set(words)].sort()).toEqual(Object.keys(reasons).sort())
    expect(runs.length).toBeGreaterThan(20)
    const shown = pages.flatMap(({ blocks }) => blocks.filter(({ isOutput }) => isOutput))
    const compared = runs.flatMap(({ blocks, client }) => expectedOutputs(blocks, blocksFor(blocks, client)))
    for (const { code } of shown) expect(compared.map((each) => each.code)).toContain(code)
  })

  it.for(runs)('runs on $name with $client', async ({ name, client, blocks }, { skip }) => {
    if (client === 'Python' && missing.length > 0) return skip(`missing: ${missing.join(', ')}`)
    const own = forSystem(blocksFor(blocks, client))
    // The clients of a page share its folder, so that a client can read the files of another.
    const cwd = path.join(dir, 'pages', name)
    await mkdir(cwd, { recursive: true })
    const settings = {
      package: 'com.example.app',
      label: 'Example',
      versionCode: 1,
      activity: '.MainActivity',
    }
    await writeFile(path.join(cwd, 'app.apk'), makeApk(settings, await newSigner('the guide')))
    const outputs = await untilFree(
      async () => {
        await deletePhones()
        return runBlocks(client, own, cwd).catch((error: unknown) => {
          if (error instanceof Error) return error
          throw error
        })
      },
      // curl with `-f` shows only the status.
      (ended) =>
        ended instanceof Error &&
        (saysNoneFree(ended.message) || ended.message.includes('returned error: 503')),
    )
    if (outputs instanceof Error) throw outputs
    await deletePhones()
    for (const { step, code } of expectedOutputs(blocks, own)) {
      const output = outputs.get(step) ?? ''
      expect(isPrinted(code, output), `expected:\n${code}\nprinted:\n${output}`).toBe(true)
    }
  })
})
