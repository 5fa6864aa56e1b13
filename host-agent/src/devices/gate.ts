/**
 * Admits calls to one device: lifecycle calls that raise the fencing number, writes one at a time,
 * reads concurrently. Called by `grpc/` and does not depend on it.
 */
import { ApiError, limits, Progress, type Logger } from '@phonerack/shared'
import type { Device } from '../adb/device/device.js'
import { type WipeCheck } from '../custody/wiping/checks.js'
import { asRefusal, orRefuse } from '../base/own-fault.js'
import type { FoundCapability } from '../adb/device/attempt.js'
import { notEnrolled } from './supervision/failures.js'
import type { DeviceSupervisor } from './supervision/supervisor.js'
import { Looks } from '../screen/looks.js'
import { nothingDesired } from '../phone/settings/desired.js'
import type { HostFlags } from '../custody/custody.js'
import { createFencing, type Fencing } from '../custody/fencing.js'
import type { Journal, OperationKind } from '../custody/journal.js'
import type { DeviceRecord, Records } from '../custody/records.js'
import { adoptPhone, proveIdentity, type AdoptionOrder, type Challenge, type Proof } from './adoption.js'
import { isUnreachable, joined, type Caller } from './caller.js'
import { journalled } from './journalled.js'
import { createRoom } from './room.js'
import { createTurns } from './turns.js'
import { twinCheck } from './twin-check.js'
import { createTyped } from './typed.js'
import { createWriteQueue } from './write-queue.js'

export type { Caller }

/** Milliseconds. */
const times = { read: 15_000, writeReady: 5000, lifecycle: 120_000, wipe: 10 * 60_000, abortGrace: 5000 }

const homeKey = 3

type Work<T> = (device: Device, progress: Progress) => Promise<T>

interface GateParts {
  serial: string
  supervisor: DeviceSupervisor
  records: Records
  flags: HostFlags
  journal: Journal
  newId: () => string
  log: Logger
  onChange: () => void
}

export class DeviceGate {
  readonly fencing: Fencing
  readonly typed = createTyped()
  private readonly queue = createWriteQueue()
  private readonly turns = createTurns()
  private readonly readRoom = createRoom(limits.readsRunning, 'reads')
  /** The running long writes and live views, which do not use the queue. */
  private readonly unqueuedWork = new Set<Promise<unknown>>()
  /** The running lifecycle call, for which later lifecycle calls wait. */
  private lifecycle: Promise<unknown> = Promise.resolve()
  private shown: { of: string; looks: Looks } | null = null
  private readonly running = new Map<string, Promise<unknown>>()

  constructor(private readonly parts: GateParts) {
    this.fencing = createFencing(parts.serial, parts.records, parts.flags)
  }

  /** Wakes the phone, and confirms by reading the tree and a screenshot that it responds. */
  start(caller: Caller, progress: Progress): Promise<Date> {
    this.requireEnrolled()
    return this.exclusive('start', caller, progress, async (within) => {
      const device = await this.ownPhone(within)
      this.fencing.written()
      this.supervisor.setScreenInUse(true)
      await device.power.wake(within)
      const [xml] = await Promise.all([device.ui.source(within), device.screen.png(within)])
      if (!xml.includes('<hierarchy')) {
        throw new ApiError('provider_error', {
          message: "The phone's screen could not be read.",
          details: { output: xml.slice(0, 200) },
        })
      }
      return new Date()
    })
  }

  /** Aborts running work, goes to the home screen and lets the screen sleep. */
  park(caller: Caller, progress: Progress): Promise<void> {
    this.requireEnrolled()
    return this.exclusive('park', caller, progress, async (within) => {
      const device = await this.ownPhone(within)
      await device.input.key(homeKey, 0, within)
      await device.power.sleep(within)
      this.supervisor.setScreenInUse(false)
    })
  }

  /**
   * Aborts running work and requests a restart; `start` under the same number waits for the phone
   * to return.
   */
  reboot(caller: Caller, progress: Progress): Promise<void> {
    this.requireEnrolled()
    return this.exclusive('reboot', caller, progress, async (within) => {
      const device = await this.ownPhone(within.within(times.writeReady))
      await device.power.reboot(within)
      this.supervisor.restarts()
    })
  }

