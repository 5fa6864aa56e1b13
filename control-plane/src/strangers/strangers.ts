/**
 * Requests without a valid key or token, limited per address. Failures alone count: a valid secret is accepted from a
 * limited address too. Every part that can be asked without a key uses the one instance that `app.ts` makes.
 */
import { ApiError, type Clock, type ErrorCode } from '@phonerack/shared'
import { LRUCache } from 'lru-cache'
import { type IncomingMessage } from 'node:http'
import { createNetworkOf } from './network.js'

const minuteMs = 60_000
/** Networks whose failures are remembered; the one that failed longest ago is forgotten first. */
const rememberedNetworks = 20_000
/**
 * Failures of all networks together, as a multiple of one network's limit, from which on every network counts as
 * limited: more addresses than are remembered must not get around the limit.
 */
const networksAtOnce = 100
/** Milliseconds that a refusal without a look-up waits: as long as one with a look-up may. */
const pauseMs = 250
/** Refusals that wait at once; the others come without a pause. */
const mostPauses = 10_000

/** The failures of `/v1` and of the operator API. */
export const keyFailures: readonly ErrorCode[] = [
  'invalid_api_key',
  'key_expired',
  'key_revoked',
  'unauthorized',
]

export interface Check<T> {
  /**
   * Whether the request's secret is a valid one, at a cost that many callers share (`SecretLookup`). Asked only while the
   * network is limited. Null: the request has no well-formed secret.
   */
  isKnown: (() => Promise<boolean>) | null
  /** Codes of `work`'s errors that count as failures. */
  failures: readonly ErrorCode[]
  work: () => Promise<T>
}

export interface Strangers {
  /** The client's IPv4 address or IPv6 /64. */
  networkOf(request: IncomingMessage): string
  /** @param network of `networkOf`, taken before any work: a client that has left has no address any more */
  isLimited(network: string): boolean
  /** Counts a failure. @param network as for `isLimited` */
  failed(network: string): void
  /** @throws ApiError rate_limited, for a limited network whose secret is not known; else as `work` does */
  guard<T>(request: IncomingMessage, check: Check<T>): Promise<T>
}

export interface StrangerOptions {
  trustedProxies: readonly string[]
  /** Failures of one network in a calendar minute (UTC), after which it is limited. */
  perMinute: number
  clock: Clock
}

export function createStrangers({ trustedProxies, perMinute, clock }: StrangerOptions): Strangers {
  const networkOf = createNetworkOf(trustedProxies)
  const failures = new LRUCache<string, number>({ max: rememberedNetworks })
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
    return total >= perMinute * networksAtOnce || (failures.get(network) ?? 0) >= perMinute
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
    if (pauses >= mostPauses) return
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
