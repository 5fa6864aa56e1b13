/** Removes a heads-up notification from the app after some seconds. Part of `world.ts`. */
import { type PhoneNotification } from '../../android/world.js'

/** AOSP's `heads_up_notification_decay`. */
export const HEADS_UP_MS = 5000

interface HeadsUpHost {
  headsUp: () => PhoneNotification | null
  hide: () => void
}

export class HeadsUp {
  private timer: NodeJS.Timeout | undefined
  private shown: PhoneNotification | null = null

  constructor(private readonly host: HeadsUpHost) {}

  /** Called after each change: starts the timer of a new notification. */
  watch(): void {
    const now = this.host.headsUp()
    if (now === this.shown) return
    this.stop()
    this.shown = now
    if (now) this.timer = setTimeout(() => this.host.hide(), HEADS_UP_MS)
  }

  stop(): void {
    clearTimeout(this.timer)
    this.shown = null
  }
}
