/**
 * Stores recordings on this host's disk. Each recording has a folder, named by its ID, with its entry and
 * files. Finds the recordings of a killed agent. Used by `recordings.ts`, `conversion-queue.ts` and
 * `finish.ts`.
 */
import { mkdirSync, readdirSync, statSync } from 'node:fs'
import { rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { isId } from '@phonerack/shared'
import { z } from 'zod'
import { readJson, writeJson } from '../../base/atomic-file.js'

const entrySchema = z.object({
  id: z.string(),
  serial: z.string(),
  phoneId: z.string(),
  /** The recording's owner, an opaque string (`Assignment.tenant`); empty when unknown. */
  tenant: z.string().default(''),
  status: z.enum(['recording', 'processing', 'ready', 'failed']),
  /** Time of the first picture, in milliseconds since 1970. */
  startedAt: z.number(),
  /** Null until the value is known. */
  endedAt: z.number().nullable(),
  /** Pixels that contain every picture. */
  canvas: z.object({ width: z.int(), height: z.int() }),
  durationMs: z.int(),
  sizeBytes: z.int(),
  /** Hex; empty until the recording is ready. */
  sha256: z.string(),
  /** Why the recording failed; empty otherwise. */
  failure: z.string(),
})
export type Entry = z.infer<typeof entrySchema>

/** Returns the unit that shares a host's space: a tenant, or a phone whose tenant is unknown. */
export const ownerOf = ({ tenant, phoneId }: Pick<Entry, 'tenant' | 'phoneId'>): string => tenant || phoneId

export interface RecordingStore {
  all(): Entry[]
  get(id: string): Entry | null
  /**
   * Writes the entry to disk before it returns.
   * @throws a disk error, which leaves the previous entry
   */
  save(entry: Entry): Entry
  /**
   * Changes the entry in memory only, which also works on a full disk. After a restart, the agent finds the saved
   * entry.
   */
  keepInMemory(entry: Entry): void
  /** Deletes a recording with its files. A missing recording is not an error. */
  remove(id: string): Promise<void>
  /** Returns the FLV file of the running recording. Creates its folder. */
  rawPath(id: string): string
  videoPath(id: string): string
  /** Returns the bytes that a recording uses now. */
  sizeOf(id: string): number
  /** Returns the bytes that each owner (`ownerOf`) uses now. */
  used(): Map<string, number>
  /** Returns the free bytes on the disk. */
  free(): Promise<number>
}

/** `tape.flv` keeps its name, since an older agent may have left such a file. */
const files = { entry: 'recording.json', raw: 'tape.flv', video: 'video.mp4' }

/** @throws when an entry cannot be read: a recording must not be lost silently */
export function openRecordingStore(dir: string): RecordingStore {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const entries = new Map<string, Entry>()
  /** Refuses input that is not a recording ID, so that no path leaves `dir`. */
  const folder = (id: string): string => {
    if (!isId('recording', id)) throw new Error(`${id} is not a valid recording ID`)
    return join(dir, id)
  }
  for (const id of readdirSync(dir).filter((name) => isId('recording', name))) {
    const found = readJson(join(folder(id), files.entry))
    // The agent was killed before the first picture of a recording without an entry.
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
    keepInMemory: (entry) => void entries.set(entry.id, entry),
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
