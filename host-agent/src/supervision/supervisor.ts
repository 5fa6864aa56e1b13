/**
 * Runs the state machine of one device: watches it, asks it who it is, prepares
 * it, probes it, and lets calls work on it. One for each serial that was ever seen.
 */
import { DeadlineExceeded, Progress, type DeviceCondition, type Logger } from '@phonerack/shared'
import type { AdbClient } from '../adb/client.js'
import { command } from '../adb/quote.js'
import { SerialTarget, type TransportId } from '../adb/target.js'
import { createTransport, type Transport } from '../adb/transport.js'
import { createCaptureHub, type CaptureHub } from '../capture/hub.js'
import type { DeviceRecord, Records } from '../custody/records.js'
import type { Jar } from '../scrcpy/jar.js'
import { createScrcpyKeeper, type ScrcpyKeeper } from '../scrcpy/keeper.js'
import { createUiServerKeeper, type UiServerKeeper } from '../ui-server/keeper.js'
import { assembleDevice, type AssembledDevice } from './assemble.js'
import { watchCondition, type ConditionWatch } from './condition.js'
import { DeviceGone, type Device, type WipeCheck } from '../device/device.js'
import { notEnrolled, reasonOf } from './failures.js'
import { identify, type DeviceIdentity } from './identify.js'
import type { FoundCapability } from '../device/attempt.js'
import { prepare, probeCapabilities } from './provision.js'
import { createCredentialMemory } from '../lock/credential-memory.js'
import { guardDevice } from './guard-device.js'
import type { LockGuard } from '../lock/guard.js'
import { recordFields, type RecordFields } from './record-fields.js'
import { createRescue, type Rescue } from './rescue.js'
import { PhoneTie } from './phone-tie.js'
import { isEnrolled, type PhoneLinks } from './same-phone.js'
import {
  entryOf,
  isSameState,
  nextState,
  type DeviceEvent,
  type DeviceState,
  type Link,
} from './state-machine.js'
import { cardsInTheWay } from '../wiping/sim.js'
import { createWipe } from '../wiping/wipe.js'

export interface SupervisorParts {
  serial: string
  client: AdbClient
  jar: Jar
  isolated: boolean
  /** adb reaches it over a network. */
  isNetwork: boolean
  /** The operator allows a SIM in it. */
  simAllowed: boolean
  /** Between two looks at its condition. */
  conditionEveryMs: number
  records: Records
  /** Of all devices of this host. */
  links: PhoneLinks
  log: Logger
  /** Called after each change that others want to know of. */
  onChange: () => void
}

const reconnectEveryMs = 30_000
const silentFailures = 3
const conditionMs = 15_000

export class DeviceSupervisor {
  readonly transport: Transport
  /** Whether it is the phone that its record describes. */
  readonly tie: PhoneTie
  private readonly target: SerialTarget
  private readonly fields: RecordFields
  private readonly rescue: Rescue
  private readonly watch: ConditionWatch
  private readonly credentials = createCredentialMemory()
  private readonly lockGuard: LockGuard
  private readonly keeper: ScrcpyKeeper
  private readonly capture: CaptureHub
  private readonly uiServer: UiServerKeeper
  private state: DeviceState = { name: 'absent' }
  private stateSince = performance.now()
  private link: Link = 'absent'
  private entry: { timers: NodeJS.Timeout[]; control: AbortController } | null = null
  private identity: DeviceIdentity | null = null
  private provenAt: Date | null = null
  private assembled: AssembledDevice | null = null
  private readonly waiters = new Set<() => void>()
  private stopped = false
  /** A tenant may have its screen in front: false once it is parked. */
  private screenInUse = true
  private reconnectedAt = -Infinity
  /** As it was said on this link. */
  private identityOnLink: DeviceIdentity | null = null

