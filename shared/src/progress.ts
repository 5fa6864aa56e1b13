/**
 * A deadline, an abort signal and a name for errors: the context of every operation that takes time. Created
 * from the caller's deadline (HTTP, gRPC) and passed down to every outer call.
 */
import { setMaxListeners } from 'node:events'
import { onAbort, pause } from './abort.js'
import { ownNow } from './own-time.js'

export class DeadlineExceeded extends Error {
  constructor(what: string) {
    super(`${what} took too long`)
    this.name = 'DeadlineExceeded'
  }
}

/** The longest delay of Node's timers, in milliseconds. */
const longestTimer = 2 ** 31 - 1

export class Progress {
  private made: AbortSignal | null = null

  private constructor(
    /** Milliseconds, on `ownNow`'s clock. */
    private readonly deadlineAt: number,
    private readonly parents: readonly (AbortSignal | Progress)[],
  ) {}

  /**
   * Ends after `ms` of running time of this process, or when one of `parents` aborts: messages that arrived
   * during a pause are read before the deadline.
   */
  static for(ms: number, ...parents: readonly (AbortSignal | undefined)[]): Progress {
    return new Progress(
      ownNow() + ms,
      parents.filter((parent) => parent !== undefined),
    )
  }

  /**
   * Aborts at the end. The signal and its timer are created when the signal is first read, since most parts
   * of an action end without it.
   */
  get signal(): AbortSignal {
    return (this.made ??= this.makeSignal())
  }

  /** A part of this progress, which lasts up to `ms` and never longer than this progress. */
  within(ms: number): Progress {
    return new Progress(Math.min(ownNow() + ms, this.deadlineAt), [this])
  }

  /** Milliseconds left, never negative. */
  get remaining(): number {
    return Math.max(0, this.deadlineAt - ownNow())
  }

  get expired(): boolean {
    return (
      this.remaining === 0 ||
      (this.made?.aborted ??
        this.parents.some((parent) => (parent instanceof Progress ? parent.expired : parent.aborted)))
    )
  }

  /** Calls `listener` once when the deadline has passed or the caller has aborted. Returns a function that removes it. */
  onAbort(listener: () => void): () => void {
    return onAbort(this.signal, listener)
  }

  /** Throws if the deadline has passed or the caller has aborted. The error names the work by `what`. */
  check(what: string): void {
    if (this.expired) throw new DeadlineExceeded(what)
  }

  /** Waits `ms`; throws when aborted earlier. */
  async sleep(ms: number, what = 'wait'): Promise<void> {
    this.check(what)
    await pause(ms, this.signal)
    if (this.signal.aborted) throw new DeadlineExceeded(what)
  }

  /** Awaits `work`, which gets the signal, until this progress ends. */
  async race<T>(what: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    this.check(what)
    let forget = (): void => undefined
    const aborted = new Promise<never>((_, reject) => {
      forget = this.onAbort(() => reject(new DeadlineExceeded(what)))
    })
    try {
      return await Promise.race([work(this.signal), aborted])
    } finally {
      forget()
    }
  }

  /**
   * A separate timer holds the signal: Node 20 and 22 can garbage-collect a timeout inside `AbortSignal.any` while
   * a caller waits for it.
   */
  private makeSignal(): AbortSignal {
    const control = new AbortController()
    const parents = this.parents.map((parent) => (parent instanceof Progress ? parent.signal : parent))
    // Many callers can wait on one signal. This is not a leak, since each caller removes its listener at its
    // own deadline.
    setMaxListeners(0, control.signal, ...parents)
    const forgets: (() => void)[] = []
    const end = () => {
      clearTimeout(timer)
      for (const forget of forgets) forget()
      control.abort()
    }
    const wait = () => {
      const left = Math.ceil(this.deadlineAt - ownNow())
      timer = setTimeout(
        () => (ownNow() < this.deadlineAt ? wait() : end()),
        Math.min(Math.max(0, left), longestTimer),
      )
      timer.unref()
    }
    let timer: NodeJS.Timeout | undefined
    wait()
    if (parents.some((parent) => parent.aborted)) end()
    else for (const parent of parents) forgets.push(onAbort(parent, end))
    return control.signal
  }
}