  /**
   * Wipes and verifies. A repeat under the same number returns the result of the wipe that passed.
   */
  wipe(caller: Caller, progress: Progress): Promise<WipeCheck[]> {
    this.requireEnrolled('wipe')
    return this.exclusive('wipe', caller, progress, async (within) => {
      const { wiped } = this.parts.records.get(this.serial)
      if (wiped?.fencingNumber === caller.fencingNumber.toString()) return wiped.checks
      await this.supervisor.waitOnline(within.within(60_000))
      await this.supervisor.confirmEnrolled('wipe', within)
      return this.supervisor.work('wiping', () => this.runWipe(caller.fencingNumber, within))
    })
  }

  /** Records the operator's permission to write to this phone. */
  enroll(
    caller: Caller,
    progress: Progress,
  ): Promise<{ checks: WipeCheck[]; capabilities: FoundCapability[] }> {
    return this.exclusive('enroll', caller, progress, async (within) => {
      await this.supervisor.waitOnline(within.within(60_000))
      const identity = await this.supervisor.identify(within)
      const cards = await this.supervisor.cardsInTheWay(within)
      if (cards.length > 0) return { capabilities: [], checks: cards }
      const standing = await this.supervisor.tie.check(identity.hardwareSerial, within)
      const twin = (await this.supervisor.tie.twins(within))[0]
      if (twin !== undefined) return { capabilities: [], checks: [twinCheck(twin)] }
      this.fencing.enrolled({
        enrolled: true,
        hardwareSerial: identity.hardwareSerial,
        // Until the wipe writes a mark, the tenant of an earlier assignment cannot use the phone.
        mayLackMark: standing.may === 'use',
        choice: null,
        baseline: null,
        wiped: null,
      })
      return this.supervisor.work('provisioning', async () => {
        const capabilities = await this.supervisor.probe(within)
        return { capabilities, checks: await this.runWipe(caller.fencingNumber, within) }
      })
    })
  }

  /** Signs a challenge with the key of the identity that the phone carries. Only reads. */
  prove(challenge: Challenge, progress: Progress): Promise<Proof> {
    return proveIdentity(this.parts, challenge, progress)
  }

  /** Takes over a phone that was enrolled elsewhere, and returns the public key of its new identity. */
  adopt(caller: Caller, order: AdoptionOrder, progress: Progress): Promise<string> {
    const { fencing } = this
    return this.exclusive('adopt', caller, progress, (within) =>
      adoptPhone({ ...this.parts, fencing }, caller, order, within),
    )
  }

  /** Ends all work on a phone whose device moved to another host, and stops using the phone. */
  forget(caller: Caller, progress: Progress): Promise<void> {
    return this.exclusive('forget', caller, progress, () => {
      this.fencing.enrolled({ enrolled: false, marks: [], mayLackMark: false, wiped: null })
      this.supervisor.forget()
      return Promise.resolve()
    })
  }

  /** Reads the screen; retries for up to 15 seconds while the phone is unreachable. */
  read<T>(caller: Caller, progress: Progress, work: Work<T>): Promise<T> {
    return this.readRoom(() =>
      this.turns.first(async () => {
        const held = this.fencing.hold(caller)
        const within = joined(progress, held).within(times.read)
        for (;;) {
          try {
            const device = await this.supervisor.waitHealthy(within)
            return await work(device, within)
          } catch (error) {
            if (held.aborted) this.fencing.hold(caller)
            if (!isUnreachable(error) || within.expired) throw asRefusal(error)
            await within.sleep(100, 'the return of the phone')
          }
        }
      }),
    )
  }

  /**
   * Runs a read that gives way to all other calls. Returns null when another call runs or begins. Does not
   * wait for the phone.
   * @throws FencingRefused, DeviceGone
   */
  glance<T>(caller: Caller, progress: Progress, work: Work<T>): Promise<T | null> {
    return this.turns.giveWay(async (signal) => {
      const held = this.fencing.hold(caller)
      const within = joined(progress, held, signal)
      return work(await this.supervisor.waitHealthy(within.within(0)), within)
    })
  }

