/**
 * The keys of accepted hosts in `/data/misc/adb/adb_keys`, and the requests that wait for a person to press
 * "Allow" on the phone's screen. Source: AOSP `daemon/auth.cpp`, `crypto/rsa_2048_key.cpp`,
 * `libcrypto_utils/android_pubkey.cpp`.
 */
import { constants, createPublicKey, type KeyObject, publicDecrypt } from 'node:crypto'

/** `arg0` of an AUTH packet. */
export const authKind = { token: 1, signature: 2, rsaPublicKey: 3 } as const
export const tokenBytes = 20

interface PendingKey {
  /** The key as the host sent it: base64, and the host's name. */
  line: string
  answer: (allowed: boolean) => void
}

export class AdbKeys {
  private known: { line: string; key: KeyObject }[] = []
  private readonly waiting = new Set<PendingKey>()

  /**
   * @param onChange is called when the known keys change. Without `required` every host is accepted. `trustsFirst`: the
   * first host that asks is accepted permanently, as after a person pressed "Always allow"
   */
  constructor(
    readonly required: boolean,
    private readonly onChange: () => void,
    private trustsFirst = false,
  ) {}

  /** Whether one of the known keys has signed `token`. */
  verify(token: Buffer, signature: Buffer): boolean {
    return this.known.some(({ key }) => hasSigned(key, token, signature))
  }

  /**
   * Adds the question of an unknown host; `answer` is called at most once. Returns a function that withdraws
   * the question.
   */
  ask(line: string, answer: (allowed: boolean) => void): () => void {
    const pending = { line, answer }
    this.waiting.add(pending)
    if (this.trustsFirst && this.known.length === 0 && parseKey(line) !== null) {
      this.waiting.delete(pending)
      this.add(line)
      answer(true)
    }
    return () => this.waiting.delete(pending)
  }

  /** The host's name, from the end of the key. */
  get pending(): string[] {
    return [...this.waiting].map(({ line }) => line.split(' ').slice(1).join(' '))
  }

  /** Presses "Always allow" for all waiting hosts. Returns their number. */
  allow(): number {
    for (const { line } of this.waiting) this.add(line)
    return this.answerAll(true)
  }

  deny(): number {
    return this.answerAll(false)
  }

  /**
   * Presses "Revoke USB debugging authorisations". A connected host stays connected until its next
   * connection.
   */
  forget(): void {
    this.known = []
    this.trustsFirst = false
    this.onChange()
  }

  save(): string[] {
    return this.known.map(({ line }) => line)
  }

  load(lines: readonly string[]): void {
    this.known = []
    for (const line of lines) this.add(line)
  }

  /** Accepts the host of a public key (a line of `adbkey.pub`) without a question. */
  trust(line: string): void {
    this.add(line)
  }

  private add(line: string): void {
    const key = parseKey(line)
    if (key === null || this.known.some((each) => each.line === line)) return
    this.known.push({ line, key })
    this.onChange()
  }

  private answerAll(allowed: boolean): number {
    const asked = [...this.waiting]
    this.waiting.clear()
    for (const { answer } of asked) answer(allowed)
    return asked.length
  }
}

const modulusBytes = 256
const keyBytes = 4 + 4 + modulusBytes * 2 + 4

/** Parses an RSA key in Android's own form: base64, then a space and a name. Null if the key is not RSA. */
function parseKey(line: string): KeyObject | null {
  const bytes = Buffer.from(line.split(' ')[0] ?? '', 'base64')
  if (bytes.length !== keyBytes || bytes.readUInt32LE(0) !== modulusBytes / 4) return null
  const modulus = Buffer.from(bytes.subarray(8, 8 + modulusBytes)).reverse()
  const exponent = Buffer.alloc(4)
  exponent.writeUInt32BE(bytes.readUInt32LE(keyBytes - 4))
  const jwk = { kty: 'RSA', n: modulus.toString('base64url'), e: exponent.toString('base64url') }
  try {
    return createPublicKey({ key: jwk, format: 'jwk' })
  } catch (error) {
    if (error instanceof Error) return null
    throw error
  }
}

export const isKey = (line: string): boolean => parseKey(line) !== null

/** The beginning of a PKCS #1 block with a SHA-1 digest. The token takes the place of the digest. */
const sha1Head = Buffer.from('3021300906052b0e03021a05000414', 'hex')

function hasSigned(key: KeyObject, token: Buffer, signature: Buffer): boolean {
  try {
    const block = publicDecrypt({ key, padding: constants.RSA_PKCS1_PADDING }, signature)
    return block.equals(Buffer.concat([sha1Head, token]))
  } catch (error) {
    // OpenSSL's error for a signature by another key.
    if (error instanceof Error) return false
    throw error
  }
}
