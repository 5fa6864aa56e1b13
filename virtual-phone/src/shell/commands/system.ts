/** id, uname, ps, kill, reboot and other commands about the system itself. */
import { setTimeout as delay } from 'node:timers/promises'
import { nameOf, shellUser } from '../../fs/access.js'
import { appProcesses } from '../../android/app-processes.js'
import { abi } from '../../android/identity.js'
import type { Processes } from '../../android/processes.js'
import { type CommandTable, UsageError } from '../command.js'
import { parseOptions } from './options.js'

/** The group `media_rw` belongs to the mount and is not shown. */
const shownGroups = [shellUser.gid, ...shellUser.groups.filter((group) => group !== 1023)]

/** The first lines of the help, with the supported options, in which programs search for `-A`. */
const psHelp = `usage: ps [-AefTlw] [-o FIELD] [-p PID] [-u USER]

List processes.

-A\tAll
-e\tSynonym for -A
-o\tShow FIELDs (user, pid, ppid, pgid, label, rss, time, name, args, cmd)
-p\tSelect by PID
-T\tShow threads
-u\tSelect by USER
`

/** Each shell of adbd has a process group, with everything that it starts. */
function groupOf(processes: Processes, pid: number): number {
  const parent = processes.find(pid)?.parent ?? 0
  return parent <= 1 || processes.find(parent) === null ? pid : groupOf(processes, parent)
}

