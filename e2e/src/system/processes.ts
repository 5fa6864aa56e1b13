/** Processes of a running system, found by the records of the launcher, for tests that kill them. */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { z } from 'zod'
import type { System } from './system.js'

export type Service = 'host-agent' | 'virtual-phones' | 'control-plane' | 'nats' | 'postgres'

const execute = promisify(execFile)
const recordSchema = z.object({ pid: z.int() })

/** Null while the service is down. */
export async function pidOf(system: System, service: Service): Promise<number | null> {
  try {
    const text = await readFile(path.join(system.dir, 'run', `${service}.json`), 'utf8')
    return recordSchema.parse(JSON.parse(text)).pid
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

/** Sends SIGKILL. Returns the process ID. */
export async function killService(system: System, service: Service): Promise<number> {
  const pid = await pidOf(system, service)
  if (pid === null) throw new Error(`${service} is not running`)
  process.kill(pid, 'SIGKILL')
  return pid
}

/** Keeps a service down for `ms`, even when its supervisor restarts it. */
export async function keepDead(system: System, service: Service, ms: number): Promise<void> {
  const until = Date.now() + ms
  let last: number | null = null
  while (Date.now() < until) {
    const pid = await pidOf(system, service)
    if (pid !== null && pid !== last) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
      }
      last = pid
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/**
 * Sends SIGKILL to a program as soon as it runs with arguments that contain `text`, which must be unique to
 * the caller, such as a path.
 */
export async function killProgram(program: string, text: string): Promise<void> {
  for (const until = Date.now() + 150_000; Date.now() < until;) {
    const { stdout } = await execute('ps', ['-eo', 'pid=,args=', '-ww'], { maxBuffer: 16 << 20 })
    for (const line of stdout.split('\n')) {
      const [, pid = '', args = ''] = /^ *(\d+) (.*)$/.exec(line) ?? []
      if (path.basename(args.split(' ')[0] ?? '') !== program || !args.includes(text)) continue
      process.kill(Number(pid), 'SIGKILL')
      return
    }
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`no ${program} ran with ${text}`)
}
