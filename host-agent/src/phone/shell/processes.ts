/**
 * The processes of a phone that run as its shell user. Ends processes of a command, and processes that a
 * tenant left. The list has no names of programs: a tenant chooses them, with line breaks.
 */
import { ApiError, type Progress } from '@phonerack/shared'
import { command, printingPid, sequence } from '../../adb/quote.js'
import { run } from '../../adb/device/run.js'
import type { Transport } from '../../adb/transport.js'

export interface ListedProcess {
  pid: number
  parent: number
  group: number
  user: string
  /** The SELinux context of the process. */
  label: string
}

/** Selects processes to end. @param own the shell that printed the list */
export type Selection = (processes: readonly ListedProcess[], own: number) => ListedProcess[]

/**
 * Maximum rounds of listing and ending. A process that starts while the phone prints the list is missing from it, so
 * another round follows.
 */
const mostRounds = 20
/** Maximum processes that one command ends. */
const mostAtOnce = 500

const listAll = sequence(printingPid, command('ps', '-A', '-o', 'PID,PPID,PGID,USER,LABEL'))

/** @throws ApiError provider_error for a list in an unknown form */
export function parseProcesses(output: string): { own: number; processes: ListedProcess[] } {
  const [first = '', , ...rest] = output.split(/\r?\n/)
  const processes = rest.flatMap((line) => {
    const found = /^ *(\d+) +(\d+) +(\d+) +(\S+) +(\S+) *$/.exec(line)
    if (!found) return []
    const [, pid = '', parent = '', group = '', user = '', label = ''] = found
    return [{ pid: Number(pid), parent: Number(parent), group: Number(group), user, label }]
  })
  const own = Number(first.trim())
  if (!processes.some(({ pid }) => pid === own))
    throw new ApiError('provider_error', { message: 'The list of processes of the phone cannot be read.' })
  return { own, processes }
}

/** The processes of a command: its process group, and its descendants. */
export const groupOf =
  (pid: number): Selection =>
  (processes) => {
    const children = new Map<number, number[]>()
    for (const each of processes) {
      const list = children.get(each.parent)
      if (list) list.push(each.pid)
      else children.set(each.parent, [each.pid])
    }
    // The loop also visits members that are added during the loop.
    const members = new Set([pid])
    for (const member of members) for (const child of children.get(member) ?? []) members.add(child)
    return processes.filter((each) => isShell(each) && (each.group === pid || members.has(each.pid)))
  }

/**
 * All processes of the shell user in the domain `shell`, except the processes that print the list, and apps, whose parent is a zygote. adbd and services of
 * makers run as the same user in other domains, which a tenant's process cannot enter.
 */
export const strays: Selection = (processes, own) => {
  const zygotes = new Set(processes.filter(({ label }) => /^u:r:zygote:/.test(label)).map(({ pid }) => pid))
  return processes.filter(
    (each) => isShell(each) && each.pid !== own && each.parent !== own && !zygotes.has(each.parent),
  )
}

const isShell = ({ user, label }: ListedProcess): boolean => user === 'shell' && /^u:r:shell:/.test(label)

/** Ends the selected processes. Returns whether none is left. @throws DeviceGone, DeadlineExceeded, ApiError provider_error */
export async function endProcesses(
  transport: Transport,
  select: Selection,
  progress: Progress,
): Promise<boolean> {
  for (let round = 0; round < mostRounds; round += 1) {
    const { own, processes } = parseProcesses(await run(transport, listAll, progress))
    const pids = select(processes, own).map(({ pid }) => String(pid))
    if (pids.length === 0) return true
    // The exit code is ignored: a process of the list may have ended.
    for (let at = 0; at < pids.length; at += mostAtOnce)
      await transport.shell(command('kill', '-KILL', ...pids.slice(at, at + mostAtOnce)), progress)
  }
  return false
}
