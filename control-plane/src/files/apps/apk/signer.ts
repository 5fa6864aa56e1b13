/**
 * Identifies an APK's signer: the SHA-256 of the first signer's certificate, by scheme v3, v2 or v1 (JAR). This code
 * verifies schemes v2 and v3; the phone verifies v1. No library returns the certificate for v2 and v3.
 */
import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { ContentInfo, SignedData } from '@peculiar/asn1-cms'
import { AsnConvert } from '@peculiar/asn1-schema'
import { checkContentDigests } from './content-digests.js'
import { checkSignatures } from './signatures.js'
import { prefixed, readSigningBlock, signedDataOf, type Scheme } from './signing-block.js'
import { type Apk } from './zip.js'

export interface Signature {
  /** Hex SHA-256 of the first signer's certificate. */
  signer: string
  /** The APK is signed by v1 (JAR) only, so the phone verifies the content. */
  jarOnly: boolean
}

/** Returns null if there is no readable signature. @throws InvalidApk if the file was changed after it was signed */
export async function signatureOf(path: string, apk: Apk): Promise<Signature | null> {
  const byScheme = await fromSigningBlock(path)
  const certificate = byScheme ?? fromJar(await apk.read('signature'))
  if (certificate === null) return null
  return { signer: createHash('sha256').update(certificate).digest('hex'), jarOnly: byScheme === null }
}

/** Returns the certificate. */
async function fromSigningBlock(path: string): Promise<Buffer | null> {
  const file = await open(path, 'r')
  try {
    const block = await readSigningBlock(file)
    const certificate = block?.schemes[0] === undefined ? null : firstCertificate(block.schemes[0])
    if (block !== null && certificate !== null) {
      checkSignatures(block)
      await checkContentDigests(file, block)
    }
    return certificate
  } finally {
    await file.close()
  }
}

/** Returns null for lengths outside the block, which then count as no signature. */
function firstCertificate(scheme: Scheme): Buffer | null {
  try {
    const [signedData] = signedDataOf(scheme)
    if (signedData === undefined) return null
    const digests = prefixed(signedData, 0)
    return prefixed(prefixed(signedData, 4 + digests.length), 0)
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

function fromJar(message: Buffer | null): Buffer | null {
  if (message === null) return null
  try {
    const { content } = AsnConvert.parse(message, ContentInfo)
    const certificate = AsnConvert.parse(content, SignedData).certificates?.[0]?.certificate
    return certificate ? Buffer.from(AsnConvert.serialize(certificate)) : null
  } catch (error) {
    // A malformed PKCS #7 message counts as no signature.
    if (error instanceof Error) return null
    throw error
  }
}
