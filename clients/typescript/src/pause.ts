/** Pauses, and the reason why a call ended early. */
import { setTimeout } from 'node:timers/promises'
import { ConnectionError } from './errors.js'

export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await setTimeout(ms, undefined, { signal })
  } catch {
    throw reasonOf(signal, true)
  }
}

/**
 * The error of a call that reached its deadline, or that the caller aborted. @param isRead whether the request changes
 * nothing
 */
export function reasonOf(signal: AbortSignal, isRead: boolean): unknown {
  const reason: unknown = signal.reason
  return reason instanceof DOMException && reason.name === 'TimeoutError'
    ? new ConnectionError('timeout', 'The server did not answer before the timeout.', !isRead, reason)
    : reason
}