  constructor(private readonly parts: SupervisorParts) {
    const { serial, client, isNetwork, records } = parts
    const fields = recordFields(records, serial)
    this.fields = fields
    const noteEvents = (events: DeviceRecord['events']) => {
      fields.events.set(events)
      parts.onChange()
    }
    this.target = new SerialTarget(serial)
    const withoutRescue = createTransport(client, this.target)
    this.rescue = createRescue({
      serial,
      client,
      transport: withoutRescue,
      isNetwork,
      mayReboot: () => this.mayReboot(),
      counts: () =>
        this.link === 'online' && !(this.state.name === 'busy' && this.state.owner === 'operation'),
      events: { get: fields.events.get, set: noteEvents },
      giveUp: (reason) => this.happen({ type: 'gave_up', reason }),
      log: parts.log,
    })
    this.transport = createTransport(client, this.target, (outcome) => this.rescue.saw(outcome))
    const recheck = () => this.restarts()
    this.tie = new PhoneTie({ serial, transport: this.transport, records, links: parts.links, recheck })
    this.watch = watchCondition(this.transport, parts.conditionEveryMs)
    this.lockGuard = guardDevice({
      // Without the rescue: a look that hangs is only missed.
      transport: withoutRescue,
      memory: this.credentials,
      watches: () => this.watchesLock(),
      watch: this.watch,
      events: { get: fields.events.get, set: noteEvents },
      onChange: parts.onChange,
      log: parts.log,
    })
    this.keeper = createScrcpyKeeper(this.transport, parts.jar, parts.log)
    const { isolated, log, jar } = parts
    this.capture = createCaptureHub({ transport: this.transport, jar, log })
    this.uiServer = createUiServerKeeper({ transport: this.transport, isolated, log })
  }

  get current(): DeviceState {
    return this.state
  }

  /** Who it said it was; null before its first answer. */
  get known(): DeviceIdentity | null {
    return this.identity
  }

  /** When it last answered. */
  get proofOfLifeAt(): Date | null {
    return this.provenAt
  }

  get record(): DeviceRecord {
    return this.parts.records.get(this.parts.serial)
  }

  /** How it was when it was last looked at; null: not yet. */
  get condition(): DeviceCondition | null {
    return this.watch.latest
  }

  /** The device while it is healthy or worked on; null otherwise. */
  get device(): Device | null {
    return this.state.name === 'healthy' || this.state.name === 'busy' ? this.assembled : null
  }

  /** What the adb server says of it, and where it is when it is online. */
  setLink(link: Link, transport: TransportId | null): void {
    const moved = this.target.lead(link === 'online' ? transport : null)
    // A connection that another one replaced between two lists: the phone has left, and another may have come.
    if (moved && link === 'online' && this.link === link) this.changeLink('absent')
    this.changeLink(link)
  }

  private changeLink(link: Link): void {
    if (this.link === link) return
    this.link = link
    // Another phone may come to the serial, unless it was us who made this one go.
    const busy = this.state.name === 'busy' && this.state.owner === 'operation'
    const expected = this.rescue.reconnecting || busy
    if (link === 'absent' && !expected) this.identityOnLink = null
    if (link !== 'online' && !busy) this.tie.leave()
    this.happen({ type: 'link', link })
  }

  /** @throws DeviceGone when it is not healthy within the time */
  waitHealthy(progress: Progress): Promise<Device> {
    const healthy = () => (this.state.name === 'healthy' ? this.assembled : null)
    return this.waitFor(healthy, 'the phone to be healthy', () => `it is ${this.state.name}`, progress)
  }

  /** @throws DeviceGone when adb does not reach it within the time */
  async waitOnline(progress: Progress): Promise<void> {
    const online = () => (this.link === 'online' ? this.link : null)
    await this.waitFor(online, 'the phone to be connected', () => `adb says it is ${this.link}`, progress)
  }

  private async waitFor<T>(
    find: () => T | null,
    what: string,
    instead: () => string,
    progress: Progress,
  ): Promise<T> {
    for (;;) {
      const found = find()
      if (found !== null) return found
      if (this.stopped || progress.expired) throw new DeviceGone(this.parts.serial, new Error(instead()))
      try {
        await progress.race(what, () => this.changed())
      } catch (error) {
        if (!(error instanceof DeadlineExceeded)) throw error
      }
    }
  }

  /** Reads who it is, whatever its state. */
  async identify(progress: Progress): Promise<DeviceIdentity> {
    const identity = await identify(this.transport, progress)
    this.identity = identity
    this.identityOnLink = identity
    this.provenAt = new Date()
    return identity
  }

  /** Asks it who it is. @throws ApiError when this very phone may not be used so, and must not be written to */
  async confirmEnrolled(intent: 'use' | 'wipe', progress: Progress): Promise<void> {
    const { current } = this.target
    const { hardwareSerial } = await this.identify(progress)
    const { may, reason } = await this.tie.check(hardwareSerial, progress)
    if (this.target.current !== current) throw new DeviceGone(this.parts.serial)
    if (may === 'use' || may === intent) return
    this.restarts()
    throw notEnrolled(this.parts.serial, reason)
  }

