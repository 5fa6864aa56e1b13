/**
 * All devices of this host: one supervisor and one gate for each serial that adb lists or that was
 * enrolled here. Created by `main.ts`, used by `grpc/` and `status/`.
 */
import { ApiError, type DeviceStatus, type Logger } from '@phonerack/shared'
import type { AdbClient, TrackedDevice } from '../adb/client.js'
import { createFew } from '../base/few.js'
import type { AgentTimes } from '../base/times.js'
import { keepConnected, type Keeper } from '../adb/keep.js'
import { pollDevices, trackDevices } from '../adb/track.js'
import { PhoneLinks } from '../supervision/same-phone.js'
import type { Link } from '../supervision/state-machine.js'
import type { Observation } from '../logs/event-line.js'
import { DeviceSupervisor } from '../supervision/supervisor.js'
import type { Jar } from '../scrcpy/jar.js'
import type { HostFlags } from '../custody/custody.js'
import type { Journal } from '../custody/journal.js'
import { DeviceGate } from './gate.js'
import type { Records } from '../custody/records.js'
import { statusOf } from './status-of.js'
import { createThumbnails, mostThumbnails, type Thumbnails } from './thumbnails.js'

export interface RegistryParts {
  client: AdbClient
  /** Network phones, `host:port`. */
  connect: readonly string[]
  /** Null: this host has none. */
  jar: Jar | null
  /** The operator declares that the phones are unreachable over any network. */
  isolated: boolean
  /** Serials whose phones may hold a SIM. */
  allowSims: readonly string[]
  /** Interval between condition checks of each phone, in milliseconds. */
  conditionEveryMs: number
  /** Left out: the product's. */
  times?: AgentTimes | undefined
  /** Whether work failed by a fault of this host, which says nothing about a phone. */
  isHostFault: (error: unknown) => boolean
  records: Records
  flags: HostFlags
  journal: Journal
  newId: () => string
  log: Logger
  /** Called for each crash and notification of a rented phone. */
  onObservation: (phone: { phoneId: string; serial: string }, observation: Observation) => void
  onChange: () => void
}

interface Entry {
  supervisor: DeviceSupervisor
  gate: DeviceGate
  thumbnails: Thumbnails
}

const linkOf = (state: string): Link => {
  if (state === 'device') return 'online'
  if (state === 'unauthorized' || state === 'authorizing' || state.startsWith('no permissions'))
    return 'unauthorized'
  return 'offline'
}

const isSameDevice = (one: TrackedDevice, other: TrackedDevice | undefined): boolean =>
  one.state === other?.state &&
  one.transport.id === other.transport.id &&
  one.transport.serverRun === other.transport.serverRun

/** Interval between checks of network phones, in milliseconds. */
const networkPollMs = 500

export class Registry {
  private readonly entries = new Map<string, Entry>()
  private readonly links = new PhoneLinks()
  private readonly few = createFew(mostThumbnails)
  private tracked = new Map<string, TrackedDevice>()
  private readonly stopping = new AbortController()
  private readonly keeper: Keeper
  private readonly tracking: Promise<unknown>

  constructor(private readonly parts: RegistryParts) {
    for (const serial of parts.records.serials()) this.entryOf(serial)
    this.keeper = keepConnected(
      parts.client,
      parts.connect,
      (serial) => this.tracked.get(serial)?.state ?? null,
      parts.log,
      parts.times?.reconnect,
    )
    const { signal } = this.stopping
    const onList = (devices: readonly TrackedDevice[]) => this.onList(devices)
    const tracked = trackDevices(
      parts.client,
      onList,
      (error) => parts.log.warn({ err: error }, 'the connection to the device list was lost'),
      signal,
    )
    const polled = parts.connect.length > 0 ? pollDevices(parts.client, onList, networkPollMs, signal) : null
    this.tracking = Promise.all([tracked, polled])
  }

  /** @throws ApiError phone_unavailable for an unknown serial */
  gate(serial: string): DeviceGate {
    return this.known(serial).gate
  }

  /** @throws ApiError phone_unavailable for an unknown serial */
  thumbnails(serial: string): Thumbnails {
    return this.known(serial).thumbnails
  }

  /** For an acceptance run, which does more than a tenant may. @throws ApiError phone_unavailable for an unknown serial */
  supervisor(serial: string): DeviceSupervisor {
    return this.known(serial).supervisor
  }

  private known(serial: string): Entry {
    const entry = this.entries.get(serial)
    if (!entry)
      throw new ApiError('phone_unavailable', {
        message: 'This host does not have the device.',
        details: { serial },
      })
    return entry
  }

  statuses(): DeviceStatus[] {
    return [...this.entries].map(([serial, { supervisor, gate }]) =>
      statusOf(serial, supervisor, gate.fencing),
    )
  }

  /** The number of devices by the name of their state. */
  countByState(): Map<string, number> {
    const counts = new Map<string, number>()
    for (const { supervisor } of this.entries.values()) {
      const { name } = supervisor.current
      counts.set(name, (counts.get(name) ?? 0) + 1)
    }
    return counts
  }

  async stop(): Promise<void> {
    this.stopping.abort()
    for (const { supervisor } of this.entries.values()) supervisor.stop()
    await this.keeper.stop()
    await this.tracking
  }

  private onList(devices: readonly TrackedDevice[]): void {
    const tracked = new Map(devices.map((device) => [device.serial, device]))
    const same =
      tracked.size === this.tracked.size &&
      devices.every((device) => isSameDevice(device, this.tracked.get(device.serial)))
    if (same) return
    this.tracked = tracked
    for (const { serial, state, transport } of devices)
      this.entryOf(serial).supervisor.setLink(linkOf(state), transport)
    for (const [serial, { supervisor }] of this.entries)
      if (!this.tracked.has(serial)) supervisor.setLink('absent', null)
    this.keeper.nudge()
  }

  private entryOf(serial: string): Entry {
    const known = this.entries.get(serial)
    if (known) return known
    const { client, jar, isolated, conditionEveryMs, records, flags, journal, newId, onChange } = this.parts
    const { times } = this.parts
    const log = this.parts.log.child({ serial })
    const supervisor = new DeviceSupervisor({
      ...{ serial, client, jar, isolated, conditionEveryMs, times, records, log, onChange },
      links: this.links,
      onObservation: (observation) => {
        const phoneId = records.get(serial).assignment?.phoneId
        if (phoneId !== undefined) this.parts.onObservation({ phoneId, serial }, observation)
      },
      isHostFault: this.parts.isHostFault,
      isNetwork: this.parts.connect.includes(serial),
      simAllowed: this.parts.allowSims.includes(serial),
    })
    const gate = new DeviceGate({ serial, supervisor, records, flags, journal, newId, log, onChange })
    const entry = { supervisor, gate, thumbnails: createThumbnails({ gate, few: this.few, log }) }
    this.entries.set(serial, entry)
    return entry
  }
}