export const systemCommands: CommandTable = {
  id: async (io) => {
    const { flags } = parseOptions(io, 'unggGrZ')
    const name = (id: number) => (flags.has('n') ? nameOf(id) : String(id))
    if (flags.has('u')) await io.out(`${name(shellUser.uid)}\n`)
    else if (flags.has('g')) await io.out(`${name(shellUser.gid)}\n`)
    else if (flags.has('G')) await io.out(`${shownGroups.map(name).join(' ')}\n`)
    else if (flags.has('Z')) await io.out('u:r:shell:s0\n')
    else {
      const groups = shownGroups.map((group) => `${group}(${nameOf(group)})`).join(',')
      await io.out(`uid=2000(shell) gid=2000(shell) groups=${groups} context=u:r:shell:s0\n`)
    }
    return 0
  },
  whoami: async (io) => {
    await io.out('shell\n')
    return 0
  },
  uname: async (io) => {
    const { flags } = parseOptions(io, 'asnrvmo')
    const parts: readonly (readonly [string, string])[] = [
      ['s', 'Linux'],
      ['n', 'localhost'],
      ['r', '6.1.23-android14-phonerack'],
      ['v', '#1 SMP PREEMPT'],
      ['m', abi === 'arm64-v8a' ? 'aarch64' : 'x86_64'],
      ['o', 'Toybox'],
    ]
    const wanted = flags.size === 0 ? new Set(['s']) : flags
    await io.out(
      `${parts
        .filter(([letter]) => wanted.has('a') || wanted.has(letter))
        .map(([, text]) => text)
        .join(' ')}\n`,
    )
    return 0
  },
  printenv: async (io) => {
    const wanted =
      io.args.length === 0
        ? Object.entries(io.env).map(([name, value]) => `${name}=${value}`)
        : io.args.map((name) => io.env[name])
    for (const value of wanted) if (value !== undefined) await io.out(`${value}\n`)
    return wanted.includes(undefined) ? 1 : 0
  },
  ps: async (io) => {
    if (io.args.includes('--help')) {
      await io.out(psHelp)
      return 0
    }
    const { flags, values } = parseOptions(io, 'AefTlw', 'opu')
    const all = flags.has('A') || flags.has('e') || values['p'] !== undefined
    const processes = io.android.processes
      .list()
      .filter((process) => all || process.user === 'shell')
      .filter((process) => values['p'] === undefined || values['p'].split(',').includes(String(process.pid)))
    const rows = processes.map(({ user, pid, parent, name, args = name }) => ({
      user,
      pid,
      parent,
      name,
      args,
    }))
    const pids = values['p']?.split(',')
    for (const app of all ? appProcesses(io.android) : [])
      if (pids === undefined || pids.includes(String(app.pid))) {
        const { user, pid, package: name } = app
        rows.push({ user, pid, parent: 2, name, args: name })
      }
    const columns: Readonly<Record<string, [string, (row: (typeof rows)[number]) => string]>> = {
      user: ['USER', (row) => row.user],
      pid: ['PID', (row) => String(row.pid)],
      ppid: ['PPID', (row) => String(row.parent)],
      pgid: ['PGID', (row) => String(groupOf(io.android.processes, row.pid))],
      label: [
        'LABEL',
        ({ user, name }) =>
          `u:r:${user === 'shell' && name !== 'adbd' ? 'shell' : name.replace(/64$/, '')}:s0`,
      ],
      name: ['NAME', (row) => row.name],
      rss: ['RSS', () => '90000'],
      time: ['TIME', () => '00:00:01'],
      args: ['ARGS', (row) => row.args],
      cmd: ['CMD', (row) => row.name],
    }
    if (values['o'] !== undefined) {
      const chosen = values['o'].split(',').map((name) => columns[name.toLowerCase().replace(/=$/, '')])
      if (chosen.includes(undefined)) throw new UsageError(`bad -o '${values['o']}'`)
      const line = (cell: (column: [string, (row: (typeof rows)[number]) => string]) => string) =>
        `${chosen
          .map((column) => (column === undefined ? '' : cell(column).padEnd(5)))
          .join(' ')
          .trimEnd()}\n`
      if (!values['o'].endsWith('=')) await io.out(line(([title]) => title))
      for (const row of rows) await io.out(line(([, value]) => value(row)))
      return 0
    }
    await io.out(
      'USER           PID  PPID     VSZ    RSS WCHAN            ADDR S NAME                       \n',
    )
    for (const row of rows) {
      await io.out(
        `${row.user.padEnd(12)} ${String(row.pid).padStart(5)} ${String(row.parent).padStart(5)} 12800000 90000 0                   0 S ${row.name.padEnd(27)}\n`,
      )
    }
    return 0
  },
  pidof: async (io) => {
    const { flags, operands } = parseOptions(io, 'sx')
    const apps = appProcesses(io.android).map(({ pid, package: name }) => ({ pid, name }))
    const found = [...io.android.processes.list(), ...apps].filter(({ name }) => operands.includes(name))
    const pids = found.map(({ pid }) => pid).toSorted((a, b) => b - a)
    if (pids.length > 0) await io.out(`${(flags.has('s') ? pids.slice(0, 1) : pids).join(' ')}\n`)
    return pids.length > 0 ? 0 : 1
  },
  kill: async (io) => {
    const operands = io.args.filter((arg) => !arg.startsWith('-'))
    if (operands.length === 0) throw new UsageError(`Needs 1 argument (see "${io.name} --help")`)
    let status = 0
    for (const operand of operands) {
      const process = io.android.processes.find(Number(operand))
      const problem =
        process === null ? 'No such process' : process.kill === null ? 'Operation not permitted' : null
      if (problem !== null) {
        await io.err(`kill: ${operand}: ${problem}\n`)
        status = 1
      } else if (!io.args.includes('-0')) process?.kill?.()
    }
    return status
  },
  reboot: async (io) => {
    const [target] = io.args.filter((arg) => arg !== '-p')
    if (target !== undefined && target !== 'userspace')
      throw new UsageError(`this phone is virtual and has no ${target}`)
    if (io.args.includes('-p')) throw new UsageError('this phone cannot be switched off from inside')
    io.android.restart(false)
    // The command does not return, as on a phone.
    await delay(60_000, undefined, { signal: io.signal }).catch((error: unknown) => {
      if (!io.signal.aborted) throw error
    })
    return 0
  },
  sync: () => 0,
}
