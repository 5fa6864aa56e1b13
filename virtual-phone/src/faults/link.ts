/** Faults of the link between adbd and its hosts. Read by `adbd/server.ts`, set by `faults.ts`. */
import { type SlowLimits } from './slow-line.js'

export class LinkFaults {
  /** Hosts connect and receive no response: adb calls the phone offline. */
  silent = false
  slow: SlowLimits | null = null
  /** Every Nth service that a host opens hangs; 0 for no service. */
  hangEvery = 0
  private opened = 0

  /** Only services whose name contains this text hang. */
  private hangText = ''

  /**
   * Whether this new service hangs.
   * @param name for example `shell,v2,raw:input tap 1 2`
   */
  hangs(name: string): boolean {
    if (this.hangEvery === 0 || !name.includes(this.hangText)) return false
    this.opened++
    return this.opened % this.hangEvery === 0
  }

  /** Resets the count; `hangEvery` then counts only services whose name contains `text`. */
  setHangEvery(count: number, text = ''): void {
    this.hangEvery = count
    this.hangText = text
    this.opened = 0
  }
}
