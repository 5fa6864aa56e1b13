/**
 * The APK Signing Block: the signatures of schemes v2 and newer, between a ZIP file's entries and
 * its directory. Read by `signer.ts`, `signatures.ts` and `content-digests.ts`. Source:
 * source.android.com, "APK Signature Scheme v2" and "v3".
 */
import { type FileHandle } from 'node:fs/promises'
import { InvalidApk } from './facts.js'

const mark = Buffer.from('APK Sig Block 42')
const maxBlockBytes = 16 * 1024 ** 2
/** Bytes at the end of a ZIP file that contain its end record: 22, plus a comment. */
const endBytes = 22 + 0xffff
const endMark = 0x06054b50
/** IDs of the pairs in the block, newest first: v3.1, v3, v2. */
const schemes = [
  { id: 0x1b93ad61, isV3: true },
  { id: 0xf05368c0, isV3: true },
  { id: 0x7109871a, isV3: false },
]

export interface SigningBlock {
  /**
   * Offsets in the file: of the block, of the ZIP's directory after the block, of the ZIP's end record, and of the
   * file's end.
   */
  start: number
  directory: number
  end: number
  size: number
  /** The schemes present, newest first. */
  schemes: Scheme[]
}

/** A scheme's data about its signers. */
export interface Scheme {
  /** True for v3 and v3.1, whose signers name a range of API levels. */
  isV3: boolean
  bytes: Buffer
}

/** Returns null if the file has no signing block. */
export async function readSigningBlock(file: FileHandle): Promise<SigningBlock | null> {
  const { size } = await file.stat()
  const tailAt = Math.max(0, size - endBytes)
  const tail = await slice(file, tailAt, Math.min(size, endBytes))
  let end = tail.length - 22
  while (end >= 0 && tail.readUInt32LE(end) !== endMark) end -= 1
  if (end < 0) return null
  const directory = tail.readUInt32LE(end + 16)
  if (directory < 32) return null
  const footer = await slice(file, directory - 24, 24)
  if (footer.length < 24 || !footer.subarray(8).equals(mark)) return null
  const bytes = Number(footer.readBigUInt64LE(0))
  if (bytes < 24 || bytes > maxBlockBytes || bytes + 8 > directory) return null
  const pairs = pairsIn(await slice(file, directory - bytes, bytes - 24))
  return {
    start: directory - bytes - 8,
    directory,
    end: tailAt + end,
    size,
    schemes: schemes.flatMap(({ id, isV3 }) => {
      const bytes = pairs.get(id)
      return bytes === undefined ? [] : [{ isV3, bytes }]
    }),
  }
}

export async function slice(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position)
  return buffer.subarray(0, bytesRead)
}

function pairsIn(block: Buffer): Map<number, Buffer> {
  const pairs = new Map<number, Buffer>()
  for (let at = 0; at + 12 <= block.length;) {
    const length = Number(block.readBigUInt64LE(at))
    if (length < 4 || at + 8 + length > block.length) break
    pairs.set(block.readUInt32LE(at + 8), block.subarray(at + 12, at + 8 + length))
    at += 8 + length
  }
  return pairs
}

/**
 * Limits of list lengths: a file may contain millions of items, and each costs a verification. Android accepts 10
 * signers of scheme v2 and one signer of v3; there are 10 signature algorithms.
 */
const most = { signers: 10, signatures: 16, digests: 16 }

/**
 * Returns the items of a list of length-prefixed items. @throws RangeError; InvalidApk if the list is longer than
 * `most` allows
 */
export function itemsOf(list: Buffer, what: keyof typeof most): Buffer[] {
  const items: Buffer[] = []
  for (let at = 0; at < list.length; at += 4 + (items.at(-1)?.length ?? 0)) {
    if (items.length === most[what])
      throw new InvalidApk(
        `Its signing block lists more than ${most[what]} ${what}. Sign the APK again with fewer.`,
      )
    items.push(prefixed(list, at))
  }
  return items
}

/** @throws RangeError */
export function prefixed(bytes: Buffer, at: number): Buffer {
  if (at + 4 > bytes.length) throw new RangeError('a length beyond the end')
  const length = bytes.readUInt32LE(at)
  if (at + 4 + length > bytes.length) throw new RangeError('a length beyond the end')
  return bytes.subarray(at + 4, at + 4 + length)
}

/**
 * Returns the data that each signer of a scheme has signed: digests, certificates, attributes. @throws RangeError,
 * InvalidApk
 */
export const signedDataOf = ({ bytes }: Scheme): Buffer[] =>
  itemsOf(prefixed(bytes, 0), 'signers').map((signer) => prefixed(signer, 0))
