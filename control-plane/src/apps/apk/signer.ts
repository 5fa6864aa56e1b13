/**
 * Who an APK says has signed it: the SHA-256 of the first signer's certificate, by scheme v3, v2 or v1 (JAR). Whether
 * the signature fits the file is checked by the phone; here builds are told apart, and unsigned files refused early.
 * No library gives it for v2 and v3. Source: source.android.com, "APK Signature Scheme v2" and "v3".
 */
import { createHash } from 'node:crypto'
import { open, type FileHandle } from 'node:fs/promises'
import { ContentInfo, SignedData } from '@peculiar/asn1-cms'
import { AsnConvert } from '@peculiar/asn1-schema'
import { type Apk } from './zip.js'

const blockMark = Buffer.from('APK Sig Block 42')
const maxBlockBytes = 16 * 1024 ** 2
/** Bytes at the end of a ZIP file in which its end record lies: 22, and a comment. */
const endBytes = 22 + 0xffff
const endMark = 0x06054b50
/** Of the pairs in the signing block: v3.1, v3, v2. */
const schemes = [0x1b93ad61, 0xf05368c0, 0x7109871a]

/** Null when nobody has signed it, as far as can be read. */
export async function signerOf(path: string, apk: Apk): Promise<string | null> {
  const certificate = (await fromSigningBlock(path)) ?? fromJar(await apk.read('signature'))
  return certificate === null ? null : createHash('sha256').update(certificate).digest('hex')
}

async function fromSigningBlock(path: string): Promise<Buffer | null> {
  const file = await open(path, 'r')
  try {
    const block = await readBlock(file)
    if (!block) return null
    const pairs = pairsIn(block)
    const signers = schemes.map((id) => pairs.get(id)).find((pair) => pair !== undefined)
    return signers ? firstCertificate(signers) : null
  } catch (error) {
    // Lengths that lead out of the block: no signature.
    if (error instanceof RangeError) return null
    throw error
  } finally {
    await file.close()
  }
}

/** The pairs of the block before the ZIP's central directory; null when there is none. */
async function readBlock(file: FileHandle): Promise<Buffer | null> {
  const { size } = await file.stat()
  const tail = await slice(file, Math.max(0, size - endBytes), Math.min(size, endBytes))
  let end = tail.length - 22
  while (end >= 0 && tail.readUInt32LE(end) !== endMark) end -= 1
  if (end < 0) return null
  const directory = tail.readUInt32LE(end + 16)
  if (directory < 32) return null
  const footer = await slice(file, directory - 24, 24)
  const bytes = Number(footer.readBigUInt64LE(0))
  if (!footer.subarray(8).equals(blockMark) || bytes < 24 || bytes > maxBlockBytes || bytes + 8 > directory)
    return null
  return slice(file, directory - bytes, bytes - 24)
}

async function slice(file: FileHandle, position: number, length: number): Promise<Buffer> {
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

/** signers → signer → signed data → (digests, certificates) → certificate, each after its length. */
function firstCertificate(pair: Buffer): Buffer {
  const signedData = prefixed(prefixed(prefixed(pair, 0), 0), 0)
  const digests = prefixed(signedData, 0)
  return prefixed(prefixed(signedData, 4 + digests.length), 0)
}

/** @throws RangeError */
function prefixed(bytes: Buffer, at: number): Buffer {
  const length = bytes.readUInt32LE(at)
  if (at + 4 + length > bytes.length) throw new RangeError('a length beyond the end')
  return bytes.subarray(at + 4, at + 4 + length)
}

function fromJar(message: Buffer | null): Buffer | null {
  if (message === null) return null
  try {
    const { content } = AsnConvert.parse(message, ContentInfo)
    const certificate = AsnConvert.parse(content, SignedData).certificates?.[0]?.certificate
    return certificate ? Buffer.from(AsnConvert.serialize(certificate)) : null
  } catch (error) {
    // Not the message it should be: as good as none.
    if (error instanceof Error) return null
    throw error
  }
}
