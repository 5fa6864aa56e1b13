/** Collects garbage on demand, for tests of objects that must survive a collection. */
import { setTimeout as pause } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** The garbage collector of Node.js, as a function. */
export function exposedGc(): () => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as () => void
}

/** Collects every object that only weak references reach. */
export async function collectGarbage(): Promise<void> {
  const collect = exposedGc()
  // Weak references keep their targets until the current task ends.
  for (let round = 0; round < 3; round += 1) {
    await pause(10)
    collect()
  }
}
