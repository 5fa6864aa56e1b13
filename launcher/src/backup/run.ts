/** Runs an external program of a backup until its end or the deadline. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { Refusal } from './refusal.js'

/** @throws Refusal with the last lines of its errors */
export async function runProgram(
  command: string,
  args: readonly string[],
  { signal, env = {} }: { signal: AbortSignal; env?: Record<string, string> },
): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(command, [...args], {
      signal,
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], LC_ALL: 'C.UTF-8', ...env },
      maxBuffer: 16 << 20,
      killSignal: 'SIGKILL',
    })
    return stdout
  } catch (cause) {
    signal.throwIfAborted()
    const said = cause instanceof Error && 'stderr' in cause ? String(cause.stderr).trim() : ''
    throw new Refusal(`${command} failed: ${said.split('\n').slice(-3).join(' ') || String(cause)}`, {
      cause,
    })
  }
}

/** Syncs every file below `dir` to the disk before it returns. */
export async function syncDisk(dir: string, signal: AbortSignal): Promise<void> {
  await runProgram('sync', process.platform === 'linux' ? ['--file-system', dir] : [], { signal })
}
