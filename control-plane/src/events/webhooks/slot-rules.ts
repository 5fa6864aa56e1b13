/** Decides which webhook gets a worker of deliveries. Pure. docs/decisions/0295 */

export interface SlotOwner {
  projectId: string
  webhookId: string
  /**
   * The last attempt of the webhook failed. Such a webhook gets one slot, and all such webhooks together get half of
   * the slots.
   */
  isFailing: boolean
}

/** A webhook that waits for a slot. */
export interface Waiter extends SlotOwner {
  /** Monotonic time in milliseconds since which the webhook has waited without getting a slot. */
  since: number
}

/**
 * Milliseconds after which a waiter takes precedence over waiters whose projects use fewer slots, so that no project
 * waits forever.
 */
const patienceMs = 30_000

const countOf = (taken: readonly SlotOwner[], isCounted: (owner: SlotOwner) => boolean): number =>
  taken.filter(isCounted).length

/**
 * A project gets another slot while it uses fewer slots than are free: half of `total` if it is alone, a third next to
 * one other project. A webhook gets another slot while it uses fewer slots than its project may still get. Failing
 * webhooks share half of `total`, divided between projects in the same way. @param taken the owner of each slot in use
 */
function mayTake(total: number, taken: readonly SlotOwner[], owner: SlotOwner): boolean {
  const ofProject = taken.filter(({ projectId }) => projectId === owner.projectId)
  const ofWebhook = countOf(ofProject, ({ webhookId }) => webhookId === owner.webhookId)
  const free = total - taken.length
  // Each slot that the project gets reduces the free slots by one.
  const left = Math.ceil((free - ofProject.length) / 2)
  if (ofProject.length >= free || ofWebhook >= left) return false
  if (!owner.isFailing) return true
  const freeOfFailing = total / 2 - countOf(taken, ({ isFailing }) => isFailing)
  return ofWebhook === 0 && countOf(ofProject, ({ isFailing }) => isFailing) < freeOfFailing
}

/**
 * A webhook that has a slot requests the next slot as soon as it returns one, earlier than a waiter does. So no webhook
 * takes the last slot that a waiter could take, if the waiter's project uses fewer slots, or as many slots and the
 * waiter has waited longer.
 */
export function getsSlot(
  total: number,
  taken: readonly SlotOwner[],
  owner: Waiter,
  waiters: Iterable<Waiter>,
  now: number,
): boolean {
  if (!mayTake(total, taken, owner)) return false
  const after = [...taken, owner]
  for (const waiter of waiters)
    if (
      waiter.webhookId !== owner.webhookId &&
      precedes(taken, waiter, owner, now) &&
      mayTake(total, taken, waiter) &&
      !mayTake(total, after, waiter)
    )
      return false
  return true
}

/** Defines a total order, so that two waiters never wait for each other. */
function precedes(taken: readonly SlotOwner[], one: Waiter, other: Waiter, now: number): boolean {
  const ranks = [one, other].map((each) => rankOf(taken, each, now))
  const [first = [], second = []] = ranks
  const differs = first.findIndex((value, index) => value !== second[index])
  return differs >= 0 && (first[differs] ?? 0) < (second[differs] ?? 0)
}

const rankOf = (taken: readonly SlotOwner[], { projectId, webhookId, since }: Waiter, now: number) => [
  now - since >= patienceMs ? 0 : countOf(taken, (each) => each.projectId === projectId),
  countOf(taken, (each) => each.webhookId === webhookId),
  since,
]
