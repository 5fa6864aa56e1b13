/**
 * Starts and stops a whole system with `scripts/up`, as a new user would, in a separate folder and on a
 * separate port.
 */
import { execFile, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pickPort } from '@phonerack/launcher'
import type { Part } from '@phonerack/virtual-phone'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { z } from 'zod'
import { testAdbKey } from './adb-key.js'

const run = promisify(execFile)

/** The checkout. */
export const root = fileURLToPath(new URL('../../..', import.meta.url))

const upFileSchema = z.object({
  base_url: z.string(),
  mcp_url: z.string(),
  operator_url: z.string(),
  metrics_urls: z.object({ control_plane: z.string(), host_agent: z.string().optional() }),
  console_url: z.string(),
  sign_in_url: z.string().nullable(),
  operator_token: z.string(),
  project: z.object({ id: z.string(), name: z.string() }),
  keys: z.object({ admin: z.string(), agent: z.string(), read_only: z.string() }),
  pid: z.number(),
})
export type UpFile = z.infer<typeof upFileSchema>

/**
 * The data of a running system that tests need. It is plain data, so that it can be sent to test processes.
 */
export interface System {
  dir: string
  up: UpFile
  /** The address of the fault port; null when no fault port was requested. */
  faultPort: number | null
}

/**
 * The parts without which the agent has only the features of every phone: `input`, `uiautomator`,
 * `screencap`.
 */
export const withoutFastWay = ['scrcpy', 'ui-server', 'settings-app'] as const satisfies readonly Part[]

/**
 * The range is outside the ranges of outgoing connections and of `up`'s ports, and above 10080, which `fetch`
 * refuses.
 */
const ports = { lowest: 10_100, highest: 20_000 }

/** Returns a free port that no other worker gets. */
export const freePort = (): Promise<number> => pickPort(undefined, undefined, ports)

export async function readUpFile(dir: string): Promise<UpFile> {
  return upFileSchema.parse(JSON.parse(await readFile(path.join(dir, 'up.json'), 'utf8')))
}

export interface StartOptions {
  virtualPhones: number
  dir?: string
  port?: number
  env?: Record<string, string>
  /** Further arguments of `up`. */
  args?: readonly string[]
  /** Opens the fault port for `faultsOf`; a number: at this port. */
  faultPort?: boolean | number
  /**
   * The parts that each phone lacks, in the order of their ports: `[[], ['scrcpy']]` for the second phone.
   */
  without?: readonly (readonly Part[])[]
  /** Interrupts the start, which rejects once `up` has ended. */
  signal?: AbortSignal
}

/** Systems that the tests of this file started. */
export const systemsOfThisFile: System[] = []

/** Runs `./scripts/up --detach`. Rejects with its output when it is not ready within 4 minutes. */
export async function startSystem(options: StartOptions): Promise<System> {
  const dir = options.dir ?? (await mkdtemp(path.join(tmpdir(), 'phonerack-e2e-')))
  const port = options.port ?? (await freePort())
  const args = ['--detach', '--data', dir, '--port', String(port)]
  args.push('--virtual-phones', String(options.virtualPhones), ...(options.args ?? []))
  const { faultPort: wanted = false } = options
  const faultPort = wanted === true ? await freePort() : wanted === false ? null : wanted
  const without = (options.without ?? []).flatMap((parts, at) => parts.map((part) => `${at + 1}:${part}`))
  const forPhones = {
    PHONERACK_TEST_ADB_KEYS: `${testAdbKey()}.pub`,
    // The forms of the two makers whose outputs differ most from AOSP's.
    PHONERACK_TEST_MAKERS: 'samsung,xiaomi',
    ...(faultPort === null ? {} : { PHONERACK_TEST_FAULT_PORT: String(faultPort) }),
    ...(without.length === 0 ? {} : { PHONERACK_TEST_WITHOUT: without.join(',') }),
  }
  await new Promise<void>((resolve, reject) => {
    const child = spawn(path.join(root, 'scripts/up'), args, {
      cwd: root,
      env: { ...process.env, ...options.env, ...forPhones },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 240_000,
    })
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
    const interrupt = (): void => void child.kill('SIGTERM')
    if (options.signal?.aborted === true) interrupt()
    options.signal?.addEventListener('abort', interrupt, { once: true })
    child.once('error', reject)
    child.once('exit', (code) => {
      options.signal?.removeEventListener('abort', interrupt)
      if (code === 0) resolve()
      else reject(new Error(`scripts/up ended with ${code ?? 'a signal'}:\n${output}`))
    })
  })
  const system = { dir, up: await readUpFile(dir), faultPort }
  systemsOfThisFile.push(system)
  return system
}

/** Runs `./scripts/down`, and then removes the folder. */
export async function stopSystem({ dir }: Pick<System, 'dir'>): Promise<void> {
  await run(path.join(root, 'scripts/down'), ['--data', dir, '--erase'], { cwd: root, timeout: 150_000 })
  await rm(dir, { recursive: true, force: true })
}

/** Runs `./scripts/ctl --json` and returns its output, parsed. */
export async function ctl(system: System, ...args: string[]): Promise<unknown> {
  const { stdout } = await run(path.join(root, 'scripts/ctl'), ['--data', system.dir, '--json', ...args], {
    cwd: root,
    timeout: 150_000,
  })
  return JSON.parse(stdout)
}
