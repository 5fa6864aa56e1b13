/** Finds the command of a name: in the table of commands, or as a script in the phone's files. */
import type { Android } from '../android/android.js'
import { may } from '../fs/access.js'
import { absolute } from './process.js'
import type { CommandRun } from './command.js'

type FoundCommand =
  | { kind: 'command'; run: CommandRun; path: string }
  | { kind: 'script'; run: CommandRun; path: string }
  | { kind: 'missing' }
  | { kind: 'refused'; reason: string }

export const defaultPath =
  '/product/bin:/apex/com.android.runtime/bin:/apex/com.android.art/bin:/system_ext/bin:/system/bin:/system/xbin:/odm/bin:/vendor/bin:/vendor/xbin'

const commandFolder = '/system/bin/'

/** Builtins of mksh, which need no PATH. */
export const shellOwn: ReadonlySet<string> = new Set(['[', 'echo', 'false', 'kill', 'printf', 'test', 'true'])

export async function findCommand(
  android: Android,
  name: string,
  where: { cwd: string; path: string },
): Promise<FoundCommand> {
  if (name === '') return { kind: 'missing' }
  const own = shellOwn.has(name) ? android.commands[name] : undefined
  if (own !== undefined) return { kind: 'command', run: own, path: commandFolder + name }
  if (name.includes('/')) return atPath(android, absolute(where.cwd, name))
  for (const folder of where.path.split(':')) {
    const path = `${absolute(where.cwd, folder === '' ? '.' : folder)}/${name}`
    const kind = android.fs.tryStat(path)?.kind
    if (kind === 'file' || kind === 'generated') return atPath(android, path)
  }
  return { kind: 'missing' }
}

async function atPath(android: Android, path: string): Promise<FoundCommand> {
  const stat = android.fs.tryStat(path)
  if (stat === null) return { kind: 'missing' }
  if (stat.kind === 'directory') return { kind: 'refused', reason: `can't execute: Is a directory` }
  if (!android.fs.access(path, may.execute))
    return { kind: 'refused', reason: `can't execute: Permission denied` }
  const real = android.fs.realpath(path)
  if (real.startsWith(commandFolder)) {
    const run = android.commands[real.slice(commandFolder.length)]
    return run === undefined ? { kind: 'missing' } : { kind: 'command', run, path: real }
  }
  if (!android.fs.access(path, may.read))
    return { kind: 'refused', reason: `can't execute: Permission denied` }
  const reader = await android.fs.openRead(path)
  const start = await reader.read()
  await reader.close()
  const sh = android.commands['sh']
  const binary =
    start?.subarray(0, 4).equals(Buffer.from('\x7fELF', 'latin1')) === true || start?.includes(0) === true
  if (binary || sh === undefined) {
    return { kind: 'refused', reason: 'this phone is virtual and runs no machine code: Exec format error' }
  }
  return { kind: 'script', run: sh, path }
}

/** Returns the path that `which` prints, or null. */
export async function pathOfCommand(
  android: Android,
  name: string,
  where: { cwd: string; path: string },
): Promise<string | null> {
  const found = await findCommand(android, name, where)
  return found.kind === 'command' || found.kind === 'script' ? found.path : null
}
