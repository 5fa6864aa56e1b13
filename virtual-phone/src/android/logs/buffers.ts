/**
 * The log buffers of `logd`, in memory: a restart empties them. Written by `system-log.ts` and the command `log`, read by
 * `logcat`. Tags and messages are byte strings.
 */

/** The buffers by their numbers in liblog (`log_id_t`). */
export const logIds = { main: 0, radio: 1, events: 2, system: 3, crash: 4, kernel: 7 } as const

export type LogBuffer = keyof typeof logIds

export const allBuffers = Object.keys(logIds) as LogBuffer[]

export const isLogBuffer = (name: string): name is LogBuffer => Object.hasOwn(logIds, name)

/** Android's priorities; `silent` prints nothing. */
export const priorities = { V: 2, D: 3, I: 4, W: 5, E: 6, F: 7, S: 8 } as const

export type Priority = keyof typeof priorities

export const isPriority = (letter: string): letter is Priority => Object.hasOwn(priorities, letter)

/** An event's tag number (AOSP `event-log-tags`) and values, for the buffer `events`. */
export interface EventPayload {
  tag: number
  values: readonly (number | string)[]
}

export interface LogLine {
  pid: number
  tid: number
  uid: number
  priority: Priority
  tag: string
  message: string
  event?: EventPayload
}

export interface LogEntry extends LogLine {
  buffer: LogBuffer
  /** Nanoseconds since 1970, by the phone's clock. */
  atNs: bigint
  /** The number increases by one with each entry of any buffer. */
  order: number
}

/** `LOGGER_ENTRY_MAX_PAYLOAD` without the priority and two terminators. */
const maxMessageBytes = 4065
export const bufferBytes = 256 * 1024

const sizeOf = ({ tag, message }: LogLine): number => tag.length + message.length + 31

export class LogBuffers {
  private readonly kept = new Map<LogBuffer, LogEntry[]>()
  private readonly used = new Map<LogBuffer, number>()
  private readonly listeners = new Set<() => void>()
  private lastNs = 0n
  private nextOrder = 1

  constructor(private readonly nowMs: () => number) {}

  write(buffer: LogBuffer, line: LogLine): void {
    const message = line.message.slice(0, maxMessageBytes - Math.min(line.tag.length, 1000))
    const entry = { ...line, message, buffer, atNs: this.stamp(), order: this.nextOrder++ }
    const entries = this.kept.get(buffer) ?? []
    this.kept.set(buffer, entries)
    entries.push(entry)
    let used = this.sizeOf(buffer) + sizeOf(entry)
    let dropped = 0
    while (used > bufferBytes) used -= sizeOf(entries[dropped++] ?? entry)
    entries.splice(0, dropped)
    this.used.set(buffer, used)
    for (const listener of this.listeners) listener()
  }

  /**
   * Returns the entries in the order in which they were written.
   * @param after only entries with a higher `order`
   */
  list(buffers: readonly LogBuffer[], after = 0): LogEntry[] {
    return buffers
      .flatMap((buffer) => (this.kept.get(buffer) ?? []).filter(({ order }) => order > after))
      .sort((a, b) => a.order - b.order)
  }

  /** Returns the size in bytes. */
  sizeOf(buffer: LogBuffer): number {
    return this.used.get(buffer) ?? 0
  }

  clear(buffers: readonly LogBuffer[]): void {
    for (const buffer of buffers) {
      this.kept.delete(buffer)
      this.used.delete(buffer)
    }
  }

  /**
   * Calls `listener` after each new entry.
   * @returns a function that ends the calls
   */
  onWrite(listener: () => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** Returns the phone's time. Entries of the same millisecond get different times. */
  private stamp(): bigint {
    const now = BigInt(Math.floor(this.nowMs())) * 1_000_000n
    const isSame = now <= this.lastNs && this.lastNs - now < 1_000_000_000n
    this.lastNs = isSame ? this.lastNs + 1000n : now
    return this.lastNs
  }
}
