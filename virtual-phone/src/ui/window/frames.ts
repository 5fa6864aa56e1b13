/** Calls back about 30 times a second while the screen moves by itself; has no timer otherwise. */
const FRAME_MS = 33

export interface FrameHost {
  /** True while somebody watches a moving screen. */
  moving: () => boolean
  frame: () => void
}

export class Frames {
  private timer: NodeJS.Timeout | undefined

  constructor(private readonly host: FrameHost) {}

  /** Checks one frame later whether anything moves. */
  start(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined
      if (!this.host.moving()) return
      this.host.frame()
      this.start()
    }, FRAME_MS)
  }

  stop(): void {
    clearTimeout(this.timer)
    this.timer = undefined
  }
}
