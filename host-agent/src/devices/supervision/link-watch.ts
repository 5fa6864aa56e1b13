/**
 * Watches the link to the phone of one serial: the state that adb reports, the phone's identity, and the rescue of a phone whose
 * calls hang. Used by `supervisor.ts`.
 */
import type { Logger, Progress } from '@phonerack/shared'
import type { AdbClient } from '../../adb/client.js'
import { command } from '../../adb/quote.js'
import { SerialTarget, type TransportId } from '../../adb/target.js'
import { createTransport, type Transport } from '../../adb/transport.js'
import type { Records } from '../../custody/records.js'
import { DeviceGone } from '../../adb/device/device.js'
import { escalationRules } from './escalation.js'
import { notEnrolled } from './failures.js'
import { identify, type DeviceIdentity } from './identify.js'
import { PhoneTie } from './phone-tie.js'
import type { RecordFields } from './record-fields.js'
import { createRescue, type Rescue } from './rescue.js'
import { isEnrolled, type PhoneLinks } from './same-phone.js'
import type { DeviceEvent, DeviceState, Link } from './state-machine.js'

interface LinkWatchParts {
  serial: string
  client: AdbClient
  /** Whether adb reaches the phone over a network. */
  isNetwork: boolean
  records: Records
  /** The links of all devices of this host. */
  links: PhoneLinks
  events: RecordFields['events']
  /** Whether an operation works on the phone, so that restarts and hangs are expected. */
  isWorkedOn: () => boolean
  dispatch: (event: DeviceEvent) => void
  log: Logger
}

const reconnectEveryMs = 30_000
const silentFailures = 3
/** Milliseconds after which a call counts as hanging in `hang`. */
const hangMs = 2000

export class LinkWatch {
  /** The transport whose hanging calls trigger a rescue. */
  readonly transport: Transport
  /** The transport whose hanging calls do not trigger a rescue. */
  readonly withoutRescue: Transport
  /** Whether the phone is the phone in the record. */
  readonly tie: PhoneTie
  private readonly target: SerialTarget
  private readonly rescue: Rescue
  private link: Link = 'absent'
  private identity: DeviceIdentity | null = null
  /** The identity reported since the link came up. */
  private identityOnLink: DeviceIdentity | null = null
  private claimed: string | null = null
  private provenAt: Date | null = null
  private reconnectedAt = -Infinity

  constructor(private readonly parts: LinkWatchParts) {
    const { serial, client, isNetwork, records, links, events, log } = parts
    this.target = new SerialTarget(serial)
    this.withoutRescue = createTransport(client, this.target)
    this.rescue = createRescue({
      serial,
      client,
      transport: this.withoutRescue,
      isNetwork,
      mayReboot: () => this.mayReboot(),
      counts: () => this.link === 'online' && !parts.isWorkedOn(),
      events,
      giveUp: (reason) => parts.dispatch({ type: 'gave_up', reason }),
      log,
    })
    this.transport = createTransport(client, this.target, (outcome) => this.rescue.recordOutcome(outcome))
    const recheck = () => parts.dispatch({ type: 'restarts' })
    this.tie = new PhoneTie({ serial, transport: this.transport, records, links, recheck })
  }

  get current(): Link {
    return this.link
  }

  /** Null before the phone's first answer. */
  get known(): DeviceIdentity | null {
    return this.identity
  }

  /**
   * The public key of the identity of a phone that is not enrolled here; null when the phone has no identity, or the
   * identity was not read.
   */
  get claim(): string | null {
    return this.claimed
  }

  /** The time of the phone's last answer. */
  get proofOfLifeAt(): Date | null {
    return this.provenAt
  }

  /** Whether the last call hung. */
  get hanging(): boolean {
    return this.rescue.hanging
  }

  /** Updates the link reported by adb, and the transport while the phone is online. */
  set(link: Link, transport: TransportId | null): void {
    const moved = this.target.set(link === 'online' ? transport : null)
    // The transport changed between two lists: the phone disconnected, and a different phone may have
    // connected.
    if (moved && link === 'online' && this.link === link) this.change('absent')
    this.change(link)
  }

