/**
 * Encrypts short texts that a client keeps for us and must not read: AES-256-GCM with a random nonce. A text opens only in the
 * context for which it was sealed.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** Bytes. */
const nonceLength = 12
const tagLength = 16

/** A key for this use only. @param secret shared by all replicas */
export const sealingKey = (secret: Uint8Array): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', secret, '', 'phonerack sealed text', 32))

/** Returns base64url. */
export function seal(key: Uint8Array, context: string, text: string): string {
  const nonce = randomBytes(nonceLength)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context))
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url')
}

/** Null for anything but a text that `seal` returned for this key and context. */
export function unseal(key: Uint8Array, context: string, given: string): string | null {
  const bytes = Buffer.from(given, 'base64url')
  // The last character has unused bits, and the decoder skips characters that are not of the alphabet.
  if (bytes.length < nonceLength + tagLength || bytes.toString('base64url') !== given) return null
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceLength))
    .setAAD(Buffer.from(context))
    .setAuthTag(bytes.subarray(nonceLength, nonceLength + tagLength))
  const text = decipher.update(bytes.subarray(nonceLength + tagLength))
  try {
    return Buffer.concat([text, decipher.final()]).toString('utf8')
  } catch (error) {
    // The tag does not match.
    if (error instanceof Error) return null
    throw error
  }
}
