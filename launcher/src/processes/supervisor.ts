/**
 * Keeps services running: starts them in order, restarts services that die, and stops them in reverse order.
 */
import { pause } from '@phonerack/shared'
import type { ExitCause, Running } from './child.js'

export interface Service {
  name: string
  /** Starts the service and returns once it is healthy. If it fails, no process is left running. */
  start(): Promise<Running>
}

export type SupervisorEvent =
  | { kind: 'died'; name: string; cause: ExitCause; retryMs: number }
  | { kind: 'restart-failed'; name: string; error: unknown; retryMs: number }
  | { kind: 'restarted'; name: string }

interface Entry {
  service: Service
  running: Running | null
  /** Resolves when the service has been stopped permanently. */
  loop: Promise<void>
}

/** The pauses before consecutive restarts; the last value repeats. */
const backOffMs = [200, 500, 1000, 2000, 5000, 10_000] as const
/** Milliseconds of running after which the next restart uses the shortest pause. */
const steadyMs = 30_000

export class Supervisor {
  private readonly entries: Entry[] = []
  private readonly halt = new AbortController()

  constructor(private readonly report: (event: SupervisorEvent) => void) {}

  /** @throws the error of the service's first start, which is not retried. */
  async start(service: Service): Promise<Running> {
    const running = await service.start()
    const entry: Entry = { service, running, loop: Promise.resolve() }
    this.entries.push(entry)
    entry.loop = this.keep(entry)
    return running
  }

  /**
   * Stops all services, the last started service first. Returns the errors of services that could not be
   * stopped.
   */
  async stopAll(): Promise<unknown[]> {
    this.halt.abort()
    const errors: unknown[] = []
    for (const entry of [...this.entries].reverse()) {
      try {
        await entry.running?.stop()
        await entry.loop
        // The service may have restarted between the abort and the stop.
        await entry.running?.stop()
      } catch (error) {
        errors.push(error)
      }
    }
    return errors
  }

  private async keep(entry: Entry): Promise<void> {
    let failures = 0
    while (!this.isHalted() && entry.running) {
      const since = performance.now()
      const cause = await entry.running.exited
      if (this.isHalted()) return
      entry.running = null
      if (performance.now() - since > steadyMs) failures = 0
      let retryMs = pauseAfter(failures++)
      this.report({ kind: 'died', name: entry.service.name, cause, retryMs })
      for (;;) {
        await pause(retryMs, this.halt.signal)
        if (this.isHalted()) return
        try {
          entry.running = await entry.service.start()
          this.report({ kind: 'restarted', name: entry.service.name })
          break
        } catch (error) {
          retryMs = pauseAfter(failures++)
          this.report({ kind: 'restart-failed', name: entry.service.name, error, retryMs })
        }
      }
    }
  }

  private isHalted(): boolean {
    return this.halt.signal.aborted
  }
}

const pauseAfter = (failures: number): number => backOffMs[Math.min(failures, backOffMs.length - 1)] ?? 10_000
