/**
 * Supervises one device: its state (`runner.ts`), its link (`link-watch.ts`), its preparation
 * (`preparation.ts`) and its wipe. There is one supervisor per serial that adb has listed or that has a
 * record.
 */
import { ApiError, type DeviceCondition, type Progress, type Logger } from '@phonerack/shared'
import type { AdbClient } from '../../adb/client.js'
import type { AgentTimes } from '../../base/times.js'
import type { Transport } from '../../adb/transport.js'
import type { TransportId } from '../../adb/target.js'
import type { WipeLevel } from '../../custody/custody.js'
import type { DeviceRecord, Records } from '../../custody/records.js'
import type { FoundCapability } from '../../adb/device/attempt.js'
import type { Device } from '../../adb/device/device.js'
import type { Observation } from '../../phone/logs/event-line.js'
import { beginLog } from '../../phone/logs/mark.js'
import { EventWatch } from '../../phone/logs/watch.js'
import { createPower } from '../../phone/shell/power.js'
import { createCredentialMemory } from '../../phone/lock/credential-memory.js'
import { countWipe, type WipeOutcome } from '../../base/metrics/instruments.js'
import type { Jar } from '../../capture/scrcpy/jar.js'
import type { WipeCheck } from '../../custody/wiping/checks.js'
import { cardsInTheWay } from '../../custody/wiping/sim.js'
import { wipe } from '../../custody/wiping/wipe.js'
import { DeviceCare } from './care.js'
import { reasonOf } from './failures.js'
import type { DeviceIdentity } from './identify.js'
import type { PhoneKind } from './kinds.js'
import { LinkWatch } from './link-watch.js'
import type { PhoneTie } from './phone-tie.js'
import { Preparation } from './preparation.js'
import { recordFields, type RecordFields } from './record-fields.js'
import { StateRunner } from './runner.js'
import { ShellUse } from './shell-use.js'
import type { PhoneLinks } from './same-phone.js'
import type { DeviceEvent, DeviceState, Effect, Link } from './state-machine.js'

/** Milliseconds for a restart by a command, and then for adbd to begin a restart. */
const [restartMs, goingDownMs] = [20_000, 3000]

interface SupervisorParts {
  serial: string
  client: AdbClient
  /** Null when this host has no scrcpy server. */
  jar: Jar | null
  isolated: boolean
  /** Whether observations use a signal of the screen's drawings. */
  withMotion: boolean
  /** Whether adb reaches the phone over a network. */
  isNetwork: boolean
  /** Whether the operator allows a SIM in the phone. */
  simAllowed: boolean
  /** Milliseconds between condition checks. */
  conditionEveryMs: number
  /** The kinds of phones on which tenants may run shell commands. */
  shellKinds: readonly PhoneKind[]
  /** When omitted, the product's intervals apply. */
  times?: AgentTimes | undefined
  /** Whether work failed by a fault of this host, which says nothing about the phone. */
  isHostFault: (error: unknown) => boolean
  records: Records
  /** The links of all devices of this host. */
  links: PhoneLinks
  log: Logger
  /** Called for each crash and notification of a rented phone, and again after a restart of the agent. */
  onObservation: (observation: Observation) => void
  /** Called after each change of the device's status. */
  onChange: () => void
}

export class DeviceSupervisor {
  private readonly fields: RecordFields
  private readonly runner: StateRunner
  private readonly link: LinkWatch
  private readonly preparation: Preparation
  private readonly care: DeviceCare
  private readonly watch: EventWatch
  private readonly shellUse: ShellUse

  constructor(private readonly parts: SupervisorParts) {
    const { serial, records, log, onChange } = parts
    this.fields = recordFields(records, serial, onChange)
    const { events } = this.fields
    const credentials = createCredentialMemory()
    this.runner = new StateRunner({
      serial,
      perform: (effect, progress) => this.perform(effect, progress),
      hanging: () => this.link.hanging,
      isHostFault: parts.isHostFault,
      unenrolledMs: parts.times?.unenrolled,
      entering: (state) => this.entering(state),
      onChange,
      log,
    })
    const dispatch = (event: DeviceEvent) => this.runner.dispatch(event)
    this.link = new LinkWatch({ ...parts, events, isWorkedOn: () => this.runner.isWorkedOn, dispatch })
    const { transport, withoutRescue } = this.link
    const { fields } = this
    this.shellUse = new ShellUse({
      kinds: parts.shellKinds,
      known: () => this.known,
      tie: this.tie,
      record: fields.shell,
      log,
    })
    this.preparation = new Preparation({ ...parts, transport, fields, credentials, shellUse: this.shellUse })
    const { onObservation } = parts
    this.watch = new EventWatch({ transport: withoutRescue, onObservation, log })
    this.care = new DeviceCare({
      ...parts,
      transport,
      withoutRescue,
      credentials,
      events,
      isRented: () => this.isRented(),
    })
  }

