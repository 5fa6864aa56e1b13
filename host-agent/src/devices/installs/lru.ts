/** Chooses the package files to evict when another file needs space. Pure. Used by `cache.ts`. */

export interface CachedFile {
  sha256: string
  /** Bytes. */
  size: number
  /** Milliseconds since 1970. */
  usedAt: number
}

/** Returns the unused files, the least recently used first. */
export const oldestUnused = (
  files: readonly CachedFile[],
  inUse: (sha256: string) => boolean,
): CachedFile[] => files.filter(({ sha256 }) => !inUse(sha256)).sort((a, b) => a.usedAt - b.usedAt)

/**
 * Returns the least recently used files whose eviction frees `needed` bytes, without files in use. Null when the
 * eviction of all unused files would not free enough.
 */
export function chooseEvictions(
  files: readonly CachedFile[],
  inUse: (sha256: string) => boolean,
  needed: number,
  limit: number,
): string[] | null {
  let free = limit - files.reduce((sum, file) => sum + file.size, 0)
  const evicted: string[] = []
  for (const file of oldestUnused(files, inUse)) {
    if (free >= needed) break
    evicted.push(file.sha256)
    free += file.size
  }
  return free >= needed ? evicted : null
}
