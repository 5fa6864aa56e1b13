/**
 * One object for every operation that may take time: a deadline, an abort
 * signal and a name for errors. It is made from the caller's deadline (HTTP,
 * gRPC) and handed down to every outer call.
 */
import { setMaxListeners } from 'node:events'
import { ownNow } from './own-time.js'

export class DeadlineExceeded extends Error {
  constructor(what: string) {
    super(`${what} took too long`)
    this.name = 'DeadlineExceeded'
  }
}

/** Milliseconds that Node's timers can wait at most. */
const longestTimer = 2 ** 31 - 1

export class Progress {
  private constructor(
    readonly signal: AbortSignal,
    /** Milliseconds, on `ownNow`'s clock. */
    private readonly deadlineAt: number,
  ) {}

  /**
   * Runs out after `ms` in which this process ran, or when one of `parents` aborts: what came while it stood still is
   * read before the time is over. With a timer of its own, which holds the signal: Node 20 and 22
   * can lose what `AbortSignal.any` made, with its time, to the garbage collector while somebody waits for it.
   */
  static for(ms: number, ...parents: readonly (AbortSignal | undefined)[]): Progress {
    const control = new AbortController()
    // Many may wait for one: that is no leak, since each leaves when its own time is over.
    setMaxListeners(0, control.signal, ...parents.filter((parent) => parent !== undefined))
    const end = () => {
      clearTimeout(timer)
      for (const parent of parents) parent?.removeEventListener('abort', end)
      control.abort()
    }
    const deadlineAt = ownNow() + ms
    const wait = () => {
      const left = Math.ceil(deadlineAt - ownNow())
      timer = setTimeout(
        () => (ownNow() < deadlineAt ? wait() : end()),
        Math.min(Math.max(0, left), longestTimer),
      )
      timer.unref()
    }
    let timer: NodeJS.Timeout | undefined
    wait()
    if (parents.some((parent) => parent?.aborted)) end()
    else for (const parent of parents) parent?.addEventListener('abort', end, { once: true })
    return new Progress(control.signal, deadlineAt)
  }

  /** At most `ms`, never longer than this one. */
  within(ms: number): Progress {
    return Progress.for(Math.min(ms, this.remaining), this.signal)
  }

  /** Milliseconds left, never negative. */
  get remaining(): number {
    return Math.max(0, this.deadlineAt - ownNow())
  }

  get expired(): boolean {
    return this.signal.aborted || this.remaining === 0
  }

  /** Throws when the time is over or the caller has gone. */
  check(what: string): void {
    if (this.expired) throw new DeadlineExceeded(what)
  }

  /** Waits `ms` or throws when aborted before. */
  async sleep(ms: number, what = 'wait'): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    try {
      await this.race(what, () => new Promise((resolve) => (timer = setTimeout(resolve, ms))))
    } finally {
      clearTimeout(timer)
    }
  }

  /** Awaits `work`, which gets the signal, but no longer than this progress lasts. */
  async race<T>(what: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    this.check(what)
    const { signal } = this
    let onAbort: (() => void) | undefined
    const aborted = new Promise<never>((_, reject) => {
      onAbort = () => reject(new DeadlineExceeded(what))
      signal.addEventListener('abort', onAbort, { once: true })
    })
    try {
      return await Promise.race([work(signal), aborted])
    } finally {
      if (onAbort) signal.removeEventListener('abort', onAbort)
    }
  }
}
