/**
 * Verifies an APK's content against the digests that signature schemes v2 and v3 list. Streams the
 * file once, for any size. `signatures.ts` verifies the signatures of the digests. Source:
 * source.android.com, "APK Signature Scheme v2", "Integrity-protected contents".
 */
import { createHash } from 'node:crypto'
import { type FileHandle } from 'node:fs/promises'
import { InvalidApk } from './facts.js'
import { itemsOf, prefixed, signedDataOf, slice, type SigningBlock } from './signing-block.js'

const chunkBytes = 1024 ** 2
/** Hash by signature algorithm ID. The phone checks algorithms with a Merkle tree (0x0421…). */
const hashes: Readonly<Record<number, 'sha256' | 'sha512'>> = {
  0x0101: 'sha256',
  0x0102: 'sha512',
  0x0103: 'sha256',
  0x0104: 'sha512',
  0x0201: 'sha256',
  0x0202: 'sha512',
  0x0301: 'sha256',
}
type Hash = (typeof hashes)[number]

const again = 'Sign it again with apksigner, or upload the original file.'

/** @throws InvalidApk when the content differs from the signed content */
export async function checkContentDigests(file: FileHandle, block: SigningBlock): Promise<void> {
  const listed = listedDigests(block)
  for (const hash of new Set(listed.map((digest) => digest.hash))) {
    const actual = await contentDigest(file, block, hash)
    if (listed.some((digest) => digest.hash === hash && !digest.value.equals(actual)))
      throw new InvalidApk(`The content of the APK was changed after it was signed. ${again}`)
  }
}

/** Returns the digests of all signers of all schemes. @throws InvalidApk */
function listedDigests({ schemes }: SigningBlock): { hash: Hash; value: Buffer }[] {
  const found: { hash: Hash; value: Buffer }[] = []
  let listed = 0
  try {
    for (const signedData of schemes.flatMap(signedDataOf)) {
      for (const digest of itemsOf(prefixed(signedData, 0), 'digests')) {
        listed += 1
        const hash = digest.length < 4 ? undefined : hashes[digest.readUInt32LE(0)]
        if (hash !== undefined) found.push({ hash, value: prefixed(digest, 4) })
      }
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new InvalidApk(`The signing block of the APK is damaged. ${again}`, { cause: error })
  }
  if (listed === 0) throw new InvalidApk(`The signature does not cover the content of the APK. ${again}`)
  return found
}

/**
 * Returns the digest over the digests of 1 MiB chunks: the entries, the ZIP's directory, and the end record that the
 * file has without the block.
 */
async function contentDigest(file: FileHandle, block: SigningBlock, hash: Hash): Promise<Buffer> {
  const { start, directory, end, size } = block
  const chunks: Buffer[] = []
  for (const [from, to] of [
    [0, start],
    [directory, end],
    [end, size],
  ] as const) {
    for (let at = from; at < to; at += chunkBytes) {
      const bytes = await slice(file, at, Math.min(chunkBytes, to - at))
      if (from === end && at === end) bytes.writeUInt32LE(start, 16)
      chunks.push(createHash(hash).update(headed(0xa5, bytes.length)).update(bytes).digest())
    }
  }
  const top = createHash(hash).update(headed(0x5a, chunks.length))
  for (const chunk of chunks) top.update(chunk)
  return top.digest()
}

function headed(first: number, value: number): Buffer {
  const bytes = Buffer.alloc(5)
  bytes.writeUInt8(first, 0)
  bytes.writeUInt32LE(value, 1)
  return bytes
}
