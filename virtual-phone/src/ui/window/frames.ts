/** Calls out some 30 times a second while the screen moves by itself, and keeps no timer when it does not. */
const FRAME_MS = 33

export interface FrameHost {
  /** Somebody watches, and something on the screen moves. */
  moving: () => boolean
  frame: () => void
}

export class Frames {
  private timer: NodeJS.Timeout | undefined

  constructor(private readonly host: FrameHost) {}

  /** Looks one frame later whether anything moves. */
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
