/** For tests: the compiled agent as a process, with a data folder and an identity. */
import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@phonerack/launcher/ports'
import { findMarked } from '../adb/process-identity.js'
import { adbHome } from '../adb/sockets.js'
import { controlPlaneIdentity } from '../service/grpc/call.js'
import { saveIdentity, type Identity } from '../service/identity.js'
import { makeConfig, serverName } from './agent.js'
import { createClient, type TestClient } from './client.js'
import type { TestCa } from './pki.js'
import { until } from './until.js'

export const packageDir = join(import.meta.dirname, '..', '..')

export interface Started {
  child: ChildProcess
  logged: () => string
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
}

export interface AgentFolder {
  dataDir: string
  /** The agent's variables. */
  env: NodeJS.ProcessEnv
  /** A client of the agent that runs in this process. */
  client: TestClient
  startMain(changes?: NodeJS.ProcessEnv): Started
  /** @param script a file of the package, and its arguments */
  startProgram(script: readonly string[], env: NodeJS.ProcessEnv): Started
  startCommand(words: readonly string[], env: NodeJS.ProcessEnv): Started
  /** Process IDs of the agent's adb servers. */
  adbServers(): number[]
  /** Ends the processes, and removes the folder. */
  remove(): Promise<void>
}

/** @param connect addresses of phones, separated by commas */
export async function makeAgentFolder(ca: TestCa, identity: Identity, connect: string): Promise<AgentFolder> {
  const dataDir = mkdtempSync(join(tmpdir(), 'phonerack-main-'))
  const config = await makeConfig(dataDir, [])
  const grpc = `127.0.0.1:${await freePort()}`
  const env = {
    PATH: process.env['PATH'],
    PHONERACK_DATA_DIR: dataDir,
    PHONERACK_CONTROL_URL: config.controlUrl,
    PHONERACK_HOST_NAME: 'test',
    PHONERACK_GRPC_LISTEN: grpc,
    PHONERACK_ADB_CONNECT: connect,
    PHONERACK_SCRCPY_SERVER: config.scrcpyServer ?? '',
    NATS_URL: config.natsUrl,
  }
  saveIdentity(join(dataDir, 'identity.json'), identity)
  const leaf = await ca.issue({ uri: controlPlaneIdentity }, 'client')
  const client = createClient(grpc, ca.caPem, leaf, serverName)
  const children: ChildProcess[] = []

  function startCommand([program = '', ...args]: readonly string[], environment: NodeJS.ProcessEnv): Started {
    const child = spawn(program, args, { env: environment, stdio: ['ignore', 'pipe', 'pipe'] })
    children.push(child)
    let logged = ''
    child.stdout.on('data', (chunk: Buffer) => (logged += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (logged += chunk.toString()))
    const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
      child.once('exit', (code, signal) => resolve({ code, signal }))
    })
    return { child, logged: () => logged, ended }
  }
  const startProgram = ([script = '', ...args]: readonly string[], environment: NodeJS.ProcessEnv): Started =>
    startCommand([process.execPath, join(packageDir, script), ...args], environment)

  return {
    dataDir,
    env,
    client,
    startCommand,
    startProgram,
    startMain: (changes = {}) => startProgram(['dist/main.js'], { ...env, ...changes }),
    adbServers() {
      const home = adbHome(dataDir)
      const names = existsSync(home) ? readdirSync(home) : []
      return names
        .filter((name) => name.endsWith('.json'))
        .flatMap((name) => findMarked(join(home, name)) ?? [])
    },
    async remove() {
      client.close()
      for (const child of children.splice(0)) {
        if (child.exitCode === null && child.signalCode === null) {
          child.kill('SIGTERM')
          await new Promise((resolve) => child.once('exit', resolve))
        }
      }
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

export const running = (started: Started): Promise<void> =>
  until(() => started.logged().includes('the host agent runs'), 60_000, 'a running agent')
