/**
 * The service key (docs/decisions/0192) as the key of backups: it encrypts their secrets and signs their list of files.
 * The keys for that are derived, so that texts of the control plane and of backups cannot be exchanged.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import { Refusal } from './refusal.js'

const cipher = 'aes-256-gcm'
const [keyBytes, nonceBytes, tagBytes] = [32, 12, 16]

export class BackupKey {
  private readonly sealing: Buffer
  private readonly signing: Buffer
  /** The ID by which the database names the key. */
  readonly id: string

  /**
   * Parses the text of `service.key`.
   * @param source named in the error
   * @throws Refusal
   */
  constructor(text: string, source: string) {
    const [, body] =
      /-----BEGIN PHONERACK SERVICE KEY-----([A-Za-z0-9+/=\s]+)-----END PHONERACK SERVICE KEY-----/.exec(
        text,
      ) ?? []
    const secret = Buffer.from(body ?? '', 'base64')
    if (secret.length !== keyBytes) throw new Refusal(`${source} contains no service key`)
    const derived = (purpose: string) => Buffer.from(hkdfSync('sha256', secret, '', purpose, keyBytes))
    this.sealing = derived('phonerack backup secrets')
    this.signing = derived('phonerack backup manifest')
    // The same derivation as in control-plane/src/base/pki/service-key.ts.
    this.id = createHmac('sha256', secret).update('phonerack service key id').digest('hex').slice(0, 16)
  }

  /** Encrypts. The result is bound to `context`. */
  seal(plain: string, context: string): Buffer {
    const nonce = randomBytes(nonceBytes)
    const sealing = createCipheriv(cipher, this.sealing, nonce).setAAD(Buffer.from(context))
    return Buffer.concat([nonce, sealing.update(plain, 'utf8'), sealing.final(), sealing.getAuthTag()])
  }

  /**
   * Decrypts.
   * @throws Error when the bytes or the context were changed, or another key encrypted them
   */
  open(sealed: Buffer, context: string): string {
    if (sealed.length < nonceBytes + tagBytes) throw new Error('the encrypted text is too short')
    const opening = createDecipheriv(cipher, this.sealing, sealed.subarray(0, nonceBytes), {
      authTagLength: tagBytes,
    })
    opening.setAAD(Buffer.from(context)).setAuthTag(sealed.subarray(-tagBytes))
    return Buffer.concat([opening.update(sealed.subarray(nonceBytes, -tagBytes)), opening.final()]).toString()
  }

  /** Hex. */
  sign(text: string): string {
    return createHmac('sha256', this.signing).update(text).digest('hex')
  }

  hasSigned(text: string, signature: string): boolean {
    const [own, other] = [Buffer.from(this.sign(text)), Buffer.from(signature)]
    return own.length === other.length && timingSafeEqual(own, other)
  }
}
