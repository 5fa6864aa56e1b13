/** Garbage collection on demand, for tests of what must survive one. */
import { setTimeout as pause } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Collects everything that only weak references reach. */
export async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  // Weak references hold until the current task is over.
  for (let round = 0; round < 3; round += 1) {
    await pause(10)
    collect()
  }
}
