/**
 * All devices of this host: one supervisor and one gate for each serial that adb lists or that was
 * enrolled here. Created by `main.ts`, used by `grpc/` and `status/`.
 */
import { ApiError, type DeviceStatus, type Logger } from '@phonerack/shared'
import type { ListedDevice } from '../adb/device-list.js'
import type { AdbServers } from '../adb/servers.js'
import { createLimiter } from '../base/limiter.js'
import type { AgentTimes } from '../base/times.js'
import type { PhoneKind } from './supervision/kinds.js'
import { PhoneLinks } from './supervision/same-phone.js'
import type { Link } from './supervision/state-machine.js'
import type { Observation } from '../phone/logs/event-line.js'
import { DeviceSupervisor } from './supervision/supervisor.js'
import type { Jar } from '../capture/scrcpy/jar.js'
import type { HostFlags } from '../custody/custody.js'
import type { Journal } from '../custody/journal.js'
import { DeviceGate } from './gate.js'
import type { Records } from '../custody/records.js'
import { statusOf } from './status-of.js'
import { createThumbnails, mostThumbnails, type Thumbnails } from './thumbnails.js'

interface RegistryParts {
  servers: AdbServers
  /** Network phones, `host:port`. */
  connect: readonly string[]
  /** Null when this host has no scrcpy server. */
  jar: Jar | null
  /** Whether the operator declares that the phones are unreachable over any network. */
  isolated: boolean
  /** Whether observations use a signal of the screen's drawings. */
  withMotion: boolean
  /** Serials whose phones may hold a SIM. */
  allowSims: readonly string[]
  /** The kinds of phones on which tenants may run shell commands. */
  shellKinds: readonly PhoneKind[]
  /** Interval between condition checks of each phone, in milliseconds. */
  conditionEveryMs: number
  /** When omitted, the product's intervals apply. */
  times?: AgentTimes | undefined
  /** Whether work on a serial's phone failed by a fault of this host, which says nothing about the phone. */
  isHostFault: (error: unknown, serial: string) => boolean
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

export class Registry {
  private readonly entries = new Map<string, Entry>()
  private readonly links = new PhoneLinks()
  private readonly limiter = createLimiter(mostThumbnails)
  private readonly unfollow: () => void

  constructor(private readonly parts: RegistryParts) {
    for (const serial of parts.records.serials()) this.entryOf(serial)
    this.unfollow = parts.servers.follow((devices) => this.onList(devices))
  }

  /** @throws ApiError phone_unavailable for an unknown serial */
  gate(serial: string): DeviceGate {
    return this.known(serial).gate
  }

  /** @throws ApiError phone_unavailable for an unknown serial */
  thumbnails(serial: string): Thumbnails {
    return this.known(serial).thumbnails
  }

  /**
   * Returns the parts of a phone for an acceptance run, which does more than a tenant may.
   * @throws ApiError phone_unavailable for an unknown serial
   */
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
      statusOf(serial, supervisor, gate.fencing, this.parts.servers.troubleOf(serial)),
    )
  }

  /** Returns the number of devices by the name of their state. */
  countByState(): Map<string, number> {
    const counts = new Map<string, number>()
    for (const { supervisor } of this.entries.values()) {
      const { name } = supervisor.current
      counts.set(name, (counts.get(name) ?? 0) + 1)
    }
    return counts
  }

  stop(): void {
    this.unfollow()
    for (const { supervisor } of this.entries.values()) supervisor.stop()
  }

  private onList(devices: readonly ListedDevice[]): void {
    const listed = new Set(devices.map(({ serial }) => serial))
    for (const { serial, state, transport } of devices)
      this.entryOf(serial).supervisor.setLink(linkOf(state), transport)
    for (const [serial, { supervisor }] of this.entries)
      if (!listed.has(serial)) supervisor.setLink('absent', null)
  }

  private entryOf(serial: string): Entry {
    const known = this.entries.get(serial)
    if (known) return known
    const { servers, jar, isolated, withMotion, conditionEveryMs, records, flags, journal, newId, onChange } =
      this.parts
    const { times, shellKinds } = this.parts
    const log = this.parts.log.child({ serial })
    const supervisor = new DeviceSupervisor({
      serial,
      jar,
      isolated,
      withMotion,
      conditionEveryMs,
      shellKinds,
      times,
      records,
      log,
      onChange,
      client: servers.clientOf(serial),
      links: this.links,
      onObservation: (observation) => {
        const phoneId = records.get(serial).assignment?.phoneId
        if (phoneId !== undefined) this.parts.onObservation({ phoneId, serial }, observation)
      },
      isHostFault: (error) => this.parts.isHostFault(error, serial),
      isNetwork: this.parts.connect.includes(serial),
      simAllowed: this.parts.allowSims.includes(serial),
    })
    const gate = new DeviceGate({ serial, supervisor, records, flags, journal, newId, log, onChange })
    const entry = { supervisor, gate, thumbnails: createThumbnails({ gate, limiter: this.limiter, log }) }
    this.entries.set(serial, entry)
    return entry
  }
}
