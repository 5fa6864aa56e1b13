/**
 * Stops a process by its identity: first with SIGTERM, then with stronger signals, and never another process
 * that reuses its PID.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { isAlive, type ProcessIdentity } from './identity.js'

export interface StopStep {
  signal: NodeJS.Signals
  /** Milliseconds to wait for the exit before the next step. */
  waitMs: number
}

/** The steps for a program that may take `ms` milliseconds to stop. */
export const stopAfter = (ms: number): readonly StopStep[] => [
  { signal: 'SIGTERM', waitMs: ms },
  { signal: 'SIGKILL', waitMs: 5000 },
]

export const politeStop = stopAfter(8000)

/**
 * Returns when the process has ended.
 * @throws Error when it outlives every step.
 */
export async function stopProcess(
  identity: ProcessIdentity,
  steps: readonly StopStep[] = politeStop,
): Promise<void> {
  for (const step of steps) {
    if (!signal(identity, step.signal)) return
    const end = performance.now() + step.waitMs
    while (performance.now() < end) {
      if (!isAlive(identity)) return
      await sleep(20)
    }
  }
  if (isAlive(identity)) throw new Error(`process ${identity.pid} does not exit`)
}

/** Sends a signal. Returns false when the process has already ended. */
function signal(identity: ProcessIdentity, name: NodeJS.Signals): boolean {
  if (!isAlive(identity)) return false
  try {
    process.kill(identity.pid, name)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false
    throw error
  }
}
