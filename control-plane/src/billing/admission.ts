/**
 * The admission checks of a create and of a start, in the specification's order, over numbers that
 * the caller read under locks. Pure.
 */
import { ApiError, formatUsd } from '@phonerack/shared'
import { affordableSeconds, chosenDuration, reservationFor, type Price } from './arithmetic.js'

export interface ProjectMoney {
  balanceMicros: bigint
  reservedMicros: bigint
  spendLimitMicros: bigint
  /** Charged for sessions that ended in this calendar month. */
  spentThisMonthMicros: bigint
}

export interface Counts {
  /** Over all projects of the owner. */
  running: number
  maxRunning: number
  /** The project's phones that are neither failed nor deleted. */
  phones: number
  maxPhones: number
}

/** The checks that run before the request counts toward the lifecycle rate limit. */
export function gate(state: { frozen: boolean; paused: boolean }): ApiError | null {
  if (state.frozen) return projectFrozen()
  if (state.paused) return new ApiError('service_paused', { retryAfterSeconds: 30 })
  return null
}

export function rateLimited(retryAfterSeconds: number): ApiError {
  return new ApiError('rate_limited', {
    message: `The project has reached its limit of lifecycle requests. Send the request again after ${retryAfterSeconds} seconds.`,
    retryAfterSeconds,
    details: { retry_after_seconds: retryAfterSeconds },
  })
}

export const runningLimit = (counts: Counts): ApiError | null =>
  counts.running >= counts.maxRunning
    ? new ApiError('running_limit_reached', {
        message: `The maximum of ${counts.maxRunning} running phones is reached. It counts all projects of the same owner.`,
        details: { limit: counts.maxRunning },
        next: 'Park a phone that you do not need: GET /v1/phones?status=ready',
      })
    : null

export const phoneLimit = (counts: Counts): ApiError | null =>
  counts.phones >= counts.maxPhones
    ? new ApiError('phone_limit_reached', {
        message: `The project has reached its limit of ${counts.maxPhones} phones.`,
        details: { limit: counts.maxPhones },
        next: 'Delete a phone that you do not need: GET /v1/phones',
      })
    : null

export const noCapacity = (): ApiError =>
  new ApiError('capacity_unavailable', {
    retryAfterSeconds: 30,
    next: 'Send the request again after `Retry-After`, or delete a phone that you do not need: a parked phone keeps its device (GET /v1/phones?status=parked).',
  })

/** How a project can get credit. */
export const creditAdvice = ({ sellsCredit = true }: Pick<Price, 'sellsCredit'>): string =>
  sellsCredit
    ? 'Add credit: POST /v1/credits/checkout'
    : 'Ask the operator of this service to add credit to the project.'

const startingLow = (sentence: string): string => sentence.charAt(0).toLowerCase() + sentence.slice(1)

export const projectFrozen = (): ApiError =>
  new ApiError('project_frozen', { next: 'Ask the operator of this service to unfreeze the project.' })

export type Reservation = { refused: ApiError } | { maxDuration: number; reservedMicros: bigint }

/** The last two checks, and the reservation when they pass. */
export function reserve(price: Price, money: ProjectMoney, asked: number | null): Reservation {
  const spendable = money.balanceMicros - money.reservedMicros
  const maxDuration = chosenDuration(price, asked, spendable)
  const reservedMicros = reservationFor(price, maxDuration)
  if (reservedMicros > spendable) {
    const affordable = affordableSeconds(price, spendable)
    return {
      refused: new ApiError('insufficient_credits', {
        details: { max_affordable_seconds: affordable },
        next:
          affordable > 0
            ? `Send \`max_duration\` ${affordable} or less, or ${startingLow(creditAdvice(price))}`
            : creditAdvice(price),
      }),
    }
  }
  const left = money.spendLimitMicros - money.spentThisMonthMicros - money.reservedMicros
  if (reservedMicros > left) {
    const seconds = affordableSeconds(price, left)
    return {
      refused: new ApiError('spend_limit_reached', {
        details: { spend_limit_usd: formatUsd(money.spendLimitMicros) },
        next:
          seconds > 0
            ? `Send \`max_duration\` ${seconds} or less, or ask the operator of this service to raise the monthly limit.`
            : 'Ask the operator of this service to raise the monthly limit.',
      }),
    }
  }
  return { maxDuration, reservedMicros }
}

export interface CreateState {
  frozen: boolean
  paused: boolean
  /** Null while the request is within the limit; otherwise seconds to wait. */
  rateLimitedFor: number | null
  counts: Counts
  deviceFree: boolean
  money: ProjectMoney
}

/**
 * All checks of a create from `project_frozen` on. Returns the reservation. @throws ApiError of the
 * first check that fails
 */
export function admitCreate(price: Price, state: CreateState, asked: number | null): Reservation {
  const refused =
    gate(state) ??
    (state.rateLimitedFor === null ? null : rateLimited(state.rateLimitedFor)) ??
    runningLimit(state.counts) ??
    phoneLimit(state.counts) ??
    (state.deviceFree ? null : noCapacity())
  return refused ? { refused } : reserve(price, state.money, asked)
}

/**
 * The checks of a start or renewal: no phone limit, and the device must be reachable instead of
 * free.
 */
export function admitStart(
  price: Price,
  state: Omit<CreateState, 'deviceFree'> & { running: boolean; unreachable: ApiError | null },
  asked: number | null,
): Reservation {
  const refused =
    gate(state) ??
    (state.rateLimitedFor === null ? null : rateLimited(state.rateLimitedFor)) ??
    (state.running ? null : (runningLimit(state.counts) ?? state.unreachable))
  return refused ? { refused } : reserve(price, state.money, asked)
}
