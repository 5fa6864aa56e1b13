/**
 * Records on disk the writes to phones that have begun and not ended, so that an agent killed during a write
 * reports an unknown outcome and never repeats the write. A line is written before the first byte goes to the
 * phone, and after the end. Lines are not synced, since the journal covers only a crash of the process. On a
 * full disk a write cannot begin, and a running write ends normally.
 */
import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { z } from 'zod'
import { ownFaultOf } from '../base/own-fault.js'

const beginSchema = z.object({
  begin: z.string(),
  serial: z.string(),
  phoneId: z.string(),
  fencingNumber: z.string(),
  kind: z.enum([
    'batch',
    'start',
    'park',
    'wipe',
    'enroll',
    'adopt',
    'forget',
    'reboot',
    'clipboard',
    'location',
    'locale',
    'timezone',
    'file',
    'install',
    'uninstall',
    'permissions',
    'notification',
  ]),
  requestId: z.string(),
  at: z.string(),
})
const lineSchema = z.union([beginSchema, z.object({ end: z.string() })])

type JournalEntry = z.infer<typeof beginSchema>
export type OperationKind = JournalEntry['kind']

export interface Journal {
  /**
   * Writes that had begun and not ended when the agent last died. Returned once: the
   * file is then reset.
   */
  readonly leftOpen: readonly JournalEntry[]
  /**
   * Records the begin of a write on disk before it returns. The returned function records the end, and does
   * not fail on a full disk.
   * @throws an error of the file system when the line cannot be written: the write must not begin
   */
  begin(entry: Omit<JournalEntry, 'begin' | 'at'> & { id: string }): () => void
  close(): void
}

/** The file is rewritten with only the open entries once it exceeds this many bytes. */
const compactAt = 1 << 20

export interface Disk {
  /** Writes a part of `bytes` from `offset` on, and returns the part's length. */
  write: (file: number, bytes: Buffer, offset: number) => number
  /** Creates a file for appending. */
  open: (path: string) => number
}

const realDisk: Disk = { write: writeSync, open: (path) => openSync(path, 'ax', 0o600) }

/** @param disk replaced by tests of disk faults */
export function openJournal(path: string, now: () => Date, disk: Partial<Disk> = {}): Journal {
  const { write, open: openFile } = { ...realDisk, ...disk }
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const leftOpen = readOpen(path)
  const open = new Map<string, JournalEntry>()
  /** Ends that could not be written because the disk was full. */
  let unwrittenEnds: string[] = []
  let file = -1
  let size = 0
  let closed = false
  rewrite()

  /** @throws when the disk is full or no file can be opened; the earlier file stays in use */
  function rewrite(): void {
    const beside = `${path}.new`
    const text = [...open.values()].map(lineOf).join('')
    rmSync(beside, { force: true })
    // The new file is opened before the rename. If opening fails, further lines go to the earlier file, which still has
    // its name.
    const next = openFile(beside)
    try {
      writeFileSync(next, text)
      renameSync(beside, path)
    } catch (error) {
      closeSync(next)
      throw error
    }
    const before = file
    file = next
    size = Buffer.byteLength(text)
    unwrittenEnds = []
    if (before >= 0) closeSync(before)
  }

  /** Appends whole lines or nothing. */
  function append(text: string): void {
    const bytes = Buffer.from(text)
    let written = 0
    try {
      while (written < bytes.length) written += write(file, bytes, written)
      size += written
    } catch (error) {
      // An incomplete line would make the next line unreadable.
      ftruncateSync(file, size)
      throw error
    }
    if (size < compactAt) return
    try {
      rewrite()
    } catch (error) {
      // The file is complete, and only larger than necessary.
      if (ownFaultOf(error) === null) throw error
    }
  }

  /** The writes on phones are done, so their answers must not become errors: lines that the disk refuses are written later. */
  function writeEnds(): void {
    const ends = unwrittenEnds
    if (ends.length === 0) return
    try {
      append(ends.map((end) => lineOf({ end })).join(''))
    } catch (error) {
      if (ownFaultOf(error) === null) throw error
      return
    }
    unwrittenEnds = []
  }

  return {
    leftOpen,
    begin({ id, ...fields }) {
      const entry: JournalEntry = { begin: id, ...fields, at: now().toISOString() }
      open.set(id, entry)
      try {
        append(lineOf(entry))
      } catch (error) {
        open.delete(id)
        throw error
      }
      writeEnds()
      return () => {
        // After the close, ends are not recorded: the next start correctly reports an
        // unknown outcome.
        if (!open.delete(id) || closed) return
        unwrittenEnds.push(id)
        writeEnds()
      }
    },
    close() {
      writeEnds()
      closed = true
      closeSync(file)
    },
  }
}

const lineOf = (line: unknown): string => `${JSON.stringify(line)}\n`

function readOpen(path: string): JournalEntry[] {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
  const open = new Map<string, JournalEntry>()
  // Text after the last newline was truncated by the crash: its write had not begun.
  for (const line of text.split('\n').slice(0, -1)) {
    const parsed = lineSchema.parse(JSON.parse(line))
    if ('begin' in parsed) open.set(parsed.begin, parsed)
    else open.delete(parsed.end)
  }
  return [...open.values()]
}
