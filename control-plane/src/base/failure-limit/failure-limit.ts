/**
 * Limits requests without a valid key or token per address. Only failures count: a valid secret is accepted from a
 * limited address too. All paths that need no key share the instance that `app.ts` creates.
 */
import { ApiError, type Clock, type ErrorCode } from '@phonerack/shared'
import { createLru } from '../lru.js'
import { type IncomingMessage } from 'node:http'
import { createNetworkOf } from './network.js'

const minuteMs = 60_000
/** Number of networks whose failures are counted. The network that failed longest ago is dropped first. */
const rememberedNetworks = 20_000
/**
 * When the failures of all networks together exceed this multiple of one network's limit, every network counts as
 * limited. Otherwise a client with more addresses than are remembered could bypass the limit.
 */
const totalFailuresFactor = 100
/** Milliseconds that a refusal without a lookup waits: the longest duration of a lookup. */
const pauseMs = 250
/** The largest number of concurrent delayed refusals; further refusals are sent without delay. */
const maxPauses = 10_000

/** Failures of `/v1` and of the operator API. */
export const keyFailures: readonly ErrorCode[] = [
  'invalid_api_key',
  'key_expired',
  'key_revoked',
  'unauthorized',
]

export interface Check<T> {
  /**
   * Returns whether the request's secret is valid. Concurrent callers share the cost (`SecretLookup`). Called only
   * while the network is limited. Null if the request has no well-formed secret.
   */
  isKnown: (() => Promise<boolean>) | null
  /** Error codes of `work` that count as failures. */
  failures: readonly ErrorCode[]
  work: () => Promise<T>
}

export interface FailureLimit {
  /** Returns the client's IPv4 address or IPv6 /64. */
  networkOf(request: IncomingMessage): string
  /** @param network from `networkOf`, read before any work, since a closed connection no longer has an address */
  isLimited(network: string): boolean
  /** Counts a failure. @param network as in `isLimited` */
  failed(network: string): void
  /**
   * @throws ApiError rate_limited, for a limited network whose secret is unknown; otherwise the
   * errors of `work`
   */
  guard<T>(request: IncomingMessage, check: Check<T>): Promise<T>
}

interface FailureLimitOptions {
  trustedProxies: readonly string[]
  /** Failures of one network per calendar minute (UTC), after which it is limited. */
  perMinute: number
  clock: Clock
}

export function createFailureLimit({ trustedProxies, perMinute, clock }: FailureLimitOptions): FailureLimit {
  const networkOf = createNetworkOf(trustedProxies)
  const failures = createLru<number>({ max: rememberedNetworks })
  let minute = -1
  let total = 0
  let pauses = 0

  const turnMinute = (): void => {
    const current = Math.floor(clock.now().getTime() / minuteMs)
    if (current === minute) return
    minute = current
    total = 0
    failures.clear()
  }

  const isLimited = (network: string): boolean => {
    turnMinute()
    if (total < perMinute) return false
    return total >= perMinute * totalFailuresFactor || (failures.get(network) ?? 0) >= perMinute
  }

  const failed = (network: string): void => {
    turnMinute()
    failures.set(network, (failures.get(network) ?? 0) + 1)
    total += 1
  }

  const refusal = (): ApiError => {
    const seconds = Math.max(1, Math.ceil(((minute + 1) * minuteMs - clock.now().getTime()) / 1000))
    return new ApiError('rate_limited', {
      message: `This address has sent ${perMinute} requests without a valid key or token this minute.`,
      next: 'Check the key or token: a valid one is still accepted from this address.',
      details: { limit: perMinute, retry_after_seconds: seconds },
      retryAfterSeconds: seconds,
    })
  }

  const pause = async (): Promise<void> => {
    if (pauses >= maxPauses) return
    pauses += 1
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
    pauses -= 1
  }

  return {
    networkOf,
    isLimited,
    failed,
    async guard(request, check) {
      const network = networkOf(request)
      if (isLimited(network)) {
        if (!check.isKnown) await pause()
        if (!check.isKnown || !(await check.isKnown())) throw refusal()
      }
      try {
        return await check.work()
      } catch (error) {
        if (error instanceof ApiError && check.failures.includes(error.code)) failed(network)
        throw error
      }
    },
  }
}
