/**
 * Divides a host's recording space into equal shares: one share for each owner, and a free share for the next
 * owner. Pure. Used by `recordings.ts`.
 */

/**
 * Whether an owner can write `bytes` more. Shares shrink when another owner records. An owner above its new share keeps
 * its recordings, but cannot add more. @param used bytes
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
