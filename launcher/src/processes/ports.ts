/**
 * Free TCP ports on the loopback address. A picked port is reserved until this process ends, since its service starts
 * seconds later: until then, another `up` would find it free.
 */
import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** `highest` is excluded. */
interface PortRange {
  lowest: number
  highest: number
}

/** The ports are below the ephemeral range, so that outgoing connections do not use a kept port. */
const upRange: PortRange = { lowest: 20_000, highest: 32_000 }

/** The range of tests. It is below the range of `up`, so that tests do not use a port that an `up` keeps. */
const testRange: PortRange = { lowest: 10_100, highest: 20_000 }

/** Whether this process can listen on the port now. */
export function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(false)
      else reject(error)
    })
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => server.close(() => resolve(true)))
  })
}

/** The ports that this process has reserved. */
const reserved = new Set<number>()

/**
 * Reserves a port among the processes that call this, until this process ends: an abstract Unix socket of
 * Linux carries its name, which the kernel frees. On other systems, this does nothing.
 * @returns false when another process has reserved it
 */
export function reservePort(port: number): Promise<boolean> {
  if (process.platform !== 'linux' || reserved.has(port)) return Promise.resolve(true)
  return new Promise((resolve, reject) => {
    const server = createServer((connection) => connection.destroy()).unref()
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(false)
      else reject(error)
    })
    server.listen(`\0phonerack-port-${port}`, () => {
      reserved.add(port)
      resolve(true)
    })
  })
}

const take = async (port: number): Promise<boolean> => (await isPortFree(port)) && (await reservePort(port))

/**
 * Returns `preferred` if it is free, otherwise a random free port that is not in `taken`. No other process
 * picks the port while this process runs.
 */
export async function pickPort(
  preferred?: number,
  taken: ReadonlySet<number> = new Set(),
  { lowest, highest } = upRange,
): Promise<number> {
  if (preferred !== undefined && !taken.has(preferred) && (await take(preferred))) return preferred
  for (let tries = 0; tries < 200; tries++) {
    const port = randomInt(lowest, highest)
    if (!taken.has(port) && !reserved.has(port) && (await take(port))) return port
  }
  throw new Error(`no free port between ${lowest} and ${highest}`)
}

/**
 * For tests: a port that no other process picks while this process runs, and that no outgoing connection
 * uses.
 */
export const freePort = (): Promise<number> => pickPort(undefined, undefined, testRange)
