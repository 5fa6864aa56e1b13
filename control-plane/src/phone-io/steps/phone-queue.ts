/** Runs the writes of each phone one after another, in the order of its batches and reads. */
import { pause } from '@phonerack/shared'

/**
 * The number of a phone's writes that may wait. Above it, batches wait for the writes and screens are dropped, so that an agent
 * cannot fill the memory.
 */
export const mostWaiting = 32

export interface PhoneQueue {
  /** Runs `work` when the phone's earlier writes have ended, and resolves with its end. `work` must not fail. */
  add(phoneId: string, work: () => Promise<void>): Promise<void>
  /** The number of the phone's writes that have not ended. */
  length(phoneId: string): number
  /** Resolves when the writes that the phone has now have ended, or after `mostMs`. */
  settled(phoneId: string, mostMs: number): Promise<void>
  /** Resolves when the writes of all phones have ended. */
  idle(): Promise<void>
}

export function createPhoneQueue(): PhoneQueue {
  const tails = new Map<string, { end: Promise<void>; length: number }>()

  const add = async (phoneId: string, work: () => Promise<void>): Promise<void> => {
    const tail = tails.get(phoneId)
    const end = tail ? tail.end.then(work) : work()
    const added = { end, length: (tail?.length ?? 0) + 1 }
    tails.set(phoneId, added)
    await end
    const last = tails.get(phoneId)
    if (last?.end === end) tails.delete(phoneId)
    else if (last) last.length -= 1
  }
  return {
    add,
    length: (phoneId) => tails.get(phoneId)?.length ?? 0,
    async settled(phoneId, mostMs) {
      const tail = tails.get(phoneId)
      if (!tail) return
      const late = new AbortController()
      await Promise.race([tail.end, pause(mostMs, late.signal)])
      late.abort()
    },
    async idle() {
      while (tails.size > 0) await Promise.all([...tails.values()].map(({ end }) => end))
    },
  }
}
