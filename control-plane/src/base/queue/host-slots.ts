/**
 * Divides the job slots of this process between hosts, so that an unresponsive host leaves slots to other hosts. Used
 * by every job that calls a host.
 */
import { backoff } from './retry.js'

/** `long`: may use its slot for minutes, so some slots of its host are reserved for `short` work. */
export type Length = 'short' | 'long'

export interface HostSlots {
  /** Slots in use across all hosts. */
  readonly taken: number
  /** Runs `work` in a slot of the host. Returns `turn` immediately if the host has no free slot. */
  run<T>(hostId: string, length: Length, work: () => Promise<T>): Promise<T | 'turn'>
}

/**
 * A host gets another slot while it uses fewer slots than are free: half of `total` for a single host, a third for each
 * of two hosts. Long work may use two thirds of a host's slots, and at most `totalLong` slots on all hosts.
 */
export function createHostSlots(total: number, totalLong = total): HostSlots {
  /** Hosts without a slot in use have no entry. */
  const hosts = new Map<string, { all: number; long: number }>()
  let taken = 0
  let takenLong = 0
  return {
    get taken() {
      return taken
    },
    async run(hostId, length, work) {
      const used = hosts.get(hostId) ?? { all: 0, long: 0 }
      const free = total - taken
      const long = length === 'long' ? 1 : 0
      if (used.all >= free || (long && 2 * used.long >= Math.min(free, totalLong - takenLong))) return 'turn'
      hosts.set(hostId, used)
      taken += 1
      takenLong += long
      used.all += 1
      used.long += long
      try {
        return await work()
      } finally {
        taken -= 1
        takenLong -= long
        used.all -= 1
        used.long -= long
        if (used.all === 0) hosts.delete(hostId)
      }
    },
  }
}

/** Milliseconds until a job without a slot tries again, after `turns` attempts. */
export const turnMs = (turns: number, longestMs: number): number => backoff(turns + 1, 250, longestMs)
