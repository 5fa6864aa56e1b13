/**
 * Measures by this replica's monotonic clock, without process pauses, how long the replica has not heard the
 * agent of a host, or a device's link. A host's earlier agents are measured separately. The tables say when
 * any replica last heard them, by Postgres's time. A host is lost only when both measures agree, so that a
 * step of one clock cannot end a session.
 */
import { ownNow, type AgentOnBus, type DeviceStatus } from '@phonerack/shared'
import { isUp } from '../../rental/devices/link.js'

/** How many milliseconds each has been silent. */
export interface Silence {
  ofHost(agent: AgentOnBus): number
  ofLink(agent: AgentOnBus, serial: string): number
}

/** Devices per host. */
const maxRemembered = 1000

interface Heard {
  at: number
  /** When the link was last reported up, by serial. */
  up: Map<string, number>
}

const keyOf = ({ hostId, joinId }: AgentOnBus): string => `${hostId} ${joinId ?? ''}`

export class HostSilence implements Silence {
  private readonly heard = new Map<string, Heard>()
  private readonly since: number

  /** @param now a monotonic clock in milliseconds */
  constructor(private readonly now: () => number = ownNow) {
    this.since = now()
  }

  hear(agent: AgentOnBus, devices: readonly Pick<DeviceStatus, 'serial' | 'link'>[]): void {
    const at = this.now()
    const key = keyOf(agent)
    const before = this.heard.get(key)?.up
    // Keeps the last time of devices that are no longer reported.
    const up = new Map([...(before ?? [])].slice(-maxRemembered))
    for (const { serial, link } of devices) {
      if (!isUp(link)) continue
      // Moves the newest entry to the end.
      up.delete(serial)
      up.set(serial, at)
    }
    this.heard.set(key, { at, up })
  }

  /** The silence of an agent that was never heard counts from when this replica began to listen. */
  ofHost(agent: AgentOnBus): number {
    return this.now() - (this.heard.get(keyOf(agent))?.at ?? this.since)
  }

  ofLink(agent: AgentOnBus, serial: string): number {
    return this.now() - (this.heard.get(keyOf(agent))?.up.get(serial) ?? this.since)
  }
}
