/**
 * Computes session costs and reservations. Pure; micro-dollars as bigint, durations in whole
 * seconds.
 */
import { limits } from '@phonerack/shared'
import { type EndReason } from '../../base/core/statuses.js'

export interface Price {
  perSecondMicros: bigint
  minimumSeconds: number
  /** False: clients cannot buy credit themselves. */
  sellsCredit?: boolean
}

/** The credit that a session of `maxDuration` seconds reserves. */
export const reservationFor = (price: Price, maxDuration: number): bigint =>
  BigInt(Math.max(price.minimumSeconds, maxDuration)) * price.perSecondMicros

interface EndedSession {
  /** Milliseconds since the epoch. */
  startedAt: number
  endedAt: number
  everReady: boolean
  endReason: EndReason
  reservedMicros: bigint
}

/**
 * The charged seconds: from start to end, rounded up, at least the minimum, at most the reservation. Zero
 * when the phone was never ready, unless the client parked or deleted it.
 */
export function billedSeconds(price: Price, session: EndedSession): number {
  const byClient = session.endReason === 'parked' || session.endReason === 'deleted'
  if (!session.everReady && !byClient) return 0
  const elapsed = Math.ceil(Math.max(0, session.endedAt - session.startedAt) / 1000)
  const reserved = Number(session.reservedMicros / price.perSecondMicros)
  return Math.min(Math.max(elapsed, price.minimumSeconds), reserved)
}

/** The longest `max_duration` that `spendable` covers, or 0 when it does not cover the shortest. */
export function affordableSeconds(price: Price, spendable: bigint): number {
  const seconds = spendable <= 0n ? 0n : spendable / price.perSecondMicros
  const capped = seconds > BigInt(limits.maxDuration.max) ? limits.maxDuration.max : Number(seconds)
  return capped < Math.max(price.minimumSeconds, limits.maxDuration.min) ? 0 : capped
}

/**
 * The duration to use: `asked`, or the default. The default is shortened to what `spendable` covers, but not
 * below the minimum.
 */
export const chosenDuration = (price: Price, asked: number | null, spendable: bigint): number =>
  asked ??
  Math.max(limits.maxDuration.min, Math.min(limits.maxDuration.default, affordableSeconds(price, spendable)))
