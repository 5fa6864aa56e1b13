/**
 * A phone that exists only in a synthetic agent. It keeps the agent's record of whose data it holds, by the
 * agent's own rules, and waits as long as a real phone works.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import {
  assigned,
  cleanFor,
  custodySchema,
  enrolled,
  FencingRefused,
  mayAssign,
  wiped,
  written,
  type Asked,
  type Custody,
} from '@phonerack/host-agent/wire'
import type { DeviceCondition, DeviceStatus } from '@phonerack/shared'

/** Milliseconds that a phone takes for each step. */
export interface PhoneTimes {
  startMs: number
  parkMs: number
  wipeMs: number
}

/** A call that the agent accepted for a phone, and when it arrived. */
export interface PhoneCall {
  kind: 'start' | 'park' | 'wipe' | 'enroll'
  serial: string
  /** Empty for a wipe or an enrolment without a phone. */
  phoneId: string
  /** Milliseconds since 1970. */
  at: number
}

export interface PhoneParts {
  serial: string
  times: PhoneTimes
  /** Whether the phone was enrolled and wiped before, like a phone that a restarted agent finds. */
  isEnrolled: boolean
  onCall: (call: PhoneCall) => void
  onChange: () => void
}

/** Operators of synthetic hosts do not accept package-level wipes for any tenant. */
const flags = { packageCleanFreesAll: false }
/** Milliseconds, as in the real agent. */
const conditionEveryMs = 5 * 60_000
const probeEveryMs = 5000

export class SyntheticPhone {
  private custody: Custody
  private isEnrolled: boolean
  /** Conditions of different phones are checked at different times. */
  private readonly offsetMs = Math.floor(Math.random() * conditionEveryMs)

  constructor(private readonly parts: PhoneParts) {
    const blank = custodySchema.parse({ fencingNumber: '0', revision: Date.now() })
    this.isEnrolled = parts.isEnrolled
    this.custody = parts.isEnrolled
      ? wiped({ ...blank, fencingNumber: '1', numberErases: true }, 1n, 'data', Date.now())
      : blank
  }

  get serial(): string {
    return this.parts.serial
  }

  /**
   * The revision of the phone's record, and the allowed next users, as the answer to a wipe contains them.
   */
  get cleanness(): { revision: bigint; cleanFor: string } {
    return { revision: BigInt(this.custody.revision), cleanFor: cleanFor(this.custody, flags) }
  }

  /** @throws FencingRefused */
  async start(asked: Omit<Asked, 'intent'>): Promise<Date> {
    this.take('start', { ...asked, intent: 'use' })
    this.custody = written(this.custody, Date.now())
    await this.work(this.parts.times.startMs, asked.fencingNumber)
    return new Date()
  }

  /** @throws FencingRefused */
  async park(asked: Omit<Asked, 'intent'>): Promise<void> {
    this.take('park', { ...asked, intent: 'use' })
    await this.work(this.parts.times.parkMs, asked.fencingNumber)
  }

  /** @throws FencingRefused */
  async wipe(asked: Omit<Asked, 'intent'>): Promise<void> {
    this.take('wipe', { ...asked, intent: 'erase' })
    if (this.custody.clean?.fencingNumber === asked.fencingNumber.toString()) return
    this.custody = written(this.custody, Date.now())
    await this.work(this.parts.times.wipeMs, asked.fencingNumber)
    this.custody = wiped(this.custody, asked.fencingNumber, 'data', Date.now())
    this.parts.onChange()
  }

  /** @throws FencingRefused */
  async enroll(fencingNumber: bigint): Promise<void> {
    this.take('enroll', { intent: 'erase', phoneId: '', tenant: '', fencingNumber })
    this.custody = enrolled(this.custody, Date.now())
    this.isEnrolled = true
    await this.work(this.parts.times.wipeMs, fencingNumber)
    this.custody = wiped(this.custody, fencingNumber, 'data', Date.now())
    this.parts.onChange()
  }

  /** The phone's part of a heartbeat at `now`, in milliseconds since 1970. */
  status(now: number): DeviceStatus {
    const { fencingNumber, revision, assignment, dirty } = this.custody
    return {
      serial: this.serial,
      link: this.isEnrolled ? 'healthy' : 'unenrolled',
      fencing_number: Number(fencingNumber),
      custody: {
        revision,
        assignment: assignment && {
          phone_id: assignment.phoneId,
          fencing_number: Number(assignment.fencingNumber),
        },
        dirty,
        clean_for: cleanFor(this.custody, flags),
      },
      maker: 'Synthetic',
      model: 'Phone',
      sdk: 34,
      reason: null,
      proof_of_life_at: lastTick(now, probeEveryMs, 0),
      ...(this.isEnrolled ? { condition: this.condition(now) } : {}),
    }
  }

  private condition(now: number): DeviceCondition {
    return {
      checked_at: lastTick(now, conditionEveryMs, this.offsetMs),
      battery_percent: 100,
      battery_celsius: 27.5,
      storage_free_bytes: 100_000_000_000,
      storage_total_bytes: 128_000_000_000,
      highest_app_uid: 10_200,
      lock_credential: false,
      warnings: [],
    }
  }

  private take(kind: PhoneCall['kind'], asked: Asked): void {
    const refusal = mayAssign(this.custody, asked, flags)
    if (refusal) this.refuse(refusal, asked.fencingNumber)
    this.parts.onCall({ kind, serial: this.serial, phoneId: asked.phoneId, at: Date.now() })
    const before = this.custody
    this.custody = assigned(before, asked, Date.now())
    if (this.custody !== before) this.parts.onChange()
  }

  /** @throws FencingRefused when a newer number arrived in the meantime */
  private async work(ms: number, fencingNumber: bigint): Promise<void> {
    if (ms > 0) await sleep(ms)
    if (this.custody.fencingNumber !== fencingNumber.toString()) this.refuse('old_number', fencingNumber)
  }

  private refuse(reason: NonNullable<ReturnType<typeof mayAssign>>, asked: bigint): never {
    throw new FencingRefused(this.serial, reason, asked, this.custody.fencingNumber)
  }
}

/** The last time before `now` of an event that occurs every `everyMs`. */
const lastTick = (now: number, everyMs: number, offsetMs: number): string =>
  new Date(Math.floor((now - offsetMs) / everyMs) * everyMs + offsetMs).toISOString()