  /** What no wipe would remove from it; empty when nothing stands in the way of an enrolment. Only reads. */
  cardsInTheWay(progress: Progress): Promise<WipeCheck[]> {
    return cardsInTheWay(this.transport, this.parts.simAllowed, progress)
  }

  /** Tries what the phone can do and remembers the choice. Only inside `work`. */
  async probe(progress: Progress): Promise<FoundCapability[]> {
    const { choice, capabilities } = await probeCapabilities(
      this.transport.pinned(),
      this.helpers,
      this.identity?.sdk ?? null,
      progress,
    )
    this.parts.records.update(this.parts.serial, { choice })
    this.assemble()
    return capabilities
  }

  /** A call's work with the right to write, for as long as `run` takes. The caller has the operator's consent. */
  async work<T>(
    work: 'provisioning' | 'wiping',
    run: (device: () => Device | null) => Promise<T>,
  ): Promise<T> {
    this.happen({ type: 'work_begins', work })
    this.tie.use()
    let failure: string | null = 'the work on the device did not end'
    try {
      const result = await run(() => this.assembled)
      failure = null
      return result
    } catch (error) {
      failure = reasonOf(error)
      throw error
    } finally {
      if (this.link !== 'online') this.tie.leave()
      this.happen({ type: 'work_ends', link: this.link, failure })
    }
  }

  /** A restart has begun, or another phone may be there: nobody gets it until it was identified and prepared again. */
  restarts(): void {
    this.happen({ type: 'restarts' })
  }

  /** Prepares the phone as its record says; also after a wipe took everything away. */
  async prepare(progress: Progress): Promise<void> {
    await prepare(this.transport.pinned(), this.helpers, this.record.choice, progress)
    this.assemble()
    await this.assembled?.location?.keep(progress)
    await this.assembled?.borrowed.keep(progress)
  }

  /** A tenant has the phone's screen from now on, or no longer. */
  setScreenInUse(inUse: boolean): void {
    this.screenInUse = inUse
  }

  stop(): void {
    this.stopped = true
    this.lockGuard.stop()
    this.leave()
    this.stopHelpers()
    this.wakeWaiters()
  }

  /** Nothing between a wipe and the first write after it. */
  private watchesLock(): 'nothing' | 'lock' | 'screen' {
    if (this.state.name !== 'healthy' || !this.record.enrolled || this.record.wiped) return 'nothing'
    return this.screenInUse ? 'screen' : 'lock'
  }

  private get helpers() {
    const { keeper, capture, uiServer } = this
    return { keeper, capture, uiServer, log: this.parts.log }
  }

  private stopHelpers(): void {
    this.keeper.stop()
    this.capture.stop('the phone accepts no calls now')
    this.uiServer.stop()
  }

  private assemble(): void {
    const { choice } = this.record
    if (!choice) return
    const wipe = createWipe({
      transport: this.transport,
      quiet: () => this.stopHelpers(),
      provision: (progress) => this.prepare(progress),
      control: () => this.keeper.current,
      simAllowed: this.parts.simAllowed,
      clearLock: (progress) => this.lockGuard.clear(progress),
      baseline: this.fields.baseline,
    })
    this.assembled = assembleDevice({
      // No call for this phone reaches one that comes to the serial after it.
      transport: this.transport.pinned(),
      choice,
      keeper: this.keeper,
      capture: this.capture,
      uiServer: this.uiServer,
      log: this.parts.log,
      wipe,
      desired: this.fields.desired,
      keyboard: this.fields.keyboard,
      defaultZone: () => this.record.baseline?.timezone ?? null,
      credentials: this.credentials,
    })
  }

  /** A phone that is connected and fails three times in a row: its connection is opened anew, every 30 s at most. */
  private async reconnect(): Promise<void> {
    if (performance.now() - this.reconnectedAt < reconnectEveryMs) return
    this.reconnectedAt = performance.now()
    await this.rescue.reconnect('it is connected and failed three times in a row')
  }

