/** env and timeout: commands that start other commands. */
import { setTimeout as delay } from 'node:timers/promises'
import { type CommandIo, type CommandTable, UsageError } from '../command.js'
import { pathOfCommand } from '../find-command.js'

async function env(io: CommandIo): Promise<number> {
  let values: Record<string, string> = { ...io.env }
  const args = [...io.args]
  for (let arg = args[0]; arg !== undefined; arg = args[0]) {
    const assign = /^([^=]+)=([^]*)$/.exec(arg)
    if (arg === '-i' || arg === '-') values = {}
    else if (arg === '-u') Reflect.deleteProperty(values, args.splice(1, 1)[0] ?? '')
    else if (assign !== null) values[assign[1] ?? ''] = assign[2] ?? ''
    else if (arg.startsWith('-')) throw new UsageError(`Unknown option '${arg.slice(1)}' (see "env --help")`)
    else break
    args.shift()
  }
  if (args.length > 0) {
    // The command is resolved with the old PATH, independent of the new environment.
    const path = await pathOfCommand(io.android, args[0] ?? '', { cwd: io.cwd, path: io.env['PATH'] ?? '' })
    if (path === null) throw new UsageError(`exec ${args[0] ?? ''}: No such file or directory`, 127)
    return io.spawn([path, ...args.slice(1)], { env: values })
  }
  for (const [name, value] of Object.entries(values)) await io.out(`${name}=${value}\n`)
  return 0
}

/** Returns 124 when the time ends before the command. */
async function timeout(io: CommandIo): Promise<number> {
  const at = io.args.findIndex((arg) => !arg.startsWith('-'))
  const options = io.args.slice(0, Math.max(0, at))
  if (options.some((option) => option !== '-v'))
    throw new UsageError(`Unknown option '${(options[0] ?? '').slice(1)}' (see "timeout --help")`)
  const [length, ...command] = io.args.slice(at === -1 ? io.args.length : at)
  if (length === undefined || command.length === 0)
    throw new UsageError('Need 2 arguments (see "timeout --help")')
  const [, count, unit = 's'] = /^(\d+\.?\d*|\.\d+)([smhd]?)$/.exec(length) ?? []
  if (count === undefined) throw new UsageError(`Not a number '${length}'`)
  const ms =
    Number(count) * ({ s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }[unit === '' ? 's' : unit] ?? 1000)
  const running = new AbortController()
  const late = delay(Math.min(ms, 2 ** 31 - 1), null, { signal: running.signal }).catch((error: unknown) => {
    if (!running.signal.aborted) throw error
    return null
  })
  const code = await Promise.race([io.spawn(command), late])
  running.abort()
  if (code !== null) return code
  // The commands are children of this process, and end with it.
  for (const process of io.android.processes.list()) if (process.parent === io.pid) process.kill?.()
  return 124
}

export const smallCommands: CommandTable = { env, timeout }
