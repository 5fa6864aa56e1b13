/**
 * Records in a project's activity that one of its phones gained or lost a screen lock. Heartbeats
 * may repeat this at any rate: at most one entry per minute and device is written, with the latest
 * state.
 */
import { ownNow, type DeviceCondition, type DeviceStatus } from '@phonerack/shared'
import { type Core } from '../../base/core/core.js'
import { type ActivityService } from '../../rental/activity/types.js'

/** Milliseconds between two entries for one device. */
const pauseMs = 60_000

export interface LockChange {
  deviceId: string
  hostId: string
  phoneId: string
  isSet: boolean
  at: Date
}

const lockOf = (condition: unknown): boolean =>
  typeof condition === 'object' &&
  condition !== null &&
  (condition as Partial<DeviceCondition>).lock_credential === true

/** Compares a report with the phone's last report. A report without the field changes nothing. */
export function lockChange(
  device: { id: string; hostId: string; phoneId: string | null; condition: unknown },
  status: DeviceStatus | null,
  at: Date,
): LockChange | null {
  const isSet = status?.condition?.lock_credential
  const { id, hostId, phoneId } = device
  if (phoneId === null || typeof isSet !== 'boolean' || isSet === lockOf(device.condition)) return null
  return { deviceId: id, hostId, phoneId, isSet, at }
}

export class LockActivity {
  /** Changes that wait for their entry, by device. */
  private readonly waiting = new Map<string, LockChange>()
  /** Entries of the last minute, by device. */
  private readonly written = new Map<string, { at: number; change: LockChange }>()

  /** @param now a monotonic clock in milliseconds */
  constructor(
    private readonly activity: Pick<ActivityService, 'record'>,
    private readonly now: () => number = ownNow,
  ) {}

  /**
   * Must be called after each heartbeat's commit, even without changes: the call also writes entries that
   * were waiting.
   */
  async take({ db }: Pick<Core, 'db'>, changes: readonly LockChange[]): Promise<void> {
    for (const change of changes) this.waiting.set(change.deviceId, change)
    for (const [id, change] of [...this.waiting]) {
      const last = this.written.get(id)
      if (last && this.now() - last.at < pauseMs) continue
      this.waiting.delete(id)
      this.written.delete(id)
      // The state is the same as in the last entry.
      if (last?.change.phoneId === change.phoneId && last.change.isSet === change.isSet) continue
      this.written.set(id, { at: this.now(), change })
      const phone = await db.phone.findUnique({ where: { id: change.phoneId }, select: { projectId: true } })
      if (phone) this.record(phone.projectId, change)
    }
    for (const [id, { at }] of this.written)
      if (this.now() - at >= pauseMs && !this.waiting.has(id)) this.written.delete(id)
  }

  /** Names the host instead of a key, since no request made the change. */
  private record(projectId: string, { hostId, phoneId, isSet, at }: LockChange): void {
    this.activity.record({
      projectId,
      keyId: hostId,
      requestId: '',
      at,
      phoneId,
      method: 'DEVICE',
      route: isSet ? 'screen_lock_set' : 'screen_lock_cleared',
      status: 0,
      code: null,
      ms: 0,
      summary: isSet
        ? { warning: 'The screen lock of this phone prevents its wipe. Remove the screen lock.' }
        : {},
    })
  }
}
