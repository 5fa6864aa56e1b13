/**
 * Records on disk which writes to phones have begun and not ended, so that an agent
 * killed during a write reports an unknown outcome and never repeats the write. A line
 * is written before the first byte goes to the phone, and after the end. Written but
 * not synced: the journal covers a crash of the process only.
 */
import { closeSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { z } from 'zod'

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
    'reboot',
    'clipboard',
    'location',
    'locale',
    'timezone',
    'file',
    'install',
    'uninstall',
  ]),
  requestId: z.string(),
  at: z.string(),
})
const lineSchema = z.union([beginSchema, z.object({ end: z.string() })])

export type JournalEntry = z.infer<typeof beginSchema>
export type OperationKind = JournalEntry['kind']

export interface Journal {
  /**
   * Writes that had begun and not ended when the agent last died. Returned once: the
   * file is then reset.
   */
  readonly leftOpen: readonly JournalEntry[]
  /** On disk when it returns; the returned function records the end. */
  begin(entry: Omit<JournalEntry, 'begin' | 'at'> & { id: string }): () => void
  close(): void
}

/** The file is rewritten with only the open entries once it exceeds this many bytes. */
const compactAt = 1 << 20

export function openJournal(path: string, now: () => Date): Journal {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const leftOpen = readOpen(path)
  const open = new Map<string, JournalEntry>()
  let file = rewrite()
  let size = 0
  let closed = false

  function rewrite(): number {
    const beside = `${path}.new`
    writeFileSync(beside, [...open.values()].map((entry) => `${JSON.stringify(entry)}\n`).join(''), {
      mode: 0o600,
    })
    renameSync(beside, path)
    return openSync(path, 'a')
  }

  function append(line: unknown): void {
    size += writeSync(file, `${JSON.stringify(line)}\n`)
    if (size < compactAt) return
    closeSync(file)
    file = rewrite()
    size = 0
  }

  return {
    leftOpen,
    begin({ id, ...fields }) {
      const entry: JournalEntry = { begin: id, ...fields, at: now().toISOString() }
      open.set(id, entry)
      append(entry)
      return () => {
        // After the close, ends are not recorded: the next start correctly reports an
        // unknown outcome.
        if (open.delete(id) && !closed) append({ end: id })
      }
    },
    close() {
      closed = true
      closeSync(file)
    },
  }
}

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
