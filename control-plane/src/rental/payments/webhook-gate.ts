/**
 * Checks of the webhook before it reads a body, and a limit of wrong signatures per network.
 * Separate from `failure-limit/`, whose limit over all addresses would let unauthenticated clients lock
 * the payment provider out.
 */
import { ApiError, limits, type Clock } from '@phonerack/shared'
import { createLru } from '../../base/lru.js'

const minuteMs = 60_000
/** Milliseconds for which a signature is valid, as in the provider's library. */
const signatureLifeMs = 300_000
/** Networks whose failures are counted; the network that failed longest ago is dropped first. */
const rememberedNetworks = 20_000
/** The longest accepted header. The provider's headers, which have one signature per secret, are shorter. */
const maxHeaderCharacters = 2000

const wrong = (message: string): ApiError => new ApiError('validation_failed', { message })

/**
 * Checks only the header's form; the signature is verified together with the body.
 * @throws ApiError validation_failed
 */
export function checkSignatureHeader(header: string | string[] | undefined, now: Date): void {
  if (typeof header !== 'string' || header === '') throw wrong('The `Stripe-Signature` header is missing.')
  const parts = header.length > maxHeaderCharacters ? [] : header.split(',').map((part) => part.trim())
  const seconds = parts.flatMap((part) => /^t=(\d{1,12})$/.exec(part)?.[1] ?? [])[0]
  if (seconds === undefined || !parts.some((part) => /^v1=[0-9a-f]{64}$/.test(part)))
    throw wrong('The `Stripe-Signature` header must have the form `t=SECONDS,v1=HEX`.')
  if (now.getTime() - Number(seconds) * 1000 > signatureLifeMs)
    throw wrong('The timestamp in `Stripe-Signature` is more than five minutes old.')
}

interface SignatureFailures {
  /** @throws ApiError rate_limited for a network with too many failures this minute */
  check(network: string): void
  add(network: string): void
}

export function createSignatureFailures(
  clock: Clock,
  perMinute: number = limits.failuresPerAddressPerMinute,
): SignatureFailures {
  const failures = createLru<number>({ max: rememberedNetworks })
  let minute = -1
  const turnMinute = (): number => {
    const now = clock.now().getTime()
    const current = Math.floor(now / minuteMs)
    if (current !== minute) failures.clear()
    minute = current
    return now
  }
  return {
    check(network) {
      const now = turnMinute()
      if ((failures.get(network) ?? 0) < perMinute) return
      const seconds = Math.max(1, Math.ceil(((minute + 1) * minuteMs - now) / 1000))
      throw new ApiError('rate_limited', {
        message: `This address has sent ${perMinute} invalid signatures this minute.`,
        details: { limit: perMinute, retry_after_seconds: seconds },
        retryAfterSeconds: seconds,
      })
    },
    add(network) {
      turnMinute()
      failures.set(network, (failures.get(network) ?? 0) + 1)
    },
  }
}
