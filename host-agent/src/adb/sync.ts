/**
 * The sync service, version 1 (AOSP `adb/SYNC.TXT`): four letters, a
 * little-endian length, data. Version 1 is what every adbd has.
 */
import { AdbProtocolError } from './errors.js'
import type { AdbSocket } from './socket.js'

export interface FileStat {
  mode: number
  /** Bytes, modulo 2^32. */
  size: number
  /** Seconds since 1970. */
  modifiedAt: number
}

const chunkSize = 64 * 1024

function frame(id: string, value: number, data?: Uint8Array | string): Buffer {
  const header = Buffer.alloc(8)
  header.write(id, 0, 'latin1')
  header.writeUInt32LE(value, 4)
  return data === undefined
    ? header
    : Buffer.concat([header, typeof data === 'string' ? Buffer.from(data) : data])
}

/** Writes a file; missing folders are made by the phone. @throws AdbProtocolError with the phone's words when it refuses. */
export async function pushFile(
  socket: AdbSocket,
  path: string,
  content: Uint8Array,
  mode: number,
): Promise<void> {
  const target = `${path},${mode | 0o100000}`
  await socket.write(frame('SEND', Buffer.byteLength(target), target))
  for (let offset = 0; offset < content.length; offset += chunkSize) {
    const chunk = content.subarray(offset, offset + chunkSize)
    await socket.write(frame('DATA', chunk.length, chunk))
  }
  await socket.write(frame('DONE', Math.floor(Date.now() / 1000)))
  const answer = await socket.read(8)
  const id = answer.toString('latin1', 0, 4)
  if (id === 'OKAY') return
  const reason =
    id === 'FAIL' ? (await socket.read(Math.min(answer.readUInt32LE(4), 65_536))).toString('utf8') : id
  throw new AdbProtocolError(`push to ${path}: ${reason}`)
}

/** Null when there is no such file (version 1 cannot tell that from one that may not be read). */
export async function statFile(socket: AdbSocket, path: string): Promise<FileStat | null> {
  await socket.write(frame('STAT', Buffer.byteLength(path), path))
  const answer = await socket.read(16)
  if (answer.toString('latin1', 0, 4) !== 'STAT') throw new AdbProtocolError(`stat of ${path}`)
  const mode = answer.readUInt32LE(4)
  return mode === 0 ? null : { mode, size: answer.readUInt32LE(8), modifiedAt: answer.readUInt32LE(12) }
}
