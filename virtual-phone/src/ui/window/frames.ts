/**
 * Calls back about 30 times a second while the screen is animated, and when time alone changes the screen.
 * Has no timer otherwise.
 */
const FRAME_MS = 33

interface FrameHost {
  /** True while a client watches a moving screen. */
  moving: () => boolean
  /** Milliseconds until time alone changes the watched screen. Null when time alone never changes it. */
  changesIn: () => number | null
  frame: () => void
}

export class Frames {
  private timer: NodeJS.Timeout | undefined
  private change: NodeJS.Timeout | undefined

  constructor(private readonly host: FrameHost) {}

  /** Checks one frame later whether the screen still moves. */
  start(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined
      clearTimeout(this.change)
      const changesIn = this.host.changesIn()
      if (changesIn !== null) this.change = setTimeout(() => this.draw(), Math.max(0, changesIn))
      if (this.host.moving()) this.draw()
    }, FRAME_MS)
  }

  private draw(): void {
    this.host.frame()
    this.start()
  }

  stop(): void {
    clearTimeout(this.timer)
    clearTimeout(this.change)
    this.timer = undefined
  }
}
