/**
 * Notifies waiters on all replicas that a phone's row has changed. Further instances notify about uploads, and about
 * events of a project. Waiters read the row again, so a lost or duplicate message does no harm. They poll only while
 * the broker is unavailable.
 */
import { EventEmitter } from 'node:events'
import {
  type Bus,
  eventsNumberedSchema,
  phoneChangedSchema,
  subjects,
  uploadChangedSchema,
  onAbort,
} from '@phonerack/shared'

/** Milliseconds between two polls while the broker is unavailable. */
const safetyReadMs = 5000

export interface Changes {
  /** Must be called after the commit. */
  publish(id: string): void
  /**
   * Resolves at the next change of the row, after `timeoutMs`, or when `signal` aborts. The listener starts
   * immediately, so the caller must read the row after calling this. @param id for several IDs: the next change of any
   * of them
   */
  next(id: string | readonly string[], timeoutMs: number, signal: AbortSignal): Promise<void>
  close(): void
}

/** The kind of row, and the message that carries its ID. */
interface Topic {
  subject: string
  toMessage(id: string): unknown
  /** Returns null for any other message. */
  idIn(message: unknown): string | null
}

const phones: Topic = {
  subject: subjects.phoneChanged,
  toMessage: (id) => ({ phone_id: id }),
  idIn: (message) => phoneChangedSchema.safeParse(message).data?.phone_id ?? null,
}

export const uploadTopic: Topic = {
  subject: subjects.uploadChanged,
  toMessage: (id) => ({ upload_id: id }),
  idIn: (message) => uploadChangedSchema.safeParse(message).data?.upload_id ?? null,
}

/** New events, by the ID of their project. */
export const eventTopic: Topic = {
  subject: subjects.eventsNumbered,
  toMessage: (id) => ({ project_id: id }),
  idIn: (message) => eventsNumberedSchema.safeParse(message).data?.project_id ?? null,
}

/**
 * Reads a row at each change until `settled` is true for it, `timeoutMs` have passed or `signal` aborts. Returns the
 * row as last read.
 */
export async function waitUntil<T>(
  changes: Changes,
  id: string,
  { read, isSettled }: { read: () => Promise<T>; isSettled: (row: T) => boolean },
  timeoutMs: number,
  signal: AbortSignal,
): Promise<T> {
  const end = performance.now() + timeoutMs
  for (;;) {
    // The listener starts before the read, so that no change between the two is missed.
    const listening = new AbortController()
    const remaining = Math.max(0, end - performance.now())
    const change = changes.next(id, remaining, AbortSignal.any([signal, listening.signal]))
    try {
      const row = await read()
      if (isSettled(row) || remaining === 0 || signal.aborted) return row
      await change
    } finally {
      listening.abort()
    }
  }
}

export function createChanges(bus: Bus, topic: Topic = phones): Changes {
  const local = new EventEmitter({ captureRejections: false }).setMaxListeners(0)
  const wakeAll = (): void => {
    for (const name of local.eventNames()) local.emit(name)
  }
  const subscription = bus.subscribe(topic.subject, (message) => {
    const id = topic.idIn(message)
    if (id !== null) local.emit(id)
  })
  bus.onReconnect(wakeAll)
  const safety = setInterval(() => {
    if (!bus.connected) wakeAll()
  }, safetyReadMs)
  safety.unref()
  return {
    publish(id) {
      local.emit(id)
      bus.publish(topic.subject, topic.toMessage(id))
    },
    next(id, timeoutMs, signal) {
      return new Promise((resolve) => {
        if (signal.aborted) return resolve()
        const ids = typeof id === 'string' ? [id] : id
        const done = (): void => {
          clearTimeout(timer)
          for (const each of ids) local.off(each, done)
          forget()
          resolve()
        }
        const timer = setTimeout(done, timeoutMs)
        for (const each of ids) local.on(each, done)
        const forget = onAbort(signal, done)
      })
    },
    close() {
      clearInterval(safety)
      subscription.unsubscribe()
      wakeAll()
    },
  }
}
