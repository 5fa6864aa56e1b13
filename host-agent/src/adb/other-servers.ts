/**
 * Finds adb servers of other programs. An adb server holds phones on USB exclusively, and two servers that use one
 * network phone disturb each other's calls. Used by `doctor` and by the rescue of a phone that hangs.
 */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

export interface AdbServerProcess {
  pid: number
  command: string
}

/**
 * Returns adb servers other than the servers with a socket in `ownDir`.
 * @param proc `/proc`, which only Linux has
 * @throws Error when the folder cannot be read
 */
export function otherAdbServers(proc: string, ownDir: string | null): AdbServerProcess[] {
  const found: AdbServerProcess[] = []
  for (const name of readdirSync(proc)) {
    if (!/^\d+$/.test(name)) continue
    const words = commandOf(path.join(proc, name, 'cmdline'))
    const isServer = words.includes('server') || words.includes('fork-server')
    if (path.basename(words[0] ?? '') !== 'adb' || !isServer) continue
    if (ownDir !== null && words.some((word) => word.startsWith(`localfilesystem:${ownDir}/`))) continue
    found.push({ pid: Number(name), command: words.join(' ') })
  }
  return found
}

/** Empty for a process that has ended in the meantime. */
function commandOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8')
      .split('\0')
      .filter((word) => word !== '')
  } catch (error) {
    if (error instanceof Error && 'code' in error) return []
    throw error
  }
}