  /** Reads the screen after it has had time to show the effect of the last batch. */
  async readScreen<T>(caller: Caller, progress: Progress, work: Work<T>): Promise<T> {
    return this.read(caller, progress, async (device, within) => {
      await this.looks(caller).settle(device, within)
      return work(device, within)
    })
  }

  /** Returns the cached reads of the screen under this assignment. */
  looks({ phoneId, fencingNumber }: Pick<Caller, 'phoneId' | 'fencingNumber'>): Looks {
    const of = `${phoneId} ${fencingNumber}`
    if (this.shown?.of !== of) this.shown = { of, looks: new Looks() }
    return this.shown.looks
  }

  /** Drops the cached reads of the screen. */
  forgetLooks(): void {
    this.shown = null
  }

  /** Queues a write. The journal contains it before `work` starts, under `id` if given. */
  write<T>(kind: OperationKind, caller: Caller, progress: Progress, work: Work<T>, id?: string): Promise<T> {
    return this.turns.first(async () => {
      const within = joined(progress, this.fencing.hold(caller))
      return this.queue.run(within.signal, limits.writeQueueWait, async () => {
        this.fencing.hold(caller)
        const device = await this.supervisor.waitHealthy(within.within(times.writeReady))
        orRefuse(() => this.fencing.written())
        return this.journalled(kind, caller, () => work(device, within), id)
      })
    })
  }

  /**
   * Runs a long write outside the queue. The journal contains the write under `id` before `work` starts. Lifecycle
   * calls abort the write and wait for its end. `again` waits for a phone that disconnected during the write.
   */
  writeUnqueued<T>(
    kind: OperationKind,
    id: string,
    caller: Caller,
    progress: Progress,
    work: (device: Device, progress: Progress, again: (progress: Progress) => Promise<Device>) => Promise<T>,
  ): Promise<T> {
    const again = (asked: Progress) => this.supervisor.waitHealthy(asked)
    return this.turns.first(async () => {
      const within = joined(progress, this.fencing.hold(caller))
      return this.unqueued(async () => {
        const device = await this.supervisor.waitHealthy(within.within(times.writeReady))
        orRefuse(() => this.fencing.written())
        return this.journalled(kind, caller, () => work(device, within, again), id)
      })
    })
  }

  /**
   * Runs a live view for as long as the assignment lasts. The journal does not contain the view, since the
   * viewer sees its outcome. Lifecycle calls abort it and wait for its end. `work` asks for the current
   * device each time, since the phone can disconnect and return.
   * @throws FencingRefused when a newer assignment ended the view
   */
  async watch(
    caller: Caller,
    progress: Progress,
    work: (device: (progress: Progress) => Promise<Device>, within: Progress) => Promise<void>,
  ): Promise<void> {
    const held = this.fencing.hold(caller)
    const within = joined(progress, held)
    await this.unqueued(async () => {
      await this.supervisor.waitHealthy(within.within(times.writeReady))
      orRefuse(() => this.fencing.written())
      return work((asked) => this.supervisor.waitHealthy(asked), within)
    })
    if (held.aborted) this.fencing.hold(caller)
  }

  /** Registers work that lifecycle calls wait for; writes and reads do not. */
  private unqueued<T>(work: () => Promise<T>): Promise<T> {
    const mine = work()
    const ended = Promise.allSettled([mine]).finally(() => this.unqueuedWork.delete(ended))
    this.unqueuedWork.add(ended)
    return mine
  }

  get record(): DeviceRecord {
    return this.parts.records.get(this.serial)
  }

  private get serial(): string {
    return this.parts.serial
  }

  private get supervisor(): DeviceSupervisor {
    return this.parts.supervisor
  }

  private requireEnrolled(intent: 'use' | 'wipe' = 'use'): void {
    const { enrolled } = this.parts.records.get(this.serial)
    if (!enrolled) throw notEnrolled(this.serial)
    // A different phone may now have the serial of an enrolled phone.
    const { current, tie } = this.supervisor
    if (current.name !== 'unenrolled' || tie.standing?.may === intent) return
    throw notEnrolled(this.serial, current.reason)
  }