  get current(): DeviceState {
    return this.runner.current
  }

  /** Whether the phone is the phone in the record. */
  get tie(): PhoneTie {
    return this.link.tie
  }

  /** The phone's identity; null before its first answer. */
  get known(): DeviceIdentity | null {
    return this.link.known
  }

  /**
   * The public key of the identity of a phone that is not enrolled here; null when the phone has no identity, or the
   * identity was not read.
   */
  get claim(): string | null {
    return this.current.name === 'unenrolled' ? this.link.claim : null
  }

  /** The time of the phone's last answer. */
  get proofOfLifeAt(): Date | null {
    return this.link.proofOfLifeAt
  }

  get record(): DeviceRecord {
    return this.parts.records.get(this.parts.serial)
  }

  /** The latest condition; null before the first check. */
  get condition(): DeviceCondition | null {
    return this.care.condition
  }

  /** Updates the link reported by adb, and the transport while the phone is online. */
  setLink(link: Link, transport: TransportId | null): void {
    this.link.set(link, transport)
  }

  /**
   * Waits for the healthy phone.
   * @throws DeviceGone when the phone is not healthy before `progress` ends
   */
  waitHealthy(progress: Progress): Promise<Device> {
    const healthy = () => (this.current.name === 'healthy' ? this.preparation.device : null)
    const instead = () => `the phone is ${this.current.name}`
    return this.runner.waitFor(healthy, 'the recovery of the phone', instead, progress)
  }

  /** Waits for a connected phone. @throws DeviceGone when adb does not reach the phone before `progress` ends */
  async waitOnline(progress: Progress): Promise<void> {
    const online = () => (this.link.current === 'online' ? this.link.current : null)
    const instead = () => `adb reports the phone as ${this.link.current}`
    await this.runner.waitFor(online, 'the connection of the phone', instead, progress)
  }

  /** Reads the phone's identity, in any state. */
  identify(progress: Progress): Promise<DeviceIdentity> {
    return this.link.identify(progress)
  }

  /** Reads the identity again. @throws ApiError when this phone is not enrolled for `intent` and must not be written to */
  confirmEnrolled(intent: 'use' | 'wipe', progress: Progress): Promise<void> {
    return this.link.confirmEnrolled(intent, progress)
  }

  /** Returns the cards in the phone: a wipe does not remove them, so they prevent an enrolment. Only reads. */
  cardsInTheWay(progress: Progress): Promise<WipeCheck[]> {
    return cardsInTheWay(this.link.transport, this.parts.simAllowed, progress)
  }

  /** Runs work that may write to the phone, with the operator's consent. */
  async work<T>(work: 'provisioning' | 'wiping', run: () => Promise<T>): Promise<T> {
    this.runner.dispatch({ type: 'work_begins', work })
    this.tie.use()
    let failure: string | null = 'the work on the device did not end'
    try {
      const result = await run()
      failure = null
      return result
    } catch (error) {
      failure = reasonOf(error)
      throw error
    } finally {
      const link = this.link.current
      if (link !== 'online') this.tie.leave()
      this.runner.dispatch({ type: 'work_ends', link, failure })
    }
  }

  /** Tests the phone's capabilities and stores the selected implementations. Must be called inside `work`. */
  probe(progress: Progress): Promise<FoundCapability[]> {
    return this.preparation.probe(this.known?.sdk ?? null, progress)
  }

  /**
   * Returns the guarantee of a wipe of this phone. @throws ApiError feature_unavailable when the phone cannot be wiped
   */
  requireWipe(): WipeLevel {
    if (this.record.choice?.wipe === 'testharness') return 'data'
    throw new ApiError('feature_unavailable', { message: 'This phone does not support a wipe.' })
  }

  /** Wipes the phone, prepares it and verifies the wipe. Must be called inside `work`, after `requireWipe`. */
  async wipe(progress: Progress): Promise<WipeCheck[]> {
    const startedAt = performance.now()
    let outcome: WipeOutcome = 'failed'
    try {
      const checks = await this.runWipe(progress)
      outcome = checks.length > 0 && checks.every(({ passed }) => passed) ? 'verified' : 'not_verified'
      return checks
    } finally {
      countWipe(outcome, (performance.now() - startedAt) / 1000)
    }
  }

