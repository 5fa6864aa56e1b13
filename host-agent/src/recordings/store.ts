/**
 * The recordings of this host on its disk: a folder each, named by its ID, with what is known of it and its files. What a
 * killed agent leaves is found again here. Used by `recordings.ts` and `finish.ts`.
 */
import { mkdirSync, readdirSync, statSync } from 'node:fs'
import { rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { isId } from '@phonerack/shared'
import { z } from 'zod'
import { readJson, writeJson } from '../base/atomic-file.js'

const entrySchema = z.object({
  id: z.string(),
  serial: z.string(),
  phoneId: z.string(),
  /** Whose it is: opaque, as `Assignment.tenant` has it; empty when it is not known. */
  tenant: z.string().default(''),
  status: z.enum(['recording', 'processing', 'ready', 'failed']),
  /** Milliseconds since 1970: of the first picture. */
  startedAt: z.number(),
  /** Null until it is known. */
  endedAt: z.number().nullable(),
  /** Pixels that hold every picture of it. */
  canvas: z.object({ width: z.int(), height: z.int() }),
  durationMs: z.int(),
  sizeBytes: z.int(),
  /** Hex; empty until it is ready. */
  sha256: z.string(),
  /** Empty unless it failed. */
  failure: z.string(),
})
export type Entry = z.infer<typeof entrySchema>

/** Who shares the room of a host: a tenant, or a phone whose tenant is not known. */
export const ownerOf = ({ tenant, phoneId }: Pick<Entry, 'tenant' | 'phoneId'>): string => tenant || phoneId

export interface RecordingStore {
  all(): Entry[]
  get(id: string): Entry | null
  /** On disk when it returns. @throws Error of the disk, which leaves what was known */
  save(entry: Entry): Entry
  /** Known to this agent only: the next one finds what was saved. A full disk cannot refuse it. */
  keep(entry: Entry): void
  /** With its files; one that is not there is no error. */
  remove(id: string): Promise<void>
  /** The FLV file that is written while the recording runs. Makes its folder. */
  rawPath(id: string): string
  videoPath(id: string): string
  /** Bytes that one takes now, and those of each owner (`ownerOf`). */
  sizeOf(id: string): number
  used(): Map<string, number>
  /** Bytes that are free on the disk. */
  free(): Promise<number>
}

/** `tape.flv` keeps its name: an older agent may have left one. */
const files = { entry: 'recording.json', raw: 'tape.flv', video: 'video.mp4' }

/** @throws when an entry cannot be read: a recording must not be forgotten silently */
export function openRecordingStore(dir: string): RecordingStore {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const entries = new Map<string, Entry>()
  /** Only an ID names a folder, whatever a caller sends. */
  const folder = (id: string): string => {
    if (!isId('recording', id)) throw new Error(`${id} is not a valid recording ID`)
    return join(dir, id)
  }
  for (const id of readdirSync(dir).filter((name) => isId('recording', name))) {
    const found = readJson(join(folder(id), files.entry))
    // Of one that was killed before its first picture there is nothing to keep.
    if (found !== null) entries.set(id, entrySchema.parse(found))
  }
  const bytesOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0
  const sizeOf = (id: string): number =>
    bytesOf(join(folder(id), files.raw)) + bytesOf(join(folder(id), files.video))
  return {
    all: () => [...entries.values()],
    get: (id) => entries.get(id) ?? null,
    save(entry) {
      writeJson(join(folder(entry.id), files.entry), entry)
      entries.set(entry.id, entry)
      return entry
    },
    keep: (entry) => void entries.set(entry.id, entry),
    async remove(id) {
      entries.delete(id)
      await rm(folder(id), { recursive: true, force: true })
    },
    rawPath(id) {
      mkdirSync(folder(id), { recursive: true, mode: 0o700 })
      return join(folder(id), files.raw)
    },
    videoPath: (id) => join(folder(id), files.video),
    sizeOf,
    used() {
      const bytes = new Map<string, number>()
      for (const entry of entries.values()) {
        const owner = ownerOf(entry)
        bytes.set(owner, (bytes.get(owner) ?? 0) + sizeOf(entry.id))
      }
      return bytes
    },
    async free() {
      const { bavail, bsize } = await statfs(dir)
      return bavail * bsize
    },
  }
}
