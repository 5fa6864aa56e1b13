/**
 * Delays scrcpy's server by the time that a phone needs to start Java. Used by `phone.ts` with `--pace real`.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { type ScrcpyServer } from '../android/program.js'
import { within, type Span } from './pace.js'

/** Starts `server` after a time within `span`. A server that is stopped earlier never starts. */
export function lateStart(
  server: ScrcpyServer,
  span: Span,
  random: () => number = Math.random,
): ScrcpyServer {
  if (span[1] === 0) return server
  return async (invocation) => {
    const { signal } = invocation
    await delay(within(span, random), undefined, { signal }).catch((error: unknown) => {
      if (!signal.aborted) throw error
    })
    return signal.aborted ? 0 : server(invocation)
  }
}