  private change(link: Link): void {
    if (this.link === link) return
    this.link = link
    this.claimed = null
    // A different phone may connect to the serial, unless the agent itself caused the
    // disconnect.
    const isWorkedOn = this.parts.isWorkedOn()
    const expected = this.rescue.reconnecting || isWorkedOn
    if (link === 'absent' && !expected) this.identityOnLink = null
    if (link !== 'online' && !isWorkedOn) this.tie.leave()
    this.parts.dispatch({ type: 'link', link })
  }

  /** Reads the phone's identity, in any state. */
  async identify(progress: Progress): Promise<DeviceIdentity> {
    const identity = await identify(this.transport, progress)
    this.identity = identity
    this.identityOnLink = identity
    this.provenAt = new Date()
    return identity
  }

  /** Runs the state machine's effect `identify`. */
  async identified(progress: Progress): Promise<DeviceEvent> {
    const { booted, hardwareSerial } = await this.identify(progress)
    if (!booted) return { type: 'identified', booted, enrolled: false }
    const mayRead = this.mayReadFiles(hardwareSerial)
    const standing = mayRead ? await this.tie.check(hardwareSerial, progress) : null
    this.claimed = standing === null || standing.may === 'none' ? await this.readClaim(progress) : null
    const { may, reason } = standing ?? { may: 'none' }
    return {
      type: 'identified',
      booted,
      enrolled: may === 'use',
      ...(reason === undefined ? {} : { reason }),
    }
  }

  /** Returns the claim of the phone. A phone that cannot be read makes no claim now. */
  private async readClaim(progress: Progress): Promise<string | null> {
    try {
      return await this.tie.readIdentity(progress)
    } catch (error) {
      this.parts.log.debug({ err: error }, 'the identity of a phone that is not enrolled could not be read')
      return null
    }
  }

  /** Reads the identity again. @throws ApiError when this phone is not enrolled for `intent` and must not be written to */
  async confirmEnrolled(intent: 'use' | 'wipe', progress: Progress): Promise<void> {
    const { serial, dispatch } = this.parts
    const { current } = this.target
    const { hardwareSerial } = await this.identify(progress)
    const { may, reason } = this.mayReadFiles(hardwareSerial)
      ? await this.tie.check(hardwareSerial, progress)
      : { may: 'none', reason: null }
    if (this.target.current !== current) throw new DeviceGone(serial)
    if (may === 'use' || may === intent) return
    dispatch({ type: 'restarts' })
    throw notEnrolled(serial, reason)
  }

  /**
   * Checks that the shell answers over the transport that calls use.
   * @throws Error when the shell does not answer
   */
  async echo(progress: Progress): Promise<void> {
    const word = `phonerack-${Math.floor(Math.random() * 1e9)}`
    const result = await this.transport.shell(command('echo', word), progress)
    if (result.stdout.toString('utf8').trim() !== word) throw new Error('the shell does not echo')
  }

  /** Makes enough calls exceed their deadlines to trigger a recovery step. The commands only sleep. */
  async hang(progress: Progress): Promise<void> {
    const calls = Array.from({ length: escalationRules.hangs }, () =>
      this.transport.shell(command('sleep', '30'), progress.within(hangMs)),
    )
    await Promise.allSettled(calls)
  }

  /** Must be called after a successful probe. */
  proven(): void {
    this.provenAt = new Date()
  }

  /** Reopens the connection of a connected phone that failed three times in a row, at most every 30 s. */
  reconnectWhenSilent(state: DeviceState): void {
    const failing = state.name === 'offline' && state.linked && state.failures === silentFailures
    if (!failing || this.hanging || performance.now() - this.reconnectedAt < reconnectEveryMs) return
    this.reconnectedAt = performance.now()
    void this.rescue.reconnect('the phone is connected and failed three times in a row')
  }

  /**
   * Whether the agent may read files. From a phone that was never enrolled the agent reads only properties and its
   * identity, unless the phone may be in use under another serial.
   */
  private mayReadFiles(hardwareSerial: string | null): boolean {
    const { serial, records, links } = this.parts
    return isEnrolled(records.get(serial), hardwareSerial) || links.anyInUse(serial)
  }

  private mayReboot(): boolean {
    const { identityOnLink, tie, parts } = this
    if (!identityOnLink || (tie.standing && tie.standing.may !== 'use')) return false
    return isEnrolled(parts.records.get(parts.serial), identityOnLink.hardwareSerial)
  }
}
