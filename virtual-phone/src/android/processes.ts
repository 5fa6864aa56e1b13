/** The process table, for `ps` and `kill`. */

export interface Process {
  readonly pid: number
  readonly parent: number
  readonly user: string
  /** The NAME column of `ps`. */
  readonly name: string
  /** The ARGS column of `ps`; default: the name. */
  readonly args?: string
  /** Kills the process. Null for a system process, which the shell cannot kill. */
  readonly kill: (() => void) | null
}

const systemProcesses: readonly [string, string][] = [
  ['root', 'init'],
  ['root', 'zygote64'],
  ['system', 'surfaceflinger'],
  ['system', 'system_server'],
  ['root', 'netd'],
  ['shell', 'adbd'],
  ['u0_a150', 'com.android.systemui'],
  ['u0_a151', 'com.android.inputmethod.latin'],
]

export class Processes {
  private readonly table = new Map<number, Process>()
  private nextPid = 1
  /** adbd has no room for another shell from the next command that contains this text on; null: there is room. */
  fullFrom: string | null = null

  constructor() {
    for (const [user, name] of systemProcesses) {
      this.start({ user, name, parent: name === 'init' ? 0 : 1, kill: null })
      this.nextPid += name === 'init' ? 180 : 97
    }
  }

  start(process: Omit<Process, 'pid'>): Process {
    const pid = this.nextPid++
    if (this.nextPid > 32_000) this.nextPid = 2000
    const started = { ...process, pid }
    this.table.set(pid, started)
    return started
  }

  /** Returns whether adbd has room for a shell that runs the command. */
  hasRoomFor(command: string): boolean {
    if (this.fullFrom === null || !command.includes(this.fullFrom)) return true
    this.fullFrom = ''
    return false
  }

  end(process: Process): void {
    this.table.delete(process.pid)
  }

  find(pid: number): Process | null {
    return this.table.get(pid) ?? null
  }

  /** Handles ^C on a terminal: ends the command that the shell runs. */
  interrupt(shellPid: number): void {
    for (const process of this.list()) if (process.parent === shellPid) process.kill?.()
  }

  list(): Process[] {
    return [...this.table.values()].sort((a, b) => a.pid - b.pid)
  }

  /** Ends every process that the shell started, since the phone restarts. */
  killAll(): void {
    for (const process of [...this.table.values()]) process.kill?.()
  }
}