  private async runWipe(progress: Progress): Promise<WipeCheck[]> {
    const { preparation, care, fields, parts } = this
    await this.endShellForWipe(progress)
    return wipe(
      {
        transport: this.link.transport,
        quiet: () => preparation.stop(),
        provision: (within) => preparation.prepare(within),
        control: () => preparation.control,
        simAllowed: parts.simAllowed,
        clearLock: (transport, within) => care.clearLock(transport, within),
        baseline: fields.baseline,
      },
      progress,
    )
  }

  /**
   * Ends the processes that a tenant's shell commands left; restarts the phone if some remain. The phone is then prepared again
   * before use.
   */
  async endShell(progress: Progress): Promise<void> {
    if (!this.fields.shell.get()?.mayHaveLeft) return
    const transport = this.link.transport.pinned()
    // The agent's programs run as the same user.
    this.preparation.stop()
    if ((await this.shellUse.end(transport, progress)) === 'left') {
      this.parts.log.warn('the processes of a tenant could not be ended, so the phone restarts')
      await this.restartFull(transport, progress)
    }
    this.restarts()
  }

  /**
   * Restarts a phone that may be unable to start another process. Such a phone cannot run the command of a restart, so
   * adbd restarts it.
   */
  private async restartFull(transport: Transport, progress: Progress): Promise<void> {
    try {
      await createPower(transport).reboot(progress.within(restartMs))
    } catch (error) {
      this.parts.log.warn({ err: error }, 'the phone did not restart by a command')
      await transport.reboot(progress)
      await progress.sleep(goingDownMs, 'the shutdown of the phone')
    }
  }

  /**
   * Ends the processes that a tenant's commands left. A failure does not prevent the wipe, which restarts the phone
   * anyway.
   */
  private async endShellForWipe(progress: Progress): Promise<void> {
    const { log } = this.parts
    try {
      await this.shellUse.end(this.link.transport.pinned(), progress)
    } catch (error) {
      log.warn({ err: error }, 'the processes of a tenant could not be ended before the wipe')
    }
  }

  /** Empties the phone's log. Returns the line after which the next phone's lines begin. */
  beginLog(progress: Progress): Promise<string | null> {
    this.watch.forget()
    return beginLog(this.link.transport, this.parts.log, progress)
  }

  /** Turns the screen off, if the phone is prepared. Must be called inside `work`. */
  async sleep(progress: Progress): Promise<void> {
    await this.preparation.device?.power.sleep(progress)
  }

  /**
   * Must be called when a restart has begun or the phone may be a different phone, which is identified and
   * prepared again before use.
   */
  restarts(): void {
    this.runner.dispatch({ type: 'restarts' })
  }

  /** Makes calls hang, so that the next recovery step runs. For an acceptance run. */
  hang(progress: Progress): Promise<void> {
    return this.link.hang(progress)
  }

  /** Returns the tree by `uiautomator dump`, without the UI server, for an acceptance run. */
  treeByDump(progress: Progress): Promise<string> {
    return this.preparation.treeByDump(progress)
  }

  /**
   * Ends the agent's programs on the phone, and identifies the phone again. Must be called when the phone's
   * record is no longer enrolled.
   */
  forget(): void {
    this.preparation.stop()
    this.tie.leave()
    this.restarts()
  }

  /** Sets whether a tenant uses the phone's screen. */
  setScreenInUse(inUse: boolean): void {
    this.care.setScreenInUse(inUse)
    this.watchEvents()
  }

  stop(): void {
    this.care.stop()
    this.watch.stop()
    this.runner.stop()
    this.preparation.stop()
  }

  private entering(state: DeviceState): void {
    if (state.name === 'absent' || state.name === 'unauthorized') this.preparation.stop()
    this.link.reconnectWhenSilent(state)
    this.watchEvents()
  }

  /** Watches the phone's events while a tenant uses it. */
  private watchEvents(): void {
    if (this.isRented() && this.care.isScreenInUse) this.watch.start()
    else this.watch.stop()
  }

  private async perform(effect: Effect, progress: Progress): Promise<DeviceEvent> {
    switch (effect) {
      case 'identify':
        return this.link.identified(progress)
      case 'provision':
        await this.tie.adopt(progress)
        if (this.record.choice) await this.preparation.prepare(progress)
        else await this.probe(progress)
        return { type: 'provisioned' }
      case 'probe':
        await this.link.echo(progress)
        await this.preparation.check(progress)
        this.link.proven()
        // The condition check is not awaited, because it may take longer than a probe.
        void this.care.checkCondition()
        return { type: 'probe_passed' }
    }
  }

  /** Whether a tenant may use the phone; false between a wipe and the first write after it. */
  private isRented(): boolean {
    const { enrolled, wiped } = this.record
    return this.current.name === 'healthy' && enrolled && !wiped
  }
}
