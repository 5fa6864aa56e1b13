/**
 * Counts the hanging calls of one phone and runs the steps of `escalation.ts`. Each step is an event, stored
 * in the device's record and sent to the log and the heartbeat. Created by `link-watch.ts`.
 */
import { dirname } from 'node:path'
import { Progress, type DeviceEvent, type Logger } from '@phonerack/shared'
import type { AdbClient } from '../../adb/client.js'
import { otherAdbServers } from '../../adb/other-servers.js'
import type { Transport } from '../../adb/transport.js'
import { escalate, noEscalation, type Obstacles, type Step } from './escalation.js'
import { stepReason } from './step-reason.js'

/** The number of events that are kept; the newest events stay. */
export const mostEvents = 20
const stepMs = 5000
/** The time within which adb reports the disconnect and the new link. */
const reconnectMs = 10_000

interface RescueParts {
  serial: string
  client: AdbClient
  /** A transport whose calls do not count as hangs or answers. */
  transport: Pick<Transport, 'reboot' | 'reconnect'>
  /** Whether adb reaches the phone over a network (`host:port`). */
  isNetwork: boolean
  /** Whether the phone may be restarted, because it was enrolled here. */
  mayReboot: () => boolean
  /**
   * Whether hangs count now. They do not count while adb does not list the phone, nor while an operation
   * expects them.
   */
  counts: () => boolean
  events: { get(): readonly DeviceEvent[]; set(events: DeviceEvent[]): void }
  /** Takes the phone out of service. */
  giveUp: (reason: string) => void
  log: Logger
}

export interface Rescue {
  /** Must be called when a call was answered, or timed out. */
  recordOutcome(outcome: 'answered' | 'hung'): void
  /** Whether the last finished call hung. */
  readonly hanging: boolean
  /** Whether the agent itself closed the link, so that the same phone will reconnect. */
  readonly reconnecting: boolean
  /** Reopens adb's connection to the phone. */
  reconnect(reason: string): Promise<void>
}

const obstaclesOf = ({ isNetwork, mayReboot }: RescueParts): Obstacles => ({
  port_reset: isNetwork
    ? 'the phone is connected over the network'
    : 'this host cannot reset a USB port without root',
  reboot: mayReboot()
    ? null
    : 'the phone has not been identified as an enrolled phone, and the agent writes only to enrolled phones',
})

/** Returns process IDs; none on a system without `/proc`. */
function otherServers(ownDir: string): number[] {
  try {
    return otherAdbServers('/proc', ownDir).map(({ pid }) => pid)
  } catch (error) {
    if (error instanceof Error && 'code' in error) return []
    throw error
  }
}

export function createRescue(parts: RescueParts): Rescue {
  const { serial, client, transport, isNetwork, log } = parts
  let state = noEscalation
  let hanging = false
  let reconnectedAt = -Infinity
  let last: Promise<void> = Promise.resolve()

  function note(step: Step, outcome: DeviceEvent['outcome'], reason: string): void {
    const event: DeviceEvent = { at: new Date().toISOString(), step, outcome, reason }
    log.warn({ event }, 'the phone does not respond; the event names the recovery step')
    parts.events.set([...parts.events.get(), event].slice(-mostEvents))
  }

  async function take(step: Step, reason: string): Promise<void> {
    const progress = Progress.for(stepMs)
    const others = otherServers(dirname(client.path))
    try {
      if (step === 'reconnect') await reopen(progress)
      else if (step === 'reboot') await transport.reboot(progress)
      note(step, 'done', stepReason(reason, null, others))
    } catch (error) {
      // The event contains only a short reason, so the log gets the whole error.
      log.warn({ step, err: error }, 'a recovery step failed')
      note(step, 'failed', stepReason(reason, error instanceof Error ? error.message : 'unknown', others))
    }
    if (step === 'quarantine') parts.giveUp(reason)
  }

  async function reopen(progress: Progress): Promise<void> {
    reconnectedAt = performance.now()
    if (!isNetwork) return transport.reconnect(progress)
    await client.disconnect(serial, progress)
    await client.connect(serial, progress)
  }

  return {
    get hanging() {
      return hanging
    },
    get reconnecting() {
      return performance.now() - reconnectedAt < reconnectMs
    },
    recordOutcome(outcome) {
      hanging = outcome === 'hung'
      if (!parts.counts()) return
      const result = escalate(state, outcome, performance.now(), obstaclesOf(parts))
      state = result.state
      for (const { step, skipped } of result.taken) {
        const reason = 'three calls in a row timed out'
        // Serialises the steps, since the next hang can occur while a step runs.
        last = last.then(() => {
          if (skipped === null) return take(step, reason)
          note(step, 'skipped', stepReason(skipped, null, []))
          return undefined
        })
      }
    },
    reconnect: (reason) => take('reconnect', reason),
  }
}
