/**
 * Package files on this host's disk, by the SHA-256 of their content, so that many phones share one upload. A file gets
 * its name only when it is complete and correct. A limit and the free space of the disk bound the cache: the least
 * recently used files are evicted first, and files in use are never evicted. The cache survives a restart of the agent.
 * Used by `installs.ts`.
 */
import { createHash, randomBytes } from 'node:crypto'
import { mkdir, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { ApiError, Progress } from '@phonerack/shared'
import { chooseEvictions, oldestUnused, type CachedFile } from './lru.js'

export interface FileHeader {
  /** Hex. */
  sha256: string
  /** Bytes. */
  size: number
}

export interface PackageCache {
  /** Returns the path of the file; null when it is absent or has another size. */
  pathOf(file: FileHeader): string | null
  /** Protects these files, including later ones, from eviction until the returned function is called. */
  hold(files: readonly FileHeader[]): () => void
  /**
   * Stores one file, or nothing unless hash and size are correct. Does not read a file
   * that exists.
   * @throws ApiError validation_failed, storage_full
   */
  put(file: FileHeader, chunks: AsyncIterable<Uint8Array>, progress: Progress): Promise<void>
  /**
   * Frees space on a full disk: evicts the least recently used files until enough is free. Evicts at least one file,
   * because a disk can lack inodes instead of bytes.
   */
  makeRoom(): Promise<void>
  /** Removes a file that turned out to be corrupt. */
  drop(sha256: string): Promise<void>
  /** Whether the file is being received. */
  isReceiving(sha256: string): boolean
}

/** The disk of the folder. */
interface Room {
  /** The bytes that must stay free. */
  keep: number
  /** The free bytes; null when unknown. */
  free: () => Promise<number | null>
}

const partPrefix = '.part-'
const isSha256 = (name: string): boolean => /^[0-9a-f]{64}$/.test(name)

const invalid = (message: string): ApiError => new ApiError('validation_failed', { message })
const cacheFull = (cause?: unknown): ApiError =>
  new ApiError('storage_full', { message: "The host's cache of package files is full.", cause })

/** Opens the folder and removes partial files of a crash. `limit` in bytes. */
export async function openPackageCache(
  dir: string,
  limit: number,
  room: Room,
  now: () => number = Date.now,
): Promise<PackageCache> {
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const files = new Map<string, CachedFile>()
  for (const name of await readdir(dir)) {
    const path = join(dir, name)
    if (name.startsWith(partPrefix)) await rm(path, { force: true })
    if (!isSha256(name)) continue
    const found = await stat(path)
    files.set(name, { sha256: name, size: found.size, usedAt: found.mtimeMs })
  }
  const holds = new Map<string, number>()
  const receiving = new Map<string, number>()
  /** Bytes reserved for files being received. */
  let expected = 0
  /** Serialises eviction. */
  let lastReservation: Promise<unknown> = Promise.resolve()

  const adjust = (table: Map<string, number>, sha256: string, by: 1 | -1): void => {
    const value = (table.get(sha256) ?? 0) + by
    if (value > 0) table.set(sha256, value)
    else table.delete(sha256)
  }

  /**
   * Writes the time of use to the file, where the next start reads it. The disk's own
   * clock is too coarse to order two files.
   */
  async function use(path: string): Promise<number> {
    const usedAt = now()
    await utimes(path, usedAt / 1000, usedAt / 1000)
    return usedAt
  }

  function inTurn(work: () => Promise<void>): Promise<void> {
    const mine = lastReservation.then(work)
    lastReservation = mine.catch((error: unknown) => {
      if (!(error instanceof Error)) throw error
    })
    return mine
  }

  /** Returns the number of missing bytes. A negative number is the number of bytes that can still be stored. */
  async function missingRoom(progress: Progress): Promise<number> {
    const free = await progress.race('the free space of the disk', () => room.free())
    return free === null ? -Infinity : room.keep - free
  }

  /** Reserves `size` bytes for the caller, who releases them. */
  const reserve = (size: number, progress: Progress): Promise<void> =>
    inTurn(async () => {
      const missing = await missingRoom(progress)
      const stored = [...files.values()].reduce((sum, file) => sum + file.size, 0)
      const evicted = chooseEvictions(
        [...files.values()],
        (sha256) => holds.has(sha256),
        size + expected,
        Math.min(limit, stored - missing),
      )
      if (evicted === null) throw cacheFull()
      expected += size
      for (const sha256 of evicted) await cache.drop(sha256)
    })

  const cache: PackageCache = {
    pathOf({ sha256, size }) {
      return files.get(sha256)?.size === size ? join(dir, sha256) : null
    },
    hold(held) {
      for (const { sha256 } of held) adjust(holds, sha256, 1)
      let released = false
      return () => {
        if (released) return
        released = true
        for (const { sha256 } of held) adjust(holds, sha256, -1)
      }
    },
    async put({ sha256, size }, chunks, progress) {
      if (!isSha256(sha256)) throw invalid('The sha256 must be 64 lower-case hex digits.')
      if (!Number.isSafeInteger(size) || size < 1) throw invalid('The size must be at least one byte.')
      const known = files.get(sha256)
      if (known?.size === size) {
        known.usedAt = await use(join(dir, sha256))
        return
      }
      await reserve(size, progress)
      adjust(receiving, sha256, 1)
      const part = join(dir, `${partPrefix}${randomBytes(8).toString('hex')}`)
      try {
        await receive(part, { sha256, size }, chunks, progress)
        const usedAt = await use(part)
        await rename(part, join(dir, sha256))
        files.set(sha256, { sha256, size, usedAt })
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOSPC') throw cacheFull(error)
        throw error
      } finally {
        expected -= size
        adjust(receiving, sha256, -1)
        await rm(part, { force: true })
      }
    },
    makeRoom: () =>
      inTurn(async () => {
        const missing = await missingRoom(Progress.for(5000))
        let freed = 0
        for (const { sha256, size } of oldestUnused([...files.values()], (sha256) => holds.has(sha256))) {
          if (freed > 0 && freed >= missing) break
          await cache.drop(sha256)
          freed += size
        }
      }),
    async drop(sha256) {
      files.delete(sha256)
      await rm(join(dir, sha256), { force: true })
    },
    isReceiving: (sha256) => receiving.has(sha256),
  }
  return cache
}

/**
 * Writes the chunks and verifies them. The file is synced before the call returns, since the file's name must
 * survive a crash of the machine.
 */
async function receive(
  path: string,
  { sha256, size }: FileHeader,
  chunks: AsyncIterable<Uint8Array>,
  progress: Progress,
): Promise<void> {
  const hash = createHash('sha256')
  const file = await open(path, 'wx', 0o600)
  try {
    let written = 0
    const iterator = chunks[Symbol.asyncIterator]()
    for (;;) {
      const next = await progress.race('a package file', () => iterator.next())
      if (next.done) break
      written += next.value.length
      if (written > size) throw invalid('The file is longer than its header declares.')
      hash.update(next.value)
      await file.writeFile(next.value)
    }
    if (written !== size) throw invalid('The file is shorter than its header declares.')
    if (hash.digest('hex') !== sha256) throw invalid('The file does not match the SHA-256 of its header.')
    await file.sync()
  } finally {
    await file.close()
  }
}
