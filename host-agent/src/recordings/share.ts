/**
 * Divides a host's recording space: equal shares, one more than there are owners, so
 * that the next owner finds space however much the others record. Pure. Used by
 * `recordings.ts`.
 */

/**
 * Whether an owner may take `bytes` more. Its share shrinks when another owner comes:
 * it keeps what it has, and takes no more. @param used bytes of each owner that has
 * recordings
 */
export function hasRoom(
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
