/**
 * The files of the agent's adb servers: each has a socket and the mark of its process, named by the phone
 * that it serves. All servers share one home with the keys. Used by `server.ts`, and by `doctor` and `health`
 * in other processes.
 */
import { createHash } from 'node:crypto'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isFull } from './connect.js'

/** The maximum bytes of a Unix socket's path. macOS has the lowest limit. */
const longestPath = 103
/** Characters of a serial that is used as a name. */
const longestSerial = 24
const longestName = 'phone-.sock'.length + longestSerial

/** Returns the folder of the keys and the marks. */
export const adbHome = (dataDir: string): string => join(dataDir, 'adb')

/**
 * Returns the folder of the sockets: the home, or a folder in the temporary folder when paths in the home are too long.
 */
export function adbSocketDir(dataDir: string): string {
  const own = adbHome(dataDir)
  if (Buffer.byteLength(own) + 1 + longestName <= longestPath) return own
  const name = createHash('sha256').update(dataDir).digest('hex').slice(0, 16)
  return join(tmpdir(), `phonerack-${name}`)
}

/** @param serial of the phone; null for the server of all phones on USB */
export const adbSocketPath = (dataDir: string, serial: string | null): string =>
  join(adbSocketDir(dataDir), `${nameOf(serial)}.sock`)

/** Returns the path of the mark of the server's process. */
export const adbMarkPath = (dataDir: string, serial: string | null): string =>
  join(adbHome(dataDir), `${nameOf(serial)}.json`)

/** Returns the path of the socket of the server whose mark is `name`. */
export const socketOfMark = (dataDir: string, name: string): string =>
  join(adbSocketDir(dataDir), name.replace(/\.json$/, '.sock'))

/** Whether a file in the folder of the sockets is the socket of an adb server. */
export const isAdbSocket = (name: string): boolean => /^(server|phone-.+)\.sock$/.test(name)

const plain = new RegExp(`^[A-Za-z0-9][\\w.:-]{0,${longestSerial - 1}}$`)

/** A phone chooses its serial: a serial that is not a plain, short name is replaced by its hash. */
function nameOf(serial: string | null): string {
  if (serial === null) return 'server'
  if (plain.test(serial)) return `phone-${serial}`
  return `phone-=${createHash('sha256').update(serial).digest('hex').slice(0, 16)}`
}

/** Whether a process accepts connections at `path`. */
export function isListening(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect({ path })
    const settle = (answer: boolean) => {
      probe.destroy()
      resolve(answer)
    }
    probe.once('connect', () => settle(true))
    probe.once('error', (error) => settle(isFull(error)))
  })
}
