/** Opens a file in a folder of another user, who may put a link, a pipe or a device in its place. */
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'

/** ELOOP: a link. ENXIO: a socket. */
const irregular: ReadonlySet<unknown> = new Set(['ELOOP', 'EMLINK', 'ENXIO', 'EISDIR'])

/** Opens a file for reading, without waiting for the other end of a pipe. The caller closes `fd`. */
export function openRegular(file: string): { fd: number; uid: number } | 'absent' | 'irregular' {
  let fd: number
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    const code: unknown = error instanceof Error && 'code' in error ? error.code : null
    if (code === 'ENOENT') return 'absent'
    if (irregular.has(code)) return 'irregular'
    throw error
  }
  const stat = fstatSync(fd)
  if (stat.isFile()) return { fd, uid: stat.uid }
  closeSync(fd)
  return 'irregular'
}

export function readRegular(file: string): Buffer | 'absent' | 'irregular' {
  const opened = openRegular(file)
  if (typeof opened === 'string') return opened
  try {
    return readFileSync(opened.fd)
  } finally {
    closeSync(opened.fd)
  }
}
