/**
 * Tracks which phone owns one device: calls prove by number and phone that their sender still owns the
 * device. Every change is on disk before it takes effect, and a newer number aborts all work under older
 * numbers. `custody.ts` holds the rule itself.
 */
import { ApiError } from '@phonerack/shared'
import {
  assigned,
  cleanFor,
  enrolled,
  mayAssign,
  mayCall,
  wiped,
  written,
  type Asked,
  type Custody,
  type HostFlags,
  type Refusal,
  type WipeLevel,
} from './custody.js'
import type { Records } from './records.js'

const messages: Record<Refusal, string> = {
  old_number: 'The phone has since been assigned again.',
  number_taken: 'The fencing number belongs to another phone.',
  not_wiped: 'Another phone used the device, and the device has not been wiped since then.',
  clean_for_another_tenant: 'The device is clean only for another tenant.',
  data_wiped: "The phone's data was wiped from the device.",
  not_assigned: 'The device is not assigned to this phone.',
}

export class FencingRefused extends ApiError {
  constructor(serial: string, reason: Refusal, asked: bigint, current: string) {
    super('phone_unavailable', {
      message: messages[reason],
      details: { serial, reason, fencing_number: asked.toString(), current_fencing_number: current },
    })
    this.name = 'FencingRefused'
  }
}

/** The phone and number that a call is for. */
export type Owner = Pick<Asked, 'phoneId' | 'fencingNumber'>

export interface Fencing {
  readonly current: bigint
  readonly custody: Custody
  /** See `cleanFor` in `custody.ts`: `anyone`, `tenant:<tenant>`, or empty. */
  readonly cleanFor: string
  /** Returns a signal that aborts when a newer number is accepted. @throws FencingRefused unless `owner` holds the current assignment */
  hold(owner: Owner): AbortSignal
  /**
   * Accepts the current number again, or a newer number, which aborts all work under older numbers.
   * @throws FencingRefused as `mayAssign` decides
   */
  raise(asked: Asked): AbortSignal
  /** Called before the first byte that may leave data on the phone. */
  written(): void
  /** Records an enrolment by the operator. @param changes as in `wiped` */
  enrolled(changes: Parameters<Records['update']>[1]): void
  /**
   * Records a wipe that was verified under `fencingNumber`.
   * @param changes further fields of the record, written in the same update
   */
  wiped(fencingNumber: bigint, level: WipeLevel, changes: Parameters<Records['update']>[1]): void
}

export function createFencing(
  serial: string,
  records: Records,
  flags: HostFlags = { packageCleanFreesAll: false },
  now: () => number = Date.now,
): Fencing {
  let generation = new AbortController()
  const custody = (): Custody => records.get(serial)
  const current = (): bigint => BigInt(custody().fencingNumber)
  const refuse = (reason: Refusal, asked: bigint): never => {
    throw new FencingRefused(serial, reason, asked, custody().fencingNumber)
  }
  return {
    get current() {
      return current()
    },
    get custody() {
      return custody()
    },
    get cleanFor() {
      return cleanFor(custody(), flags)
    },
    hold(owner) {
      const refusal = mayCall(custody(), owner)
      if (refusal) refuse(refusal, owner.fencingNumber)
      return generation.signal
    },
    raise(asked) {
      const before = custody()
      const refusal = mayAssign(before, asked, flags)
      if (refusal) refuse(refusal, asked.fencingNumber)
      const isNewer = asked.fencingNumber > current()
      const after = assigned(before, asked, now())
      if (after !== before) records.update(serial, after)
      if (isNewer) {
        const older = generation
        generation = new AbortController()
        older.abort()
      }
      return generation.signal
    },
    written() {
      const before = records.get(serial)
      const after = written(before, now())
      if (after !== before || before.wiped) records.update(serial, { ...after, wiped: null })
    },
    enrolled(changes) {
      records.update(serial, { ...enrolled(custody(), now()), ...changes })
    },
    wiped(fencingNumber, level, changes) {
      records.update(serial, { ...wiped(custody(), fencingNumber, level, now()), ...changes })
    },
  }
}
