/**
 * What calls do with one device: lifecycle calls that raise the fencing number,
 * writes one at a time, reads beside them. Called by `grpc/`; knows nothing of it.
 */
import { ApiError, DeadlineExceeded, limits, ownNow, Progress, type Logger } from '@phonerack/shared'
import { DeviceGone, type Device } from '../device/device.js'
import { type WipeCheck } from '../wiping/checks.js'
import type { FoundCapability } from '../device/attempt.js'
import { notEnrolled } from '../supervision/failures.js'
import { sameAs } from '../supervision/same-phone.js'
import type { DeviceSupervisor } from '../supervision/supervisor.js'
import { nothingDesired } from '../settings/desired.js'
import type { HostFlags } from '../custody/custody.js'
import { createFencing, type Fencing } from '../custody/fencing.js'
import type { Journal, OperationKind } from '../custody/journal.js'
import type { Records } from '../custody/records.js'
import { createWriteQueue } from './write-queue.js'

/** Who calls, and by which right. */
export interface Caller {
  phoneId: string
  /** Whose phone it is; empty: not known. */
  tenant: string
  /** The phone ran before: its data must be on the device. An older control plane does not say it. */
  hasData?: boolean | undefined
  fencingNumber: bigint
  requestId: string
}

/** Milliseconds. */
const times = { read: 15_000, writeReady: 5000, lifecycle: 120_000, wipe: 10 * 60_000, abortGrace: 5000 }

const homeKey = 3

export interface GateParts {
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
  private readonly queue = createWriteQueue()
  /** Long writes that others do not wait for. */
  private readonly besides = new Set<Promise<unknown>>()
  /** The lifecycle call that runs, and which later ones wait for. */
  private lifecycle: Promise<unknown> = Promise.resolve()
  /** By `ownNow`: until then the screen may still follow what the last batch sent. */
  screenSettlesAt = -Infinity
  private readonly running = new Map<string, Promise<unknown>>()

  constructor(private readonly parts: GateParts) {
    this.fencing = createFencing(parts.serial, parts.records, parts.flags)
  }

