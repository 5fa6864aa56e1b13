/** A supervised process of the system under test. It is started again when it ends, until it is stopped. */
import process from 'node:process'
import {
  markVariable,
  startChild,
  stopAfter,
  Supervisor,
  waitUntil,
  type Running,
  type Service,
} from '@phonerack/launcher'
import type { Timeline } from '../timeline.js'

export interface Ground {
  /** The folder of the run. */
  dir: string
  timeline: Timeline
  /** Path of a file in the run's folder. */
  of: (...names: string[]) => string
}

export interface Program {
  name: string
  command: string
  args: readonly string[]
  env: Record<string, string>
  ready: () => Promise<boolean>
  /** Milliseconds that the process may take to stop. */
  stopWithinMs?: number
}

const readyWithinMs = 60_000

const inherited = ['PATH', 'HOME', 'LANG', 'TMPDIR', 'FFMPEG_BIN', 'FFPROBE_BIN']
const environment = (): Record<string, string> =>
  Object.fromEntries(
    inherited.flatMap((name): [string, string][] => {
      const value = process.env[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )

/** A program as a service. */
export const serviceOf = ({ of, dir }: Ground, program: Program): Service => ({
  name: program.name,
  async start() {
    const running = await startChild({
      command: program.command,
      args: program.args,
      env: { ...environment(), ...program.env, [markVariable]: dir },
      cwd: dir,
      output: of('logs', `${program.name}.log`),
      recordFile: of('run', `${program.name}.json`),
      stopSteps: stopAfter(program.stopWithinMs ?? 15_000),
    })
    await waitUntil(program.name, running, readyWithinMs, program.ready)
    return running
  },
})

export class Part {
  private supervisor: Supervisor | null = null
  private running: Running | null = null

  constructor(
    private readonly ground: Ground,
    private readonly service: Service,
  ) {}

  get name(): string {
    return this.service.name
  }

  /** @throws the error of the program's first start */
  async start(): Promise<void> {
    const { timeline } = this.ground
    const supervisor = new Supervisor((event) => {
      const why = event.kind === 'died' ? ` (${event.cause})` : ''
      timeline.note(`${event.name} ${event.kind}${why}`)
    })
    this.supervisor = supervisor
    const { service } = this
    await supervisor.start({
      name: service.name,
      start: async () => {
        const running = await service.start()
        this.running = running
        void running.exited.then(() => {
          if (this.running === running) this.running = null
        })
        return running
      },
    })
  }

  async stop(): Promise<void> {
    const errors = (await this.supervisor?.stopAll()) ?? []
    this.supervisor = null
    if (errors.length > 0) throw new AggregateError(errors, `${this.name} did not stop`)
  }

  /** False from the end of the part's process until the next process is ready. */
  get isRunning(): boolean {
    return this.running !== null
  }

  /** Sends a signal to the part's process. Returns false when it is not running now. */
  signal(name: NodeJS.Signals): boolean {
    const pid = this.running?.pid
    if (pid === undefined) return false
    try {
      process.kill(pid, name)
      return true
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false
      throw error
    }
  }
}
