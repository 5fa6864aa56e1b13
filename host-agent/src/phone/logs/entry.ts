/**
 * Entries of Android's log in the form of `logcat -B`: AOSP `struct logger_entry` (28 bytes since Android 10,
 * little-endian), then the payload. Unlike lines of text, entries have lengths, so no app can write a line
 * that looks like another app's: process and user come from the kernel. Used by `logs.ts`.
 */
import type { LogLevel } from '../../adb/device/reports.js'

export interface LogEntry {
  /** Nanoseconds since 1970, by the phone's clock. */
  seconds: number
  nanoseconds: number
  pid: number
  tid: number
  /** The number of the buffer. */
  buffer: number
  uid: number
  payload: Buffer
}

const headerBytes = 28
/** AOSP `LOGGER_ENTRY_MAX_LEN` is 5 KiB. */
const longestPayload = 8192
const longestHeader = 64

export class UnreadableLog extends Error {
  constructor(what: string) {
    super(`the phone's log cannot be read: ${what}`)
    this.name = 'UnreadableLog'
  }
}

/** Splits a stream of bytes into entries. */
export class EntryReader {
  private rest: Buffer = Buffer.alloc(0)

  /** Returns the entries that are complete. @throws UnreadableLog */
  add(chunk: Buffer): LogEntry[] {
    const bytes = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk])
    const found: LogEntry[] = []
    let at = 0
    while (bytes.length - at >= headerBytes) {
      const length = bytes.readUInt16LE(at)
      const header = bytes.readUInt16LE(at + 2)
      if (header < headerBytes || header > longestHeader || length === 0 || length > longestPayload)
        throw new UnreadableLog(`an entry with a header of ${header} and a payload of ${length} bytes`)
      if (bytes.length - at < header + length) break
      found.push({
        pid: bytes.readInt32LE(at + 4),
        tid: bytes.readUInt32LE(at + 8),
        seconds: bytes.readUInt32LE(at + 12),
        nanoseconds: bytes.readUInt32LE(at + 16),
        buffer: bytes.readUInt32LE(at + 20),
        uid: bytes.readUInt32LE(at + 24),
        payload: bytes.subarray(at + header, at + header + length),
      })
      at += header + length
    }
    this.rest = bytes.subarray(at)
    return found
  }
}

/** AOSP `android_LogPriority`: 2 verbose to 7 fatal. */
const levels: readonly (LogLevel | null)[] = [
  null,
  null,
  'verbose',
  'debug',
  'info',
  'warn',
  'error',
  'fatal',
]

/** Returns the priority, tag and message of a text entry; null for another payload. */
export function textOf(payload: Buffer): { level: LogLevel; tag: string; message: string } | null {
  const level = levels[payload[0] ?? 0] ?? null
  const end = payload.indexOf(0, 1)
  if (level === null || end === -1) return null
  const last = payload.length > end + 1 && payload.at(-1) === 0 ? payload.length - 1 : payload.length
  return { level, tag: payload.toString('utf8', 1, end), message: payload.toString('utf8', end + 1, last) }
}
