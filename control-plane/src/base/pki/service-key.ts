/**
 * The service key: 32 random bytes in a file that all replicas share, outside of the database. It
 * encrypts secrets in the database, with AES-256-GCM.
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import path from 'node:path'
import { createPrivate, makePrivateFolder } from '@phonerack/shared'
import { fromPem, readIfThere, toPem } from './pem.js'

const label = 'PHONERACK SERVICE KEY'
const cipher = 'aes-256-gcm'
const [keyBytes, nonceBytes, tagBytes] = [32, 12, 16]

export class ServiceKey {
  private constructor(private readonly secret: Buffer) {
    if (secret.length !== keyBytes) throw new Error(`the service key must have ${keyBytes} bytes`)
  }

  /** Returns null if the file does not exist. @throws Error if it contains no key */
  static async read(file: string): Promise<ServiceKey | null> {
    const text = await readIfThere(file)
    return text === null ? null : new ServiceKey(fromPem(label, text))
  }

  /**
   * Reads the key, or creates a key. @param like a new file gets the owner, group and mode of this file, if it exists
   */
  static async ensure(file: string, like: string = file): Promise<ServiceKey> {
    makePrivateFolder(path.dirname(file))
    const text = (await readIfThere(file)) ?? createPrivate(file, toPem(label, randomBytes(keyBytes)), like)
    return new ServiceKey(fromPem(label, text))
  }

  /** Wraps a key that is stored elsewhere, encrypted with the service key. @param secret 32 random bytes */
  static of(secret: Buffer): ServiceKey {
    return new ServiceKey(secret)
  }

  /** Identifies the key without revealing it. */
  get id(): string {
    return createHmac('sha256', this.secret).update('phonerack service key id').digest('hex').slice(0, 16)
  }

  /** Returns a secret of 32 bytes for another purpose, which does not reveal the key. */
  derive(purpose: string): Buffer {
    return Buffer.from(hkdfSync('sha256', this.secret, '', purpose, keyBytes))
  }

  /** Encrypts a text, and binds the result to `context`, which must be the same for decryption. */
  seal(plain: Buffer, context: string): Uint8Array<ArrayBuffer> {
    const nonce = randomBytes(nonceBytes)
    const sealing = createCipheriv(cipher, this.secret, nonce).setAAD(Buffer.from(context))
    return new Uint8Array(
      Buffer.concat([nonce, sealing.update(plain), sealing.final(), sealing.getAuthTag()]),
    )
  }

  /** @throws Error if the text or its context was changed, or a different key encrypted it */
  open(sealed: Uint8Array, context: string): Buffer {
    const bytes = Buffer.from(sealed)
    if (bytes.length < nonceBytes + tagBytes) throw new Error('the encrypted text is too short')
    const opening = createDecipheriv(cipher, this.secret, bytes.subarray(0, nonceBytes), {
      authTagLength: tagBytes,
    })
    opening.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(-tagBytes))
    return Buffer.concat([opening.update(bytes.subarray(nonceBytes, -tagBytes)), opening.final()])
  }

  /** Returns null if `open` would throw. */
  tryOpen(sealed: Uint8Array, context: string): Buffer | null {
    try {
      return this.open(sealed, context)
    } catch {
      // Decryption has no other cause of failure.
      return null
    }
  }
}
