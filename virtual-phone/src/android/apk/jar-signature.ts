/**
 * Reads the certificate of an APK that is signed only as a JAR (scheme v1): `META-INF/*.RSA`, a PKCS #7
 * message. Its digests are not checked.
 */
import { ContentInfo, SignedData } from '@peculiar/asn1-cms'
import { AsnConvert } from '@peculiar/asn1-schema'
import type { ZipFile } from './zip.js'

const maxMessageBytes = 1024 ** 2

/** Returns the certificate in DER format; null when the APK has no certificate. */
export async function v1Certificate(zip: ZipFile): Promise<Buffer | null> {
  const name = [...zip.entries.keys()].find((each) => /^META-INF\/[^/]+\.(RSA|DSA|EC)$/.test(each))
  const message = name === undefined ? null : await zip.read(name, maxMessageBytes)
  if (message === null) return null
  try {
    const { content } = AsnConvert.parse(message, ContentInfo)
    const certificate = AsnConvert.parse(content, SignedData).certificates?.[0]?.certificate
    return certificate === undefined ? null : Buffer.from(AsnConvert.serialize(certificate))
  } catch (error) {
    if (error instanceof Error) return null
    throw error
  }
}
