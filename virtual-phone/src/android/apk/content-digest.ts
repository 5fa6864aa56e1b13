/**
 * Computes the digest over an APK's contents that schemes v2 and v3 sign: the digests of chunks of 1 MiB, and
 * a digest over these digests.
 */
import { createHash } from 'node:crypto'
import type { ZipFile } from './zip.js'

const chunkBytes = 1024 ** 2

/**
 * @param blockOffset the start of the signing block, which replaces the directory's offset in the end record
 */
export async function contentDigest(
  zip: ZipFile,
  blockOffset: number,
  hash: 'sha256' | 'sha512',
): Promise<Buffer> {
  const end = await zip.slice(zip.endOffset, zip.size - zip.endOffset)
  end.writeUInt32LE(blockOffset, 16)
  const digests: Buffer[] = []
  const add = (chunk: Buffer) => {
    digests.push(createHash(hash).update(prefixed(0xa5, chunk.length)).update(chunk).digest())
  }
  const sections = [
    [0, blockOffset],
    [zip.directoryOffset, zip.endOffset],
  ] as const
  for (const [from, to] of sections) {
    for (let at = from; at < to; at += chunkBytes) add(await zip.slice(at, Math.min(chunkBytes, to - at)))
  }
  for (let at = 0; at < end.length; at += chunkBytes) add(end.subarray(at, at + chunkBytes))
  const top = createHash(hash).update(prefixed(0x5a, digests.length))
  for (const digest of digests) top.update(digest)
  return top.digest()
}

function prefixed(mark: number, count: number): Buffer {
  const bytes = Buffer.alloc(5)
  bytes.writeUInt8(mark, 0)
  bytes.writeUInt32LE(count, 1)
  return bytes
}
