/**
 * `./scripts/runtimes`: installs the packed TypeScript SDK in an empty folder, and runs one program with it
 * on each runtime.
 */
import { execFile, spawn } from 'node:child_process'
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { buildClient, clients } from '@phonerack/launcher/packages'
import { makeApk, newSigner } from '@phonerack/virtual-phone/apk-builder'
import { withParts, type Parts } from '../system/parts.js'
import { root } from '../system/system.js'
import { runtimes, type Runtime } from './runtimes.js'

/** Milliseconds for the program on one runtime. */
const limitMs = 240_000
/** Bytes without a pattern. The SDK reports an upload's progress per MiB. */
const apkBytes = 3_000_000

interface Service {
  baseUrl: string
  apiKey: string
}

/** The service from the environment, or a new system with virtual phones. */
async function serviceOf(parts: Parts): Promise<Service> {
  const { PHONERACK_BASE_URL: baseUrl, PHONERACK_API_KEY: apiKey } = process.env
  if (baseUrl && apiKey) return { baseUrl, apiKey }
  const { up } = await parts.startSystem({ virtualPhones: 3 })
  return { baseUrl: up.base_url, apiKey: up.keys.admin }
}

/** A folder with the installed SDK, the program in both languages, and an APK. */
async function folderWithSdk(parts: Parts): Promise<string> {
  const dir = await mkdtemp(path.join(tmpdir(), 'phonerack-runtimes-'))
  parts.add(() => rm(dir, { recursive: true, force: true }))
  const sdk = clients.find(({ name }) => name === 'phonerack-sdk')
  if (sdk === undefined) throw new Error('there is no package of the SDK')
  const file = await buildClient(sdk, { root, out: path.join(dir, 'out') })
  const options = ['--offline', '--no-audit', '--no-fund', '--ignore-scripts']
  await promisify(execFile)('npm', ['install', '--prefix', dir, ...options, file], { timeout: 120_000 })
  await copyFile(path.join(root, 'e2e/src/runtimes/task.ts'), path.join(dir, 'task.ts'))
  await copyFile(path.join(root, 'e2e/dist/runtimes/task.js'), path.join(dir, 'task.mjs'))
  const settings = { package: 'com.example.runtimes', versionCode: 1, versionName: '1.0', label: 'Runtimes' }
  const noise = crypto.getRandomValues(new Uint8Array(65_536))
  const content = Buffer.concat(Array.from({ length: Math.ceil(apkBytes / noise.length) }, () => noise))
  const signer = await newSigner('runtimes')
  await writeFile(path.join(dir, 'app.apk'), makeApk({ ...settings, files: { 'assets/a': content } }, signer))
  return dir
}

interface Ended {
  exitCode: number | null
  steps: string[]
  errors: string
  ms: number
}

function runOn({ program, args, extension }: Runtime, cwd: string, service: Service): Promise<Ended> {
  const words = [...args(`task${extension}`, new URL(service.baseUrl).host), 'app.apk']
  const startedAt = performance.now()
  // The environment has no proxy, and no settings of the person who runs this.
  const env = {
    PATH: process.env['PATH'],
    HOME: cwd,
    NO_COLOR: '1',
    PHONERACK_BASE_URL: service.baseUrl,
    PHONERACK_API_KEY: service.apiKey,
  }
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: limitMs })
    let [output, errors] = ['', '']
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')))
    child.stderr.on('data', (chunk: Buffer) => (errors = (errors + chunk.toString('utf8')).slice(-4000)))
    child.on('error', reject)
    child.on('close', (exitCode) => {
      const steps = output.split('\n').filter((line) => line !== '')
      resolve({ exitCode, steps, errors, ms: performance.now() - startedAt })
    })
  })
}

/** Returns whether the program succeeded. */
async function report(name: string, dir: string, service: Service): Promise<boolean> {
  const print = (state: string, more: string): boolean => process.stdout.write(`${name}: ${state}${more}\n`)
  let runtime: Runtime
  try {
    runtime = await (runtimes[name] ?? (() => Promise.reject(new Error('unknown'))))()
  } catch (error) {
    print('missing', `: ${error instanceof Error ? error.message : String(error)}`)
    return false
  }
  const { exitCode, steps, errors, ms } = await runOn(runtime, dir, service)
  const isOk = exitCode === 0
  const done = `, ${steps.length} steps in ${(ms / 1000).toFixed(1)} s`
  print(isOk ? 'ok' : 'failed', ` (${runtime.version})${done}`)
  if (!isOk) process.stdout.write(`  after: ${steps.at(-1) ?? 'nothing'}\n${errors.replace(/^/gm, '  ')}\n`)
  return isOk
}

await withParts(async (parts) => {
  const dir = await folderWithSdk(parts)
  const service = await serviceOf(parts)
  for (const name of Object.keys(runtimes)) if (!(await report(name, dir, service))) process.exitCode = 1
})
