/**
 * The baseline of a comparison: the `adb` command with a separate server, as a script on the rack machine
 * would use it.
 */
import { execFile, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { testAdbKey } from './adb-key.js'
import { freePort } from './system.js'

const run = promisify(execFile)

export interface PlainAdb {
  /** Runs `adb -s SERIAL …` as a process and returns its output. */
  run(...args: string[]): Promise<Buffer>
  /** Environment for other programs that use the same server. */
  env: NodeJS.ProcessEnv
  stop(): Promise<void>
}

/** Returns true when a program listens on a port of this machine. */
const listens = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => {
      resolve(false)
    })
  })

/** Starts an adb server on a free port, with separate keys, and connects it to `serial` (`host:port`). */
export async function plainAdb(serial: string): Promise<PlainAdb> {
  const home = await mkdtemp(path.join(tmpdir(), 'phonerack-adb-'))
  const port = await freePort()
  const env = {
    ...process.env,
    HOME: home,
    ADB_VENDOR_KEYS: testAdbKey(),
    ANDROID_ADB_SERVER_PORT: String(port),
    ADB_LOCAL_TRANSPORT_MAX_PORT: '5554',
  }
  const server = spawn('adb', ['-P', String(port), 'nodaemon', 'server'], { env, stdio: 'ignore' })
  const ended = new Promise((resolve) => server.once('exit', resolve))
  const adb = async (...args: string[]): Promise<Buffer> => {
    const options = { env, encoding: 'buffer' as const, timeout: 60_000, maxBuffer: 64 * 1024 * 1024 }
    return (await run('adb', args, options)).stdout
  }
  const stop = async (): Promise<void> => {
    server.kill('SIGTERM')
    await ended
    await rm(home, { recursive: true, force: true })
  }
  const until = Date.now() + 20_000
  /**
   * A client that finds no server starts one, which would use our port. Therefore no client runs before our
   * server listens.
   */
  const connected = async (): Promise<boolean> =>
    (await listens(port)) && (await adb('connect', serial)).toString().includes('connected to')
  try {
    while (!(await connected())) {
      if (Date.now() > until) throw new Error(`adb connect ${serial} did not succeed`)
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
    await adb('-s', serial, 'wait-for-device')
  } catch (error) {
    await stop()
    throw error
  }
  return { run: (...args) => adb('-s', serial, ...args), env, stop }
}
