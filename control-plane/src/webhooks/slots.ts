/**
 * Divides the workers of deliveries: first between projects, then between the webhooks of a project, so that receivers
 * that hang leave workers to others. docs/decisions/0171, 0295
 */

export interface SlotOwner {
  projectId: string
  webhookId: string
  /** Its last attempt failed: it gets one slot, and all of these together half. */
  isFailing: boolean
}

export interface DeliverySlots {
  /** Slots in use. */
  readonly taken: number
  /** Runs `work` in a slot. Returns `turn` immediately when none is left for the webhook. */
  run<T>(owner: SlotOwner, work: () => Promise<T>): Promise<T | 'turn'>
}

interface ProjectUse {
  all: number
  /** Webhooks without a slot in use have no entry. */
  webhooks: Map<string, number>
}

/**
 * A project gets another slot while it has fewer than are free: half of `total` when it is alone, a third next to another
 * one. A webhook gets another one while it has fewer than its project may still get.
 */
export function createDeliverySlots(total: number): DeliverySlots {
  /** Projects without a slot in use have no entry. */
  const projects = new Map<string, ProjectUse>()
  let taken = 0
  let takenFailing = 0

  const mayTake = ({ all }: ProjectUse, ofWebhook: number, isFailing: boolean): boolean => {
    const free = total - taken
    // Each slot that the project gets is one fewer that is free.
    const left = Math.ceil((free - all) / 2)
    if (all >= free || ofWebhook >= left) return false
    return !isFailing || (ofWebhook === 0 && takenFailing < total / 2)
  }

  return {
    get taken() {
      return taken
    },
    async run({ projectId, webhookId, isFailing }, work) {
      const use = projects.get(projectId) ?? { all: 0, webhooks: new Map<string, number>() }
      const ofWebhook = use.webhooks.get(webhookId) ?? 0
      if (!mayTake(use, ofWebhook, isFailing)) return 'turn'
      projects.set(projectId, use)
      use.webhooks.set(webhookId, ofWebhook + 1)
      use.all += 1
      taken += 1
      takenFailing += isFailing ? 1 : 0
      try {
        return await work()
      } finally {
        taken -= 1
        takenFailing -= isFailing ? 1 : 0
        use.all -= 1
        const left = (use.webhooks.get(webhookId) ?? 1) - 1
        if (left > 0) use.webhooks.set(webhookId, left)
        else use.webhooks.delete(webhookId)
        if (use.all === 0) projects.delete(projectId)
      }
    },
  }
}
