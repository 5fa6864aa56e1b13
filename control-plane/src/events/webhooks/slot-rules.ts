/** Decides who gets a worker of deliveries. Pure. docs/decisions/0295 */

export interface SlotOwner {
  projectId: string
  webhookId: string
  /** Its last attempt failed: it gets one slot, and all of these together half. */
  isFailing: boolean
}

/** A webhook that got no slot. */
export interface Waiter extends SlotOwner {
  /** Since when, without a slot that it gave back in between. Milliseconds of a time without jumps. */
  since: number
}

/** Milliseconds after which a waiter comes before those whose projects use less: no project waits for ever. */
const patienceMs = 30_000

const countOf = (taken: readonly SlotOwner[], isCounted: (owner: SlotOwner) => boolean): number =>
  taken.filter(isCounted).length

/**
 * A project gets another slot while it has fewer than are free: half of `total` when it is alone, a third next to another
 * one. A webhook gets another one while it has fewer than its project may still get. Failing webhooks have half of
 * `total`, which is divided between projects in the same way.
 * @param taken the owner of each slot in use
 */
export function mayTake(total: number, taken: readonly SlotOwner[], owner: SlotOwner): boolean {
  const ofProject = taken.filter(({ projectId }) => projectId === owner.projectId)
  const ofWebhook = countOf(ofProject, ({ webhookId }) => webhookId === owner.webhookId)
  const free = total - taken.length
  // Each slot that the project gets is one fewer that is free.
  const left = Math.ceil((free - ofProject.length) / 2)
  if (ofProject.length >= free || ofWebhook >= left) return false
  if (!owner.isFailing) return true
  const freeOfFailing = total / 2 - countOf(taken, ({ isFailing }) => isFailing)
  return ofWebhook === 0 && countOf(ofProject, ({ isFailing }) => isFailing) < freeOfFailing
}

/**
 * A webhook that has a slot asks for the next one as soon as it gives one back, and a waiter later. So nobody takes the last
 * slot that a waiter could take, if the waiter's project uses fewer, or as many and the waiter has waited for longer.
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

/** In one order of all, so that two waiters never wait for each other. */
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