  /**
   * Returns the healthy phone, after verifying that it matches the record. The first use after a wipe changes the
   * phone's mark.
   */
  private async ownPhone(within: Progress): Promise<Device> {
    await this.supervisor.waitHealthy(within)
    await this.supervisor.confirmEnrolled('use', within)
    await this.supervisor.endShell(within)
    if (!this.fencing.custody.dirty) {
      await this.supervisor.tie.mark(within)
      this.parts.records.update(this.serial, { logMark: await this.supervisor.beginLog(within) })
    }
    return this.supervisor.waitHealthy(within)
  }

  private async runWipe(number: bigint, within: Progress): Promise<WipeCheck[]> {
    const level = this.supervisor.requireWipe()
    // A wipe that fails halfway leaves unknown data.
    this.fencing.written()
    const { tie } = this.supervisor
    const mayLackMark = tie.standing?.may === 'use'
    this.parts.records.update(this.serial, { desired: nothingDesired, keyboard: null, mayLackMark })
    const checks = await this.supervisor.wipe(within)
    for (const check of checks) this.parts.log.info({ check }, 'a wipe check ended')
    if (checks.length > 0 && checks.every(({ passed }) => passed)) {
      const { mark, twins } = await tie.mark(within)
      // The tenant of the other serial may have written data since the wipe.
      if (twins[0] !== undefined) return [...checks, twinCheck(twins[0])]
      await tie.renewIdentity(number, within)
      const wiped = { fencingNumber: number.toString(), checks }
      this.fencing.wiped(number, level, { wiped, marks: [mark], mayLackMark: false, shell: null })
      this.parts.onChange()
      await this.supervisor.sleep(within)
    }
    return checks
  }

  /**
   * Raises the fencing number, which aborts all older work, waits for that work to end, and runs `work`
   * exclusively. A repeat of a running call gets that call's result.
   */
  private exclusive<T>(
    kind: OperationKind,
    caller: Caller,
    progress: Progress,
    work: (progress: Progress) => Promise<T>,
  ): Promise<T> {
    const intent = ['wipe', 'enroll', 'adopt', 'forget'].includes(kind) ? 'erase' : 'use'
    const held = orRefuse(() => this.fencing.raise({ ...caller, intent }))
    this.parts.onChange()
    const key = `${kind} ${caller.phoneId} ${caller.fencingNumber}`
    const same = this.running.get(key)
    if (same) return progress.race(kind, () => same as Promise<T>)
    // The deadline is fixed instead of the first caller's, since repeated calls wait for the same work.
    const within = Progress.for(kind === 'wipe' || kind === 'enroll' ? times.wipe : times.lifecycle, held)
    const before = this.lifecycle
    const call = async () => {
      await within.race('the call before', () => Promise.allSettled([before]))
      await within
        .within(times.abortGrace)
        .race('the previous call', () => Promise.all([this.queue.idle(), ...this.unqueuedWork]))
      const result = await this.journalled(kind, caller, () => work(within))
      // Outcomes that an earlier agent process left unknown no longer matter: the phone is now in a known state.
      if (this.parts.records.get(this.serial).unknownOutcome) {
        this.parts.records.update(this.serial, { unknownOutcome: null })
      }
      return result
    }
    const mine = this.turns
      .first(call)
      .catch((error: unknown) => {
        // The control plane's jobs repeat these calls until they succeed.
        throw asRefusal(error)
      })
      .finally(() => this.running.delete(key))
    this.running.set(key, mine)
    this.lifecycle = Promise.allSettled([mine])
    return progress.race(kind, () => mine)
  }

  private journalled<T>(
    kind: OperationKind,
    { phoneId, fencingNumber, requestId }: Caller,
    work: () => Promise<T>,
    id: string = this.parts.newId(),
  ): Promise<T> {
    const { serial, parts } = this
    return journalled(parts.journal, { id, serial, kind, phoneId, fencingNumber, requestId }, work)
  }
}
