/**
 * Writes an entry as `logcat -B` prints it: AOSP's `struct logger_entry` (28 bytes, little-endian), followed
 * by the payload. Text: priority, tag and message, each text ending with NUL. Event: the tag's number,
 * followed by a list of typed values.
 */
import { bytesOf } from '../../shell/bytes.js'
import { logIds, priorities, type EventPayload, type LogEntry } from './buffers.js'

const headerBytes = 28

export function binaryEntry(entry: LogEntry): Buffer {
  const payload = entry.event ? eventPayload(entry.event) : textPayload(entry)
  const header = Buffer.alloc(headerBytes)
  header.writeUInt16LE(payload.length, 0)
  header.writeUInt16LE(headerBytes, 2)
  header.writeInt32LE(entry.pid, 4)
  header.writeUInt32LE(entry.tid, 8)
  header.writeUInt32LE(Number(entry.atNs / 1_000_000_000n), 12)
  header.writeUInt32LE(Number(entry.atNs % 1_000_000_000n), 16)
  header.writeUInt32LE(logIds[entry.buffer], 20)
  header.writeUInt32LE(entry.uid, 24)
  return Buffer.concat([header, payload])
}

const textPayload = ({ priority, tag, message }: LogEntry): Buffer =>
  Buffer.concat([Buffer.from([priorities[priority]]), bytesOf(`${tag}\0${message}\0`)])

/** Types: 0 int, 2 string, 3 list. */
function eventPayload({ tag, values }: EventPayload): Buffer {
  const number = Buffer.alloc(4)
  number.writeUInt32LE(tag)
  const elements = values.map((value) => {
    if (typeof value === 'number') {
      const int = Buffer.alloc(5)
      int.writeInt32LE(value, 1)
      return int
    }
    const text = bytesOf(value)
    const head = Buffer.alloc(5)
    head[0] = 2
    head.writeUInt32LE(text.length, 1)
    return Buffer.concat([head, text])
  })
  return Buffer.concat([number, Buffer.from([3, values.length]), ...elements])
}
