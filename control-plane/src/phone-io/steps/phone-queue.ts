/** Runs the writes of each phone one after another, in the order of its batches and reads. */
import { pause } from '@phonerack/shared'

/** Works of a phone that wait. Beyond it, batches wait for them and screens are dropped, so that an agent cannot fill the memory. */
export const mostWaiting = 32

export interface PhoneQueue {
  /** Runs `work` after what the phone already has. Resolves with its end. `work` must not fail. */
  add(phoneId: string, work: () => Promise<void>): Promise<void>
  /** The number of works that have not ended. */
  length(phoneId: string): number
  /** Resolves when what the phone has now has ended, or after `mostMs`. */
  settled(phoneId: string, mostMs: number): Promise<void>
  /** Resolves when all have ended. */
  idle(): Promise<void>
}

export function createPhoneQueue(): PhoneQueue {
  const tails = new Map<string, { end: Promise<void>; length: number }>()

  const add = async (phoneId: string, work: () => Promise<void>): Promise<void> => {
    const tail = tails.get(phoneId)
    const end = tail ? tail.end.then(work) : work()
    const next = { end, length: (tail?.length ?? 0) + 1 }
    tails.set(phoneId, next)
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
