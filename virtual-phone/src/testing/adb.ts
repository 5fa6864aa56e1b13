/** The real adb with a separate server and separate keys, for tests. */
import { execFile, execFileSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

interface AdbResult {
  code: number
  stdout: Buffer
  stderr: string
}

export interface Adb {
  /** The port of the adb server. */
  readonly port: number
  run(args: readonly string[], stdin?: Buffer): Promise<AdbResult>
  /** Stops the server. */
  close(): Promise<void>
}

const deadlineMs = 15_000

/** Returns the installed version, such as `adb 29.0.6-debian`. */
export function adbName(): string {
  const version = /^Version (\S+)/m.exec(execFileSync('adb', ['version']).toString())?.[1]
  return `adb ${version ?? '0.0 of an unknown version'}`
}

/** `serial` becomes ANDROID_SERIAL. */
export async function startAdb(serial: string): Promise<Adb> {
  const home = mkdtempSync(join(tmpdir(), 'virtual-phone-adb-'))
  const port = await freePort()
  const env = {
    ...process.env,
    HOME: home,
    ANDROID_ADB_SERVER_PORT: String(port),
    // adb's search for emulators would find phones of other tests.
    ADB_LOCAL_TRANSPORT_MAX_PORT: '5554',
    ANDROID_SERIAL: serial,
  }
  const run = (args: readonly string[], stdin?: Buffer) =>
    new Promise<AdbResult>((resolve) => {
      const child = execFile(
        'adb',
        args,
        { env, encoding: 'buffer', maxBuffer: 2 ** 28, timeout: deadlineMs },
        (error, stdout, stderr) => {
          const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1
          resolve({ code, stdout, stderr: stderr.toString() })
        },
      )
      // adb can exit without reading its input; the exit code then reports the failure.
      child.stdin?.on('error', () => undefined)
      child.stdin?.end(stdin ?? '')
    })
  return {
    port,
    run,
    close: async () => {
      await run(['kill-server'])
      rmSync(home, { recursive: true, force: true })
    },
  }
}

/** Returns a free port that no outgoing connection uses, below the ports of the kernel and of `up`. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_100, 20_000)
    if (await isFree(port)) return port
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => server.close(() => resolve(true)))
  })
}
