/** Reads the version and the options of the adb program. Used by `plan.ts` and `doctor`. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Milliseconds. */
const limit = 15_000

export interface AdbProgram {
  /** The version, such as `Android Debug Bridge version 1.0.41, Version 34.0.5-debian`. */
  version: string
  /** Whether a server can be limited to one phone on USB (`--one-device`). */
  knowsOneDevice: boolean
}

/** @throws Error when `bin` does not run or is not adb */
export async function readAdbProgram(bin: string, signal?: AbortSignal): Promise<AdbProgram> {
  const { PATH, LD_LIBRARY_PATH } = process.env
  const { stdout } = await run(bin, ['help'], {
    timeout: limit,
    killSignal: 'SIGKILL',
    maxBuffer: 1_000_000,
    signal,
    env: { PATH, LD_LIBRARY_PATH },
  })
  const [first = '', second = ''] = stdout.split('\n')
  if (!first.startsWith('Android Debug Bridge')) throw new Error(`${bin} is not adb`)
  return {
    version: second.startsWith('Version ') ? `${first}, ${second}` : first,
    knowsOneDevice: /^ --one-device /m.test(stdout),
  }
}
