/**
 * Removes the folders for sockets that killed replicas left. Called when a replica starts. The function removes only
 * what a replica creates there: sockets without a listener, and then the empty folder.
 */
import { type Stats } from 'node:fs'
import { lstat, readdir, rmdir, unlink } from 'node:fs/promises'
import { connect } from 'node:net'
import path from 'node:path'
import { type Logger } from '@phonerack/shared'

/** The names of these folders begin with this prefix. */
export const folderPrefix = 'phonerack-tunnels-'

/** Milliseconds. A replica that has just created its folder does not listen yet. */
const youngMs = 60_000
/** Milliseconds for a connection to a socket of this machine. */
const connectMs = 1000

/**
 * @param base the folder that contains the folders of replicas. Never throws, since a remaining folder costs little.
 */
export async function removeStaleFolders(base: string, log: Logger, now = Date.now()): Promise<void> {
  const names = await readdir(base).catch(() => [])
  for (const name of names.filter((each) => each.startsWith(folderPrefix))) {
    const folder = path.join(base, name)
    try {
      if (!(await isStale(folder, now))) continue
      for (const each of await readdir(folder)) await unlink(path.join(folder, each))
      // This fails if a replica uses the folder again.
      await rmdir(folder)
      log.info({ folder }, 'removed the folder for tunnels of a replica that was killed')
    } catch (error) {
      log.warn({ err: error, folder }, 'could not remove the folder for tunnels of a replica that was killed')
    }
  }
}

async function isStale(folder: string, now: number): Promise<boolean> {
  const stats = await lstat(folder)
  // Other users cannot change anything in the folder.
  const isClosed = stats.isDirectory() && isOurs(stats) && (stats.mode & 0o077) === 0
  if (!isClosed || now - stats.mtimeMs < youngMs) return false
  for (const name of await readdir(folder)) {
    const file = path.join(folder, name)
    const found = await lstat(file)
    if (!found.isSocket() || !isOurs(found) || !(await isDead(file))) return false
  }
  return true
}

const isOurs = ({ uid }: Stats): boolean => uid === process.getuid?.()

/** True if no process listens at the socket. Returns false if that is uncertain. */
const isDead = (file: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(file)
    const finish = (isRefused: boolean): void => {
      socket.destroy()
      resolve(isRefused)
    }
    socket.setTimeout(connectMs, () => finish(false))
    socket.once('connect', () => finish(false))
    socket.once('error', (error: NodeJS.ErrnoException) => finish(error.code === 'ECONNREFUSED'))
  })