  private happen(event: DeviceEvent): void {
    if (this.stopped) return
    const before = this.state
    const next = nextState(before, event)
    this.state = next
    if (!isSameState(next, before)) {
      this.stateSince = performance.now()
      this.parts.log.info({ from: before.name, to: next }, 'device state')
    }
    if (next.name === 'absent' || next.name === 'unauthorized') this.stopHelpers()
    const failing = next.name === 'offline' && next.linked && next.failures === silentFailures
    if (failing && !this.rescue.hanging) void this.reconnect()
    // An effect that ended without a change is begun again too.
    if (next !== before || event.type !== 'link') this.enter()
    this.wakeWaiters()
    this.parts.onChange()
  }

  private leave(): void {
    for (const timer of this.entry?.timers ?? []) clearTimeout(timer)
    this.entry?.control.abort()
    this.entry = null
  }

  private enter(): void {
    this.leave()
    const { state } = this
    const { effect, afterMs, limitMs, lastsMs } = entryOf(state, Math.random())
    if (effect === 'none') return
    const control = new AbortController()
    const again = state.name === 'booting' && performance.now() - this.stateSince > 100 ? 300 : 0
    const timers = [
      setTimeout(() => void this.runEffect(effect, limitMs, control.signal), Math.max(afterMs, again)),
    ]
    if (lastsMs !== null) {
      const left = this.stateSince + lastsMs - performance.now()
      timers.push(setTimeout(() => this.happen({ type: 'timed_out' }), Math.max(0, left)))
    }
    this.entry = { timers, control }
  }

  /** Runs what a state's entry begins; its outcome counts only while that state lasts. */
  private async runEffect(
    effect: 'identify' | 'provision' | 'probe',
    limitMs: number,
    signal: AbortSignal,
  ): Promise<void> {
    let event: DeviceEvent
    try {
      event = await this.perform(effect, Progress.for(limitMs, signal))
    } catch (error) {
      event = { type: 'failed', reason: reasonOf(error), hung: this.rescue.hanging }
    }
    if (!signal.aborted) this.happen(event)
  }

  private async perform(
    effect: 'identify' | 'provision' | 'probe',
    progress: Progress,
  ): Promise<DeviceEvent> {
    if (effect === 'identify') {
      const identity = await this.identify(progress)
      const { booted, hardwareSerial } = identity
      // Nothing but properties is read of a phone that was never enrolled, unless it may be one that is in use.
      const isOurs = isEnrolled(this.record, hardwareSerial)
      const isKnown = isOurs || this.parts.links.anyInUse(this.parts.serial)
      if (!booted || !isKnown) return { type: 'identified', booted, enrolled: false }
      const { may, reason } = await this.tie.check(hardwareSerial, progress)
      return { type: 'identified', booted, enrolled: may === 'use', reason }
    }
    if (effect === 'provision') {
      await this.tie.adopt(progress)
      if (this.record.choice) await this.prepare(progress)
      else await this.probe(progress)
      return { type: 'provisioned' }
    }
    await this.echo(progress)
    void this.lookAtCondition()
    return { type: 'probe_passed' }
  }

  /** Beside the probe, which has less time; a look that fails waits for the next probe. */
  private async lookAtCondition(): Promise<void> {
    try {
      if (!(await this.watch.look(Progress.for(conditionMs)))) return
      const warnings = this.condition?.warnings ?? []
      if (warnings.length > 0) this.parts.log.warn({ warnings }, 'the device needs care')
      if (!this.stopped) this.parts.onChange()
    } catch (error) {
      this.parts.log.info({ err: error }, 'could not read the condition of the device')
    }
  }

  /** The active probe: the shell answers through the way that calls take, and the input server stands. */
  private async echo(progress: Progress): Promise<void> {
    const word = `phonerack-${Math.floor(Math.random() * 1e9)}`
    const result = await this.transport.shell(command('echo', word), progress)
    if (result.stdout.toString('utf8').trim() !== word) throw new Error('the shell does not echo')
    if (this.record.choice?.input === 'scrcpy') await this.keeper.socket(progress)
    await this.assembled?.location?.keep(progress)
    await this.assembled?.borrowed.keep(progress)
    this.provenAt = new Date()
  }

  private mayReboot(): boolean {
    const { identityOnLink, tie } = this
    if (!identityOnLink || (tie.standing && tie.standing.may !== 'use')) return false
    return isEnrolled(this.record, identityOnLink.hardwareSerial)
  }

  private changed(): Promise<void> {
    return new Promise((resolve) => this.waiters.add(resolve))
  }

  private wakeWaiters(): void {
    const waiting = [...this.waiters]
    this.waiters.clear()
    for (const waiter of waiting) waiter()
  }
}
