/** Watches the condition and the screen lock of a phone. Used by `supervisor.ts`. */
import { Progress, type DeviceCondition, type Logger } from '@phonerack/shared'
import type { Transport } from '../../adb/transport.js'
import type { CredentialMemory } from '../../phone/lock/credential-memory.js'
import type { LockGuard } from '../../phone/lock/guard.js'
import { watchCondition, type ConditionWatch } from './condition.js'
import { guardDevice } from './guard-device.js'
import type { RecordFields } from './record-fields.js'

interface CareParts {
  transport: Transport
  /** A hanging lock check must not trigger a rescue. */
  withoutRescue: Transport
  /** Milliseconds between condition checks. */
  conditionEveryMs: number
  credentials: CredentialMemory
  events: RecordFields['events']
  /** Whether a tenant may use the phone. */
  isRented: () => boolean
  onChange: () => void
  log: Logger
}

const conditionMs = 15_000

export class DeviceCare {
  private readonly watch: ConditionWatch
  private readonly lockGuard: LockGuard
  /** Whether a tenant may be using the screen; false once the phone is parked. */
  private screenInUse = true
  private stopped = false

  constructor(private readonly parts: CareParts) {
    const { withoutRescue, credentials, isRented, ...rest } = parts
    this.watch = watchCondition(parts.transport, parts.conditionEveryMs)
    this.lockGuard = guardDevice({
      ...rest,
      transport: withoutRescue,
      memory: credentials,
      scope: () => (isRented() ? (this.screenInUse ? 'screen' : 'lock') : 'nothing'),
      watch: this.watch,
    })
  }

  /** The latest condition; null before the first check. */
  get condition(): DeviceCondition | null {
    return this.watch.latest
  }

  get isScreenInUse(): boolean {
    return this.screenInUse
  }

  setScreenInUse(inUse: boolean): void {
    this.screenInUse = inUse
  }

  /** Clears a screen lock whose credential is known. Returns whether a lock is still set; null when not reported. */
  clearLock(transport: Transport, progress: Progress): Promise<boolean | null> {
    return this.lockGuard.clear(transport, progress)
  }

  /** Checks the condition when the check is due. The next call repeats a failed check. Never throws. */
  async checkCondition(): Promise<void> {
    const { log, onChange } = this.parts
    try {
      if (!(await this.watch.readWhenDue(Progress.for(conditionMs)))) return
      const warnings = this.condition?.warnings ?? []
      if (warnings.length > 0) log.warn({ warnings }, 'the device needs care')
      if (!this.stopped) onChange()
    } catch (error) {
      log.info({ err: error }, 'the condition of the device could not be read')
    }
  }

  stop(): void {
    this.stopped = true
    this.lockGuard.stop()
  }
}
