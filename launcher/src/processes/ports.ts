/** Free TCP ports on the loopback address. */
import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** Below the ephemeral range, so that outgoing connections do not take a kept port. */
const lowest = 20_000
const highest = 32_000

/** True when this process can listen there now. */
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

/** `preferred` if it is free, else a random free port that is not in `taken`. */
export async function pickPort(preferred?: number, taken: ReadonlySet<number> = new Set()): Promise<number> {
  if (preferred !== undefined && !taken.has(preferred) && (await isPortFree(preferred))) return preferred
  for (let tries = 0; tries < 200; tries++) {
    const port = randomInt(lowest, highest)
    if (!taken.has(port) && (await isPortFree(port))) return port
  }
  throw new Error(`no free port between ${lowest} and ${highest}`)
}
