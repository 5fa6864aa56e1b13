/**
 * The fencing number of one device: calls prove by it that their sender still
 * owns the phone. The highest one ever seen is on disk before it counts, and a
 * newer one aborts all that runs under an older.
 */
import { ApiError } from '@phonerack/shared'
import type { Records } from './records.js'

export class FencingRefused extends ApiError {
  constructor(serial: string, asked: bigint, current: bigint) {
    super('phone_unavailable', {
      message: 'The phone has been assigned anew.',
      details: { serial, fencing_number: asked.toString(), current_fencing_number: current.toString() },
    })
    this.name = 'FencingRefused'
  }
}

export interface Fencing {
  readonly current: bigint
  /** For what runs under the current number; aborts when a newer one comes. @throws FencingRefused for any other number */
  hold(asked: bigint): AbortSignal
  /**
   * Takes the current number again or a newer one, which aborts all that holds an older.
   * @throws FencingRefused for an older one
   */
  raise(asked: bigint): AbortSignal
}

export function createFencing(serial: string, records: Records): Fencing {
  let current = BigInt(records.get(serial).fencingNumber)
  let generation = new AbortController()
  return {
    get current() {
      return current
    },
    hold(asked) {
      if (asked !== current || asked === 0n) throw new FencingRefused(serial, asked, current)
      return generation.signal
    },
    raise(asked) {
      if (asked < current || asked === 0n) throw new FencingRefused(serial, asked, current)
      if (asked > current) {
        records.update(serial, { fencingNumber: asked.toString() })
        current = asked
        const older = generation
        generation = new AbortController()
        older.abort()
      }
      return generation.signal
    },
  }
}
