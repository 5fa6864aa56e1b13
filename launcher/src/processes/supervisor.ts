/** Keeps services running: starts them in order, starts again what dies, stops them in reverse order. */
import type { ExitCause, Running } from './child.js'

export interface Service {
  name: string
  /** Starts it and returns once it is healthy; on failure leaves nothing running. */
  start(): Promise<Running>
}

export type SupervisorEvent =
  | { kind: 'died'; name: string; cause: ExitCause; retryMs: number }
  | { kind: 'restart-failed'; name: string; error: unknown; retryMs: number }
  | { kind: 'restarted'; name: string }

interface Entry {
  service: Service
  running: Running | null
  /** Ends when the service has been stopped for good. */
  loop: Promise<void>
}

/** Pause before the first, second… start in a row; the last one repeats. */
const backOffMs = [200, 500, 1000, 2000, 5000, 10_000] as const
/** Having run this long, a service begins again with the shortest pause. */
const steadyMs = 30_000

export class Supervisor {
  private readonly entries: Entry[] = []
  private readonly halt = new AbortController()

  constructor(private readonly report: (event: SupervisorEvent) => void) {}

  /** @throws what the service's first start throws; it is not tried again. */
  async start(service: Service): Promise<Running> {
    const running = await service.start()
    const entry: Entry = { service, running, loop: Promise.resolve() }
    this.entries.push(entry)
    entry.loop = this.keep(entry)
    return running
  }

  /** Stops all, the last started first. Returns the errors of those that could not be stopped. */
  async stopAll(): Promise<unknown[]> {
    this.halt.abort()
    const errors: unknown[] = []
    for (const entry of [...this.entries].reverse()) {
      try {
        await entry.running?.stop()
        await entry.loop
        // It may have come back between the abort and its stop.
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
      while (await this.pause(retryMs)) {
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

  /** False when all is being stopped. */
  private pause(ms: number): Promise<boolean> {
    const { signal } = this.halt
    if (signal.aborted) return Promise.resolve(false)
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        signal.removeEventListener('abort', stop)
        resolve(true)
      }, ms)
      const stop = () => {
        clearTimeout(timer)
        resolve(false)
      }
      signal.addEventListener('abort', stop, { once: true })
    })
  }
}

const pauseAfter = (failures: number): number => backOffMs[Math.min(failures, backOffMs.length - 1)] ?? 10_000
