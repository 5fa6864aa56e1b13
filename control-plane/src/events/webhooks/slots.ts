/**
 * Divides the workers of deliveries: first between projects, then between the webhooks of a project, so that hanging
 * receivers leave workers to others. docs/decisions/0295
 */
import { longestTurnMs } from './jobs.js'
import { getsSlot, type SlotOwner, type Waiter } from './slot-rules.js'

export interface DeliverySlots {
  /** Number of slots in use. */
  readonly taken: number
  /** Runs `work` in a slot. Returns `turn` immediately if the webhook gets no slot. */
  run<T>(owner: SlotOwner, work: () => Promise<T>): Promise<T | 'turn'>
}

/**
 * Milliseconds after which a waiter that has not asked again is dropped: another replica serves it, or it was deleted.
 */
const goneMs = (isFailing: boolean): number => longestTurnMs(isFailing) + 1000

/** @param now monotonic time in milliseconds, for tests */
export function createDeliverySlots(total: number, now = () => performance.now()): DeliverySlots {
  const taken = new Set<SlotOwner>()
  /** Waiters by the ID of their webhook. */
  const waiters = new Map<string, Waiter & { askedAt: number }>()

  /** Returns whether the webhook gets a slot now. If not, the webhook waits. */
  const asks = (owner: SlotOwner): boolean => {
    const at = now()
    for (const [id, { askedAt, isFailing }] of waiters)
      if (at - askedAt >= goneMs(isFailing)) waiters.delete(id)
    const waiter = { ...owner, since: waiters.get(owner.webhookId)?.since ?? at, askedAt: at }
    waiters.delete(owner.webhookId)
    if (getsSlot(total, [...taken], waiter, waiters.values(), at)) return true
    waiters.set(owner.webhookId, waiter)
    return false
  }

  return {
    get taken() {
      return taken.size
    },
    async run(owner, work) {
      if (!asks(owner)) return 'turn'
      const slot = { ...owner }
      taken.add(slot)
      try {
        return await work()
      } finally {
        taken.delete(slot)
        // The webhook had a slot, so its next job comes after the waiters.
        waiters.delete(owner.webhookId)
      }
    },
  }
}