  /** Wakes the phone and proves by tree and picture that it answers. */
  start(caller: Caller, progress: Progress): Promise<Date> {
    this.requireEnrolled()
    return this.alone('start', caller, progress, async (within) => {
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

  /** Ends what runs, goes home and lets the screen sleep. */
  park(caller: Caller, progress: Progress): Promise<void> {
    this.requireEnrolled()
    return this.alone('park', caller, progress, async (within) => {
      const device = await this.ownPhone(within)
      await device.input.key(homeKey, 0, within)
      await device.power.sleep(within)
      this.supervisor.setScreenInUse(false)
    })
  }

  /** Ends what runs and orders a restart; `start` under the same number waits for the phone's return. */
  reboot(caller: Caller, progress: Progress): Promise<void> {
    this.requireEnrolled()
    return this.alone('reboot', caller, progress, async (within) => {
      const device = await this.ownPhone(within.within(times.writeReady))
      await device.power.reboot(within)
      this.supervisor.restarts()
    })
  }

  /** Wipes and verifies; the answer of a wipe that passed under the same number is given again. */
  wipe(caller: Caller, progress: Progress): Promise<WipeCheck[]> {
    this.requireEnrolled('wipe')
    return this.alone('wipe', caller, progress, async (within) => {
      const { wiped } = this.parts.records.get(this.serial)
      if (wiped?.fencingNumber === caller.fencingNumber.toString()) return wiped.checks
      await this.supervisor.waitOnline(within.within(60_000))
      await this.supervisor.confirmEnrolled('wipe', within)
      return this.supervisor.work('wiping', () => this.runWipe(caller.fencingNumber, within))
    })
  }

  /** The operator gives this phone to us: from here on it may be written to. */
  enroll(
    caller: Caller,
    progress: Progress,
  ): Promise<{ checks: WipeCheck[]; capabilities: FoundCapability[] }> {
    return this.alone('enroll', caller, progress, async (within) => {
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
        // Until the wipe gives it a mark, it is no phone for the tenant of an earlier assignment.
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

  /** A read of the screen: tried again while the phone is away, 15 s at most. */
  async read<T>(
    caller: Caller,
    progress: Progress,
    work: (device: Device, progress: Progress) => Promise<T>,
  ): Promise<T> {
    const held = this.fencing.hold(caller)
    const within = joined(progress, held).within(times.read)
    for (;;) {
      try {
        const device = await this.supervisor.waitHealthy(within)
        return await work(device, within)
      } catch (error) {
        if (held.aborted) this.fencing.hold(caller)
        if (!isUnreachable(error) || within.expired) throw error
        await within.sleep(100, 'the phone to be back')
      }
    }
  }

  /** A read that sees what the last batch did: made after the screen had time to follow it. */
  async readScreen<T>(
    caller: Caller,
    progress: Progress,
    work: (device: Device, progress: Progress) => Promise<T>,
  ): Promise<T> {
    return this.read(caller, progress, async (device, within) => {
      const left = this.screenSettlesAt - ownNow()
      if (left > 0) await within.sleep(left, 'waiting for the screen to follow')
      return work(device, within)
    })
  }

  /** A write, in its turn. It is in the journal, under `id` when it has one of its own, before `work` is called. */
  async write<T>(
    kind: OperationKind,
    caller: Caller,
    progress: Progress,
    work: (device: Device, progress: Progress) => Promise<T>,
    id?: string,
  ): Promise<T> {
    const held = this.fencing.hold(caller)
    const within = joined(progress, held)
    return this.queue.run(within.signal, limits.writeQueueWait, async () => {
      this.fencing.hold(caller)
      const device = await this.supervisor.waitHealthy(within.within(times.writeReady))
      this.fencing.written()
      return this.journalled(kind, caller, () => work(device, within), id)
    })
  }

  /**
   * A long write that does not wait for its turn and keeps nobody waiting, in the journal under `id` before `work` is
   * called. Lifecycle calls abort it and wait for its end. `again` waits for the phone after it left in the middle.
   */
  async beside<T>(
    kind: OperationKind,
    id: string,
    caller: Caller,
    progress: Progress,
    work: (device: Device, progress: Progress, again: (progress: Progress) => Promise<Device>) => Promise<T>,
  ): Promise<T> {
    const within = joined(progress, this.fencing.hold(caller))
    const again = (asked: Progress) => this.supervisor.waitHealthy(asked)
    return this.unqueued(async () => {
      const device = await this.supervisor.waitHealthy(within.within(times.writeReady))
      this.fencing.written()
      return this.journalled(kind, caller, () => work(device, within, again), id)
    })
  }

  /**
   * A person's view, as long as the assignment lasts: not in the journal, since a person sees what became of it.
   * Lifecycle calls abort it and wait for its end. `work` gets the device each time anew: it may go and come back.
   * @throws FencingRefused when a newer assignment ended it
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
      this.fencing.written()
      return work((asked) => this.supervisor.waitHealthy(asked), within)
    })
    if (held.aborted) this.fencing.hold(caller)
  }

  /** What lifecycle calls wait for, and nobody else. */
  private unqueued<T>(work: () => Promise<T>): Promise<T> {
    const mine = work()
    const ended = Promise.allSettled([mine]).finally(() => this.besides.delete(ended))
    this.besides.add(ended)
    return mine
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
    // Another phone may have come to the serial of an enrolled one.
    const { current, tie } = this.supervisor
    if (current.name !== 'unenrolled' || tie.standing?.may === intent) return
    throw notEnrolled(this.serial, current.reason)
  }

  /** The healthy phone, once it was seen to be that of the record. Its first use after a wipe changes its mark. */
  private async ownPhone(within: Progress): Promise<Device> {
    await this.supervisor.waitHealthy(within)
    await this.supervisor.confirmEnrolled('use', within)
    if (!this.fencing.custody.dirty) await this.supervisor.tie.mark(within)
    return this.supervisor.waitHealthy(within)
  }

  private async runWipe(number: bigint, within: Progress): Promise<WipeCheck[]> {
    const level = this.supervisor.requireWipe()
    // One that breaks off leaves nobody knows what.
    this.fencing.written()
    const { tie } = this.supervisor
    const mayLackMark = tie.standing?.may === 'use'
    this.parts.records.update(this.serial, { desired: nothingDesired, keyboard: null, mayLackMark })
    const checks = await this.supervisor.wipe(within)
    for (const check of checks) this.parts.log.info({ check }, 'wipe check')
    if (checks.length > 0 && checks.every(({ passed }) => passed)) {
      const { mark, twins } = await tie.mark(within)
      // The tenant of the other serial may have written since the wipe.
      if (twins[0] !== undefined) return [...checks, twinCheck(twins[0])]
      const wiped = { fencingNumber: number.toString(), checks }
      this.fencing.wiped(number, level, { wiped, marks: [mark], mayLackMark: false })
      this.parts.onChange()
      await this.supervisor.sleep(within)
    }
    return checks
  }

  /**
   * Takes the number, which aborts everything older, waits for that to end, and runs `work` alone.
   * A repeat of a call that still runs gets the same answer.
   */
  private alone<T>(
    kind: OperationKind,
    caller: Caller,
    progress: Progress,
    work: (progress: Progress) => Promise<T>,
  ): Promise<T> {
    const intent = kind === 'wipe' || kind === 'enroll' ? 'erase' : 'use'
    const held = this.fencing.raise({ ...caller, intent })
    this.parts.onChange()
    const key = `${kind} ${caller.phoneId} ${caller.fencingNumber}`
    const same = this.running.get(key)
    if (same) return progress.race(kind, () => same as Promise<T>)
    // Not the first caller's time: who repeats the call waits for the same work.
    const within = Progress.for(kind === 'wipe' || kind === 'enroll' ? times.wipe : times.lifecycle, held)
    const before = this.lifecycle
    const mine = (async () => {
      await within.race('the call before', () => Promise.allSettled([before]))
      await within
        .within(times.abortGrace)
        .race('the previous call', () => Promise.all([this.queue.idle(), ...this.besides]))
      const result = await this.journalled(kind, caller, () => work(within))
      // What an earlier agent left open no longer matters: the phone was brought into a known state.
      if (this.parts.records.get(this.serial).unknownOutcome) {
        this.parts.records.update(this.serial, { unknownOutcome: null })
      }
      return result
    })().finally(() => this.running.delete(key))
    this.running.set(key, mine)
    this.lifecycle = Promise.allSettled([mine])
    return progress.race(kind, () => mine)
  }

  private async journalled<T>(
    kind: OperationKind,
    caller: Caller,
    work: () => Promise<T>,
    id: string = this.parts.newId(),
  ): Promise<T> {
    const end = this.parts.journal.begin({
      id,
      serial: this.serial,
      phoneId: caller.phoneId,
      fencingNumber: caller.fencingNumber.toString(),
      kind,
      requestId: caller.requestId,
    })
    try {
      return await work()
    } finally {
      end()
    }
  }
}

const twinCheck = (twin: string): WipeCheck => ({
  name: 'same_phone',
  passed: false,
  evidence: sameAs(twin),
})

/** The caller's time, cut short when a newer fencing number comes. */
const joined = (progress: Progress, held: AbortSignal): Progress =>
  Progress.for(progress.remaining, progress.signal, held)

/** What may be better a moment later. */
const isUnreachable = (error: unknown): boolean =>
  error instanceof DeviceGone ||
  error instanceof DeadlineExceeded ||
  (error instanceof ApiError && error.code === 'phone_unavailable')
