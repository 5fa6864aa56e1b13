/**
 * The running parts of installed apps that are imitated here: their services, and the phone's only
 * UiAutomation.
 */
import type { Process, Processes } from './processes.js'

interface RunningService {
  package: string
  /** Full name. */
  className: string
  /** Whether `startForeground` was called, for `dumpsys activity services`. */
  foreground: boolean
  startedAtMs: number
  stop: () => void
}

interface ServiceStart {
  package: string
  className: string
  uid: number
  foreground: boolean
  /** Called once when the part stops, for any reason. */
  onStop: () => void
}

export class RunningApps {
  private readonly services = new Map<string, RunningService>()
  /** One process per package. */
  private readonly owners = new Map<string, { process: Process; enders: Set<() => void> }>()

  constructor(private readonly processes: () => Processes) {}

  /**
   * Starts a part of a package; `stop` calls `end`. Returns a function that must be called when the part has
   * ended itself.
   */
  begin(name: string, uid: number, end: () => void): () => void {
    const owner = this.owners.get(name) ?? { process: this.newProcess(name, uid), enders: new Set() }
    this.owners.set(name, owner)
    owner.enders.add(end)
    return () => {
      owner.enders.delete(end)
      if (owner.enders.size === 0 && this.owners.get(name) === owner) this.endProcess(name, owner.process)
    }
  }

  isRunning(name: string): boolean {
    return this.owners.has(name)
  }

  /** A running service is not changed. */
  startService(start: ServiceStart): void {
    const key = `${start.package}/${start.className}`
    if (this.services.has(key)) return
    const stop = () => {
      if (!this.services.delete(key)) return
      ended()
      start.onStop()
    }
    const ended = this.begin(start.package, start.uid, stop)
    const { package: name, className, foreground } = start
    this.services.set(key, { package: name, className, foreground, startedAtMs: Date.now(), stop })
  }

  findService(name: string, className: string): RunningService | null {
    return this.services.get(`${name}/${className}`) ?? null
  }

  listServices(): RunningService[] {
    return [...this.services.values()]
  }

  /** Runs a force stop: every part of the package ends. */
  stop(name: string): void {
    const owner = this.owners.get(name)
    if (owner === undefined) return
    for (const end of [...owner.enders]) end()
    if (this.owners.get(name) === owner) this.endProcess(name, owner.process)
  }

  /** Ends all parts, since the phone restarts. */
  clear(): void {
    for (const name of [...this.owners.keys()]) this.stop(name)
  }

  private newProcess(name: string, uid: number): Process {
    return this.processes().start({ user: `u0_a${uid - 10_000}`, name, parent: 2, kill: null })
  }

  private endProcess(name: string, process: Process): void {
    this.owners.delete(name)
    this.processes().end(process)
  }
}
