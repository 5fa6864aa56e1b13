/** Lets one loop sleep until it is woken, or for a time. Used by `screen-video.ts`. */
export class Wakeup {
  private wake: (() => void) | null = null

  /** Wakes the sleeper, if any. */
  notify(): void {
    this.wake?.()
  }

  /** @param ms null to wait until woken */
  sleep(ms: number | null): Promise<'woken' | 'time'> {
    return new Promise((resolve) => {
      const end = (how: 'woken' | 'time'): void => {
        if (timer) clearTimeout(timer)
        this.wake = null
        resolve(how)
      }
      const timer = ms === null ? null : setTimeout(() => end('time'), Math.max(0, ms))
      this.wake = () => end('woken')
    })
  }
}
