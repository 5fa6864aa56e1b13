/**
 * Calls back when the minute changes, for the clock in the status bar, only while a client watches. Part of
 * `world.ts`.
 */
const MINUTE_MS = 60_000

interface MinuteHost {
  watched: () => boolean
  now: () => Date
  minute: () => void
}

export class Minutes {
  private timer: NodeJS.Timeout | undefined

  constructor(private readonly host: MinuteHost) {}

  /** Clears the timer when no client watches. */
  start(): void {
    if (this.timer) return
    const left = MINUTE_MS - (this.host.now().getTime() % MINUTE_MS)
    this.timer = setTimeout(() => {
      this.timer = undefined
      if (!this.host.watched()) return
      this.host.minute()
      this.start()
    }, left)
  }

  stop(): void {
    clearTimeout(this.timer)
    this.timer = undefined
  }
}
