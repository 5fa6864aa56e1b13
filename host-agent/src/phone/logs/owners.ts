/** Finds the apps of the users and processes in log entries. */
import type { Progress } from '@phonerack/shared'
import { command, sequence } from '../../adb/quote.js'
import type { Transport } from '../../adb/transport.js'
import { run } from '../../adb/device/run.js'

/** The number of user IDs of one Android user. */
const perUser = 100_000

export interface Owners {
  /** Null when unknown, such as a process that has ended and shares its user with other apps. */
  of(uid: number, pid: number): string | null
}

export async function readOwners(transport: Transport, progress: Progress): Promise<Owners> {
  const output = await run(
    transport,
    sequence(
      command('cmd', 'package', 'list', 'packages', '-U', '--user', '0'),
      command('ps', '-A', '-o', 'PID,NAME'),
    ),
    progress,
  )
  return ownersOf(output)
}

/** Parses `package:NAME uid:NUMBER` for each app, then `PID NAME` for each process. Pure. */
export function ownersOf(output: string): Owners {
  const byUid = new Map<number, string[]>()
  const byPid = new Map<number, string>()
  for (const line of output.split(/\r?\n/)) {
    const [, name, uid] = /^package:([A-Za-z0-9_.]+) uid:(\d+)/.exec(line) ?? []
    if (name !== undefined) {
      const id = Number(uid) % perUser
      byUid.set(id, [...(byUid.get(id) ?? []), name])
      continue
    }
    const [, pid, process] = /^\s*(\d+)\s+([A-Za-z0-9_.]+)(?::\S*)?\s*$/.exec(line) ?? []
    if (process !== undefined) byPid.set(Number(pid), process)
  }
  return {
    of(uid, pid) {
      const names = byUid.get(uid % perUser) ?? []
      if (names.length === 1) return names[0] ?? null
      // Another process got the number later.
      const process = byPid.get(pid)
      return process !== undefined && names.includes(process) ? process : null
    },
  }
}
