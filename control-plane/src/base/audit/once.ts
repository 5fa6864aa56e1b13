/**
 * Makes operator writes with an Idempotency-Key run once: the transaction of the change claims the key, and a
 * repetition gets the first response. A response may hold a secret that is shown once, so it is encrypted with a key
 * derived from the token.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { ApiError } from '@phonerack/shared'
import { type Operator } from './auth.js'
import { type Work } from './work.js'

export interface Answer {
  status: number
  /** JSON text. */
  text: string
}

/** Bytes of the nonce and the tag of AES-256-GCM. */
const nonceBytes = 12
const tagBytes = 16

/**
 * Claims the key, or returns the response of the earlier request with this key. Waits for a request in progress.
 * @throws ApiError idempotency_conflict
 */
export async function claimKey(
  work: Work<Operator>,
  key: string,
  fingerprint: string,
): Promise<Answer | null> {
  const { tx, now, actor } = work
  const { tokenId } = actor
  await tx.operatorRequest.deleteMany({ where: { tokenId, key, expiresAt: { lte: now } } })
  const expiresAt = new Date(now.getTime() + work.core.rules.idempotencyWindowMs)
  const { count } = await tx.operatorRequest.createMany({
    data: { tokenId, key, fingerprint, status: 0, answer: new Uint8Array(), expiresAt },
    skipDuplicates: true,
  })
  if (count > 0) return null
  const earlier = await tx.operatorRequest.findUniqueOrThrow({ where: { tokenId_key: { tokenId, key } } })
  if (earlier.fingerprint !== fingerprint)
    throw new ApiError('idempotency_conflict', {
      message: 'The `Idempotency-Key` was already used for a different request.',
      next: 'Send the original request with this key, or send this request with a new key.',
    })
  return { status: earlier.status, text: open(actor.secret(), key, earlier.answer) }
}

/** Stores the response for repetitions. */
export async function keepAnswer(work: Work<Operator>, key: string, answer: Answer): Promise<void> {
  const { tokenId, secret } = work.actor
  await work.tx.operatorRequest.update({
    where: { tokenId_key: { tokenId, key } },
    data: { status: answer.status, answer: seal(secret(), key, answer.text) },
  })
}

/** The table holds only the token's SHA-256, from which this key cannot be derived. */
const sealingKey = (secret: string, key: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, key, 'phonerack operator answer', 32))

function seal(secret: string, key: string, text: string): Uint8Array<ArrayBuffer> {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', sealingKey(secret, key), nonce)
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Uint8Array.from(Buffer.concat([nonce, cipher.getAuthTag(), sealed]))
}

export function open(secret: string, key: string, sealed: Uint8Array): string {
  const bytes = Buffer.from(sealed)
  const decipher = createDecipheriv(
    'aes-256-gcm',
    sealingKey(secret, key),
    bytes.subarray(0, nonceBytes),
  ).setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
  return Buffer.concat([decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()]).toString()
}
