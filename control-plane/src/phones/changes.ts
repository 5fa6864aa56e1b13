/**
 * Tells waiters, here and on every other replica, that a phone's row changed.
 * Waiters read the row again themselves, so a message that is lost or doubled
 * harms nothing; only while the broker is away do they look by the clock.
 */
import { EventEmitter } from 'node:events'
import { type Bus, phoneChangedSchema, subjects } from '@phonerack/shared'

/** Between two looks while the broker is away. */
const safetyReadMs = 5000

export interface Changes {
  /** After the commit. */
  publish(phoneId: string): void
  /**
   * Resolves at the phone's next change, when `timeoutMs` have passed or `signal`
   * aborts. Listening starts at once, so read the row after calling this.
   */
  next(phoneId: string, timeoutMs: number, signal: AbortSignal): Promise<void>
  close(): void
}

export function createChanges(bus: Bus): Changes {
  const local = new EventEmitter({ captureRejections: false }).setMaxListeners(0)
  const wakeAll = (): void => {
    for (const name of local.eventNames()) local.emit(name)
  }
  const subscription = bus.subscribe(subjects.phoneChanged, (message) => {
    const parsed = phoneChangedSchema.safeParse(message)
    if (parsed.success) local.emit(parsed.data.phone_id)
  })
  bus.onReconnect(wakeAll)
  const safety = setInterval(() => {
    if (!bus.connected) wakeAll()
  }, safetyReadMs)
  safety.unref()
  return {
    publish(phoneId) {
      local.emit(phoneId)
      bus.publish(subjects.phoneChanged, { phone_id: phoneId })
    },
    next(phoneId, timeoutMs, signal) {
      return new Promise((resolve) => {
        if (signal.aborted) return resolve()
        const done = (): void => {
          clearTimeout(timer)
          local.off(phoneId, done)
          signal.removeEventListener('abort', done)
          resolve()
        }
        const timer = setTimeout(done, timeoutMs)
        local.on(phoneId, done)
        signal.addEventListener('abort', done)
      })
    },
    close() {
      clearInterval(safety)
      subscription.unsubscribe()
      wakeAll()
    },
  }
}
