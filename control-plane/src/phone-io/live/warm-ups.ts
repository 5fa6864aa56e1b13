/**
 * Captures a phone for a while after a live link was created, so that a link that is opened immediately shows a picture
 * immediately. Callers do not wait for the capture, and its failure has no effect. Used by `links.ts`.
 */
import { Metadata, type ClientUnaryCall } from '@grpc/grpc-js'
import { type Logger } from '@phonerack/shared'
import { assignmentOf } from '../../rental/devices/placement.js'
import { type Target } from '../../rental/phones/target.js'

/** Milliseconds from the creation of a link. */
const warmMs = 30_000

interface WarmUps {
  /** Starts the capture, which replaces an earlier capture of the phone. */
  begin(phoneId: string, target: Target): void
  close(): void
}

export function createWarmUps(log: Logger): WarmUps {
  const calls = new Map<string, ClientUnaryCall>()
  return {
    begin(phoneId, target) {
      const before = calls.get(phoneId)
      const assignment = assignmentOf(phoneId, target, '')
      const options = { deadline: Date.now() + warmMs }
      const call = target.connection.live.prepare({ assignment }, new Metadata(), options, (error) => {
        if (calls.get(phoneId) === call) calls.delete(phoneId)
        if (error) log.debug({ err: error, phone: phoneId }, 'stopped capturing a phone without viewers')
      })
      calls.set(phoneId, call)
      before?.cancel()
    },
    close() {
      for (const call of calls.values()) call.cancel()
    },
  }
}
