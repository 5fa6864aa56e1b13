/**
 * Divides a host's recording space into equal shares: one for each owner, and one free
 * for the next owner, however much the others record. Pure. Used by `recordings.ts`.
 */

/**
 * Whether an owner can write `bytes` more. Shares shrink when another owner comes: an
 * owner above its new share keeps its recordings and cannot add any. @param used bytes
 * of each owner that has recordings
 */
export function hasSpace(
  used: ReadonlyMap<string, number>,
  owner: string,
  bytes: number,
  allBytes: number,
): boolean {
  const own = used.get(owner) ?? 0
  const owners = used.has(owner) ? used.size : used.size + 1
  const sum = [...used.values()].reduce((total, each) => total + each, 0)
  return own + bytes <= allBytes / (owners + 1) && sum + bytes <= allBytes
}
