/**
 * Reads the log of one phone with `logcat -B`. The buffers are in the phone's memory: they are emptied when
 * the phone gets its device, and a mark in them hides lines that remain after a failed attempt to empty them.
 * Created by `supervision/assemble.ts`.
 */
import { ApiError, shorten, type Progress } from '@phonerack/shared'
import { createHash } from 'node:crypto'
import { AdbConnectionLost, AdbProtocolError } from '../../adb/errors.js'
import { command } from '../../adb/quote.js'
import { readShellPacket, shellPacketId } from '../../adb/shell-protocol.js'
import type { Transport } from '../../adb/transport.js'
import { DeviceGone, InvalidAnswer } from '../../base/device-gone.js'
import { logLevels, type LogLine, type LogQuery, type Logs } from '../../adb/device/reports.js'
import { ownPackages } from '../../adb/parts/parts.js'
import { EntryReader, textOf, UnreadableLog, type LogEntry } from './entry.js'
import { logTag } from './mark.js'
import { readOwners, type Owners } from './owners.js'

/** The number of the phone's newest lines that one query reads. */
const readLines = 20_000
/** The maximum bytes of these lines; 20,000 lines have at most 100 MB. */
const readBytes = 100_000_000
/** Characters. */
const longest = { tag: 200, message: 4096 }
/** The limit of a page in bytes: all messages as UTF-8. */
const pageBytes = 2_000_000
const shellUid = 2000

// `exec` is needed since adbd ends only the process that it started itself.
const dump = command('exec', 'logcat', '-B', '-b', 'main,system,crash', '-t', String(readLines))

/** @param mark the line after which the phone's own lines begin; null when the log may show older lines */
export function createLogs(transport: Transport, mark: () => string | null): Logs {
  return {
    async read(query, progress) {
      const begin = mark()
      if (begin === null) throw new ApiError('feature_unavailable', { details: { feature: 'logs' } })
      const owners = await readOwners(transport, progress)
      const newest = new Newest(query, owners, begin)
      try {
        await readEntries(transport, (entry) => newest.add(entry), progress)
      } catch (error) {
        if (!(error instanceof UnreadableLog)) throw error
        throw new ApiError('provider_error', { message: "The phone's log cannot be read.", cause: error })
      }
      return newest.page()
    },
  }
}

/** Passes each entry to `add` until it returns false. @throws UnreadableLog */
async function readEntries(
  transport: Transport,
  add: (entry: LogEntry) => boolean,
  progress: Progress,
): Promise<void> {
  const stream = await transport.spawn(dump, progress)
  const forget = progress.onAbort(() => stream.close())
  const reader = new EntryReader()
  let [bytes, complaint] = [0, '']
  try {
    for (;;) {
      const { id, data } = await readShellPacket(stream)
      if (id === shellPacketId.exit) {
        if (data[0] !== 0) throw new UnreadableLog(`logcat exited with ${data[0] ?? '?'}: ${complaint}`)
        return
      }
      if (id === shellPacketId.stderr) complaint = `${complaint}${data.toString('utf8')}`.slice(0, 300)
      if (id !== shellPacketId.stdout) continue
      if ((bytes += data.length) > readBytes) throw new UnreadableLog(`more than ${readBytes} bytes`)
      for (const entry of reader.add(data)) if (!add(entry)) return
    }
  } catch (error) {
    progress.check('the log')
    if (error instanceof AdbConnectionLost) throw new DeviceGone(transport.serial, error)
    if (error instanceof AdbProtocolError) throw new InvalidAnswer(transport.serial, error)
    throw error
  } finally {
    forget()
    stream.close()
  }
}

/** Names an entry. Two entries of one thread have different times. */
function cursorOf({ seconds, nanoseconds, pid, tid, payload }: LogEntry): string {
  const content = createHash('sha256').update(payload).digest('base64url').slice(0, 8)
  return [seconds, nanoseconds, pid, tid, content].join('.')
}

interface Kept {
  entry: LogEntry
  owner: string | null
}

/** Keeps the newest entries that fit a query, from entries that arrive oldest first. */
class Newest {
  private kept: Kept[] = []
  /** Whether the line of the cursor has passed. */
  private found = false
  private readonly least: number

  constructor(
    private readonly query: LogQuery,
    private readonly owners: Owners,
    private readonly mark: string,
  ) {
    this.least = logLevels.indexOf(query.minLevel)
  }

  /** Adds an entry. Returns false when no later entry belongs to the page. */
  add(entry: LogEntry): boolean {
    const text = textOf(entry.payload)
    if (text === null) return true
    if (entry.uid === shellUid && text.tag === logTag) {
      if (text.message === this.mark) this.kept = []
      return true
    }
    const { query } = this
    const owner = this.owners.of(entry.uid, entry.pid)
    if (owner !== null && ownPackages.has(owner)) return true
    if (this.isAt(entry) && cursorOf(entry) === query.cursor) {
      this.found = true
      return false
    }
    const at = timeOf(entry)
    if (logLevels.indexOf(text.level) < this.least) return true
    if (query.package !== null && owner !== query.package) return true
    if (query.since !== null && at < query.since) return true
    // The message is a copy, since the payload is a part of a larger chunk.
    this.kept.push({ owner, entry: { ...entry, payload: Buffer.from(entry.payload) } })
    if (this.kept.length > 2 * query.limit + 2) this.kept = this.kept.slice(-query.limit - 1)
    return true
  }

  page(): { lines: LogLine[]; more: boolean } {
    // The phone no longer keeps the line of the cursor or earlier lines.
    if (this.query.cursor !== null && !this.found) return { lines: [], more: false }
    const lines: LogLine[] = []
    let bytes = 0
    for (const each of this.kept.toReversed()) {
      const line = lineOf(each)
      if (line === null) continue
      bytes += Buffer.byteLength(line.message) + 300
      if (lines.length === this.query.limit || (bytes > pageBytes && lines.length > 0))
        return { lines, more: true }
      lines.push(line)
    }
    return { lines, more: false }
  }

  /** Whether the entry has the cursor's time, which is compared before the entry's name is built. */
  private isAt({ seconds, nanoseconds }: LogEntry): boolean {
    return this.query.cursor?.startsWith(`${seconds}.${nanoseconds}.`) ?? false
  }
}

function lineOf({ entry, owner }: Kept): LogLine | null {
  const text = textOf(entry.payload)
  if (text === null) return null
  return {
    at: timeOf(entry),
    level: text.level,
    tag: shorten(clean(text.tag), longest.tag),
    pid: Math.max(0, entry.pid),
    package: owner,
    message: shorten(clean(text.message), longest.message),
    cursor: cursorOf(entry),
  }
}

const timeOf = ({ seconds, nanoseconds }: LogEntry): Date =>
  new Date(seconds * 1000 + Math.floor(nanoseconds / 1e6))

/** Removes control characters other than tab and newline. */
export const clean = (text: string): string => text.replace(/(?![\t\n])\p{Cc}/gu, '')
