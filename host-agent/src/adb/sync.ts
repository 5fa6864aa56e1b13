/**
 * The sync service (AOSP `adb/SYNC.TXT`, `file_sync_protocol.h`): four letters, a little-endian length, data. Every adbd
 * supports version 1; version 2 of stat and list (`stat_v2`, `ls_v2`) supports sizes above 4 GiB and reports errors.
 */
import { redactOutput } from '../base/redact.js'
import { AdbFileRefused, AdbProtocolError } from './errors.js'
import { GrowingBuffer } from './growing-buffer.js'
import type { AdbSocket } from './socket.js'

export interface FileStat {
  mode: number
  /** The size in bytes; modulo 2^32 with version 1. */
  size: number
  /** Seconds since 1970. */
  modifiedAt: number
}

export interface FolderEntry extends FileStat {
  /** UTF-8; invalid bytes are replaced by U+FFFD. */
  name: string
}

type SyncVersion = 1 | 2

const chunkSize = 64 * 1024

function frame(id: string, value: number, data?: Uint8Array | string): Buffer {
  const header = Buffer.alloc(8)
  header.write(id, 0, 'latin1')
  header.writeUInt32LE(value, 4)
  return data === undefined
    ? header
    : Buffer.concat([header, typeof data === 'string' ? Buffer.from(data) : data])
}

/** Writes a file; the phone creates missing folders. @throws AdbFileRefused with the phone's reason, AdbProtocolError */
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
  if (id !== 'FAIL') throw invalid('push', path, JSON.stringify(id))
  const reason = await socket.read(Math.min(answer.readUInt32LE(4), 65_536))
  throw refused('push', path, reason.toString('utf8'))
}

/** Null when the file does not exist or cannot be read; version 1 does not distinguish these cases. */
export async function statFile(socket: AdbSocket, path: string): Promise<FileStat | null> {
  await socket.write(frame('STAT', Buffer.byteLength(path), path))
  const answer = await socket.read(16)
  if (answer.toString('latin1', 0, 4) !== 'STAT') throw invalid('stat', path, 'another answer')
  const mode = answer.readUInt32LE(4)
  return mode === 0 ? null : { mode, size: answer.readUInt32LE(8), modifiedAt: answer.readUInt32LE(12) }
}

const noSuchFile = 2
/** Header and fields of `stat_v2`, in bytes. */
const stat2Length = 72

/** After id and errno: device, inode, mode, links, owner, group, size and three times. */
const readStat2 = (bytes: Buffer): FileStat => ({
  mode: bytes.readUInt32LE(24),
  size: Number(bytes.readBigUInt64LE(40)),
  modifiedAt: Number(bytes.readBigInt64LE(56)),
})

/** Does not follow symbolic links (`lstat`). Null when the file does not exist. @throws AdbFileRefused with the errno, AdbProtocolError */
export async function statFile2(socket: AdbSocket, path: string): Promise<FileStat | null> {
  await socket.write(frame('LST2', Buffer.byteLength(path), path))
  const answer = await socket.read(stat2Length)
  if (answer.toString('latin1', 0, 4) !== 'LST2') throw invalid('stat', path, 'another answer')
  const error = answer.readUInt32LE(4)
  if (error === noSuchFile) return null
  if (error !== 0) throw refused('stat', path, `errno ${error}`)
  return readStat2(answer)
}

/** Bytes; file systems allow 255. */
const longestName = 4096

/**
 * Calls `visit` for each entry of a folder, without `.` and `..`, until `visit` returns false. A folder that
 * cannot be read has no entries, since the protocol does not report the error. The caller must close the
 * socket afterwards.
 */
export async function listFolder(
  socket: AdbSocket,
  path: string,
  version: SyncVersion,
  visit: (entry: FolderEntry) => boolean,
): Promise<void> {
  const isNew = version === 2
  await socket.write(frame(isNew ? 'LIS2' : 'LIST', Buffer.byteLength(path), path))
  for (;;) {
    const head = await socket.read(isNew ? stat2Length + 4 : 20)
    const id = head.toString('latin1', 0, 4)
    if (id === 'DONE') return
    if (id !== (isNew ? 'DNT2' : 'DENT')) throw invalid('list', path, JSON.stringify(id))
    const length = head.readUInt32LE(head.length - 4)
    if (length > longestName) throw invalid('list', path, `a name of ${length} bytes`)
    const name = (await socket.read(length)).toString('utf8')
    if (name === '.' || name === '..') continue
    const stat = isNew
      ? readStat2(head)
      : { mode: head.readUInt32LE(4), size: head.readUInt32LE(8), modifiedAt: head.readUInt32LE(12) }
    if (!visit({ name, ...stat })) return
  }
}

/** Bytes; adbd sends 64 KiB. */
const longestFrame = 1 << 20

/** Reads the first `limit` bytes of a file. @throws AdbFileRefused with the phone's reason, AdbProtocolError */
export async function pullFile(socket: AdbSocket, path: string, limit: number): Promise<Buffer> {
  await socket.write(frame('RECV', Buffer.byteLength(path), path))
  const content = new GrowingBuffer()
  for (;;) {
    const head = await socket.read(8)
    const id = head.toString('latin1', 0, 4)
    if (id === 'DONE') return content.whole()
    const length = head.readUInt32LE(4)
    if (length > longestFrame) throw invalid('pull', path, `a frame of ${length} bytes`)
    const data = await socket.read(length)
    if (id === 'FAIL') throw refused('pull', path, data.toString('utf8'))
    if (id !== 'DATA') throw invalid('pull', path, JSON.stringify(id))
    content.add(data.subarray(0, limit - content.length))
    if (content.length >= limit) return content.whole()
  }
}

/** Redacts paths: they name a tenant's files, and the message can reach a log. */
const about = (what: string, path: string, reason: string): string =>
  `${what} of ${redactOutput(path)}: ${redactOutput(reason)}`

const refused = (what: string, path: string, reason: string): AdbFileRefused =>
  new AdbFileRefused(about(what, path, reason))

const invalid = (what: string, path: string, reason: string): AdbProtocolError =>
  new AdbProtocolError(about(what, path, reason))
