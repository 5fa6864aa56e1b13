/** For tests: a free port, and waiting for a condition with a deadline. */
import { createServer } from 'node:net'

/** A port of 127.0.0.1 that was free a moment ago. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => {
        if (address !== null && typeof address === 'object') resolve(address.port)
        else reject(new Error('no port'))
      })
    })
  })
}

/** Waits until `condition` holds. @throws Error after `ms`. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  ms = 100_000,
  what = 'condition',
): Promise<void> {
  const end = performance.now() + ms
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`${what} did not come true within ${ms} ms`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
