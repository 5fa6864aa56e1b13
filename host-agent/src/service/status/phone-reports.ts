/**
 * Observations on rented phones, until a replica of the control plane has acknowledged them. In memory: after a restart the
 * agent reads the phones' logs again (docs/decisions/0276). Sent by `heartbeat.ts`.
 */
import { reportsPerHeartbeat, type Logger, type PhoneReport } from '@phonerack/shared'
import type { Observation } from '../../phone/logs/event-line.js'
import { notificationId } from '../../phone/logs/notification-id.js'

/**
 * The limits of one phone. `perMinute`: an app in a loop must not fill the events of its project. The lines'
 * times count, not the agent's clock, because a restarted agent reads all lines in a moment and must omit the
 * same lines. `minutes`: the number of counts that are kept, so that a clock that jumps back does not reset
 * them. The control plane limits the sum of all phones.
 */
const most = { waiting: 500, perMinute: 60, minutes: 1500 }

interface PhoneQueue {
  serial: string
  waiting: Map<string, PhoneReport>
  /** The numbers of observations, by minute of the phone's clock. */
  counts: Map<number, number>
  hasDropped: boolean
}

export class PhoneReports {
  /** The queues by phone ID. */
  private readonly queues = new Map<string, PhoneQueue>()

  constructor(
    private readonly log: Logger,
    private readonly onChange: () => void,
  ) {}

  add({ phoneId, serial }: { phoneId: string; serial: string }, observation: Observation): void {
    const queue = this.queueOf(phoneId, serial)
    const { id, at } = observation
    if (queue.waiting.has(id)) return
    if (!isAllowed(queue, at) || queue.waiting.size >= most.waiting) {
      if (!queue.hasDropped)
        this.log.warn({ phone: phoneId }, 'a phone has too many events: some are not reported')
      queue.hasDropped = true
      return
    }
    const observed = observedOf(phoneId, observation)
    queue.waiting.set(id, { id, phone_id: phoneId, serial, at: at.toISOString(), observed })
    this.onChange()
  }

  /** Returns the observations of the next heartbeat, taken from all phones in turn. */
  pending(): PhoneReport[] {
    const lists = [...this.queues.values()].map(({ waiting }) => [...waiting.values()])
    const longest = Math.max(0, ...lists.map((list) => list.length))
    const found: PhoneReport[] = []
    for (let index = 0; index < longest && found.length < reportsPerHeartbeat; index++)
      found.push(...lists.flatMap((list) => list[index] ?? []))
    return found.slice(0, reportsPerHeartbeat)
  }

  acknowledge(ids: readonly string[]): void {
    let isLeft = false
    for (const { waiting } of this.queues.values()) {
      for (const id of ids) waiting.delete(id)
      isLeft ||= waiting.size > 0
    }
    if (isLeft) this.onChange()
  }

  private queueOf(phoneId: string, serial: string): PhoneQueue {
    const known = this.queues.get(phoneId)
    if (known) return known
    // The device now belongs to another phone, so observations of the earlier phone are dropped.
    for (const [other, { serial: its, waiting }] of this.queues)
      if (its === serial && waiting.size === 0) this.queues.delete(other)
    const queue = {
      serial,
      waiting: new Map<string, PhoneReport>(),
      counts: new Map<number, number>(),
      hasDropped: false,
    }
    this.queues.set(phoneId, queue)
    return queue
  }
}

function isAllowed({ counts }: PhoneQueue, at: Date): boolean {
  const minute = Math.floor(at.getTime() / 60_000)
  const count = (counts.get(minute) ?? 0) + 1
  counts.set(minute, count)
  const [oldest] = counts.keys()
  if (counts.size > most.minutes && oldest !== undefined) counts.delete(oldest)
  return count <= most.perMinute
}

const observedOf = (phoneId: string, observation: Observation): PhoneReport['observed'] =>
  observation.kind === 'crash'
    ? {
        kind: 'crash',
        crash: observation.crash,
        package: observation.package,
        pid: observation.pid,
        exception: observation.exception,
      }
    : {
        kind: 'notification',
        package: observation.package,
        notification: notificationId(phoneId, observation.key),
      }
