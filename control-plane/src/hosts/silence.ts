/**
 * How long this replica itself has not heard a host, or of a device's link, by its own monotonic clock, pauses left out. The
 * tables say when any replica heard them last, by Postgres's time; only both together make a host lost, so that a step of either
 * clock ends no session.
 */
import { ownNow, type DeviceStatus } from '@phonerack/shared'
import { isUp } from '../devices/link.js'

/** Milliseconds of silence. */
export interface Silence {
  ofHost(hostId: string): number
  ofLink(hostId: string, serial: string): number
}

/** Devices of one host. */
const mostRemembered = 1000

interface Heard {
  at: number
  /** By serial: when the link was last said to be up. */
  up: Map<string, number>
}

export class HostSilence implements Silence {
  private readonly heard = new Map<string, Heard>()
  private readonly since: number

  /** @param now a monotonic clock in milliseconds */
  constructor(private readonly now: () => number = ownNow) {
    this.since = now()
  }

  hear(hostId: string, devices: readonly Pick<DeviceStatus, 'serial' | 'link'>[]): void {
    const at = this.now()
    const before = this.heard.get(hostId)?.up
    // Of devices that are no longer named, the last time still counts.
    const up = new Map([...(before ?? [])].slice(-mostRemembered))
    for (const { serial, link } of devices) {
      if (!isUp(link)) continue
      // The newest stand last.
      up.delete(serial)
      up.set(serial, at)
    }
    this.heard.set(hostId, { at, up })
  }

  /** Of one that was never heard: since this replica listens. */
  ofHost(hostId: string): number {
    return this.now() - (this.heard.get(hostId)?.at ?? this.since)
  }

  ofLink(hostId: string, serial: string): number {
    return this.now() - (this.heard.get(hostId)?.up.get(serial) ?? this.since)
  }
}
