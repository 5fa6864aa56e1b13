/**
 * Listens for hosts while the phone is on and its cable is plugged in. Restarts and faults change the two independently,
 * in any order; changes run one after another. Used by `phone.ts` and `faults/`.
 */
import type { AdbServer } from './server.js'

export class Listening {
  private on = true
  private plugged = true
  private listens = true
  private tail: Promise<void> = Promise.resolve()

  /** Makes `adbd` listen on `port`. */
  constructor(
    private readonly adbd: Pick<AdbServer, 'listen' | 'close'>,
    private readonly port: number,
  ) {}

  /** @throws when another process has taken the port */
  setPower(on: boolean): Promise<void> {
    this.on = on
    return this.next(() => this.align())
  }

  /** @throws when another process has taken the port */
  setPlugged(plugged: boolean): Promise<void> {
    this.plugged = plugged
    return this.next(() => this.align())
  }

  /** Disconnects every host. Has no effect on a phone that is off or unplugged. */
  restart(): Promise<void> {
    return this.next(async () => {
      if (!this.listens) return
      await this.stop()
      await this.align()
    })
  }

  private async align(): Promise<void> {
    const wanted = this.on && this.plugged
    if (wanted && !this.listens) {
      await this.adbd.listen(this.port)
      this.listens = true
    } else if (!wanted && this.listens) await this.stop()
  }

  private async stop(): Promise<void> {
    this.listens = false
    await this.adbd.close()
  }

  private next(step: () => Promise<void>): Promise<void> {
    const done = this.tail.then(step)
    // The caller of a step gets its error; the next step is independent of it.
    this.tail = done.catch(() => undefined)
    return done
  }
}
