/** Garbage collection on demand, for tests of what must survive one. */
import { setTimeout as pause } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** The collector of Node.js, as a function. */
export function exposedGc(): () => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as () => void
}

/** Collects everything that only weak references reach. */
export async function collectGarbage(): Promise<void> {
  const collect = exposedGc()
  // Weak references hold until the current task is over.
  for (let round = 0; round < 3; round += 1) {
    await pause(10)
    collect()
  }
}
