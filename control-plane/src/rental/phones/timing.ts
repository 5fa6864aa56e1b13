import { type PhoneStatus } from '../../base/core/statuses.js'

interface SessionTimes {
  startedAt: number
  idleTimeout: number
  maxDuration: number
}

export interface ParkTime {
  at: number
  reason: 'idle' | 'max_duration'
}

export const deadlineOf = (session: SessionTimes): number => session.startedAt + session.maxDuration * 1000

/**
 * The earlier of the idle timeout and the session's deadline. The idle timer starts when the phone
 * is ready.
 */
export function parkTime(status: PhoneStatus, session: SessionTimes, lastActiveAt: number | null): ParkTime {
  const deadline = deadlineOf(session)
  if (status !== 'ready' || lastActiveAt === null) return { at: deadline, reason: 'max_duration' }
  const idle = lastActiveAt + session.idleTimeout * 1000
  return idle <= deadline ? { at: idle, reason: 'idle' } : { at: deadline, reason: 'max_duration' }
}

/**
 * Computes a renewal's `max_duration` in whole seconds, rounded up: the deadline becomes the later of the old
 * deadline and `now` plus `seconds`.
 */
export const renewedDuration = (session: SessionTimes, now: number, seconds: number): number =>
  Math.max(session.maxDuration, Math.ceil((now - session.startedAt) / 1000 + seconds))
