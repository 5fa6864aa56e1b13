/** What is wrong with the link between adbd and its hosts. Read by `adbd/server.ts`, set by `faults.ts`. */
import { type SlowLimits } from './slow-line.js'

export class LinkFaults {
  /** Hosts connect and hear nothing: adb calls the phone offline. */
  silent = false
  slow: SlowLimits | null = null
  /** Every Nth service that a host opens hangs; 0: none. */
  hangEvery = 0
  private opened = 0

  /** Whether the service that is opened now hangs. */
  hangs(): boolean {
    if (this.hangEvery === 0) return false
    this.opened++
    return this.opened % this.hangEvery === 0
  }

  /** `hangEvery` counts from here. */
  setHangEvery(count: number): void {
    this.hangEvery = count
    this.opened = 0
  }
}
