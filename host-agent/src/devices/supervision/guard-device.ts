/**
 * Starts the lock guard of one device: its findings update the device's condition, its actions become events.
 */
import type { Logger } from '@phonerack/shared'
import type { ConditionWatch } from './condition.js'
import type { RecordFields } from './record-fields.js'
import { mostEvents } from './rescue.js'
import { startLockGuard, type LockGuard, type LockGuardParts } from '../../phone/lock/guard.js'

interface Parts extends Pick<LockGuardParts, 'transport' | 'memory' | 'scope'> {
  watch: ConditionWatch
  events: RecordFields['events']
  onChange: () => void
  log: Logger
}

// The guard gets only these parts. The caller's parts include the agent's times, which are not times of the
// guard.
export const guardDevice = ({ watch, events, onChange, log, transport, memory, scope }: Parts): LockGuard =>
  startLockGuard({
    transport,
    memory,
    scope,
    recordLock: (isSet) => {
      if (watch.recordLock(isSet)) onChange()
    },
    note: (step, outcome, reason) => {
      const event = { at: new Date().toISOString(), step, outcome, reason }
      log.warn({ event }, 'the lock guard acted on a rented phone')
      events.set([...events.get(), event].slice(-mostEvents))
    },
    log,
  })
