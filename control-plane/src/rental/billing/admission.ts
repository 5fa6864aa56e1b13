/**
 * The admission checks of a create and of a start, in the specification's order, over figures that the caller
 * read under locks. Pure.
 */
import { ApiError, formatUsd } from '@phonerack/shared'
import { affordableSeconds, chosenDuration, reservationFor, type Price } from './arithmetic.js'

interface ProjectMoney {
  balanceMicros: bigint
  reservedMicros: bigint
  spendLimitMicros: bigint
  /** The charge of sessions that ended in this calendar month. */
  spentThisMonthMicros: bigint
}

export interface Counts {
  /** The running phones of all projects of the owner. */
  running: number
  maxRunning: number
  /** The project's phones that are neither failed nor deleted. */
  phones: number
  maxPhones: number
  /** The project's phones that hold a device without a session. */
  parked: number
  /** Null: no limit. */
  parkedLimit: number | null
}

/** The checks that run before the request counts toward the lifecycle rate limit. */
function gate(state: { frozen: boolean; paused: boolean }): ApiError | null {
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

const runningLimit = (counts: Counts): ApiError | null =>
  counts.running >= counts.maxRunning
    ? new ApiError('running_limit_reached', {
        message: `The maximum of ${counts.maxRunning} running phones is reached. It counts all projects of the same owner.`,
        details: { limit: counts.maxRunning },
        next: 'Park a phone that you do not need: GET /v1/phones?status=ready',
      })
    : null

const phoneLimit = (counts: Counts): ApiError | null =>
  counts.phones >= counts.maxPhones
    ? new ApiError('phone_limit_reached', {
        message: `The project has reached its limit of ${counts.maxPhones} phones.`,
        details: { limit: counts.maxPhones },
        next: 'Delete a phone that you do not need: GET /v1/phones',
      })
    : null

/** Parked phones cost nothing and keep their devices. */
const parkedLimit = ({ parked, parkedLimit: limit }: Counts): ApiError | null =>
  limit !== null && parked >= limit
    ? new ApiError('phone_limit_reached', {
        message: `The project has reached its limit of ${limit} parked phones.`,
        details: { limit },
        next: 'Delete a parked phone that you do not need: GET /v1/phones?status=parked',
      })
    : null

export const noCapacity = (): ApiError =>
  new ApiError('capacity_unavailable', {
    retryAfterSeconds: 30,
    next: 'Send the request again after `Retry-After`, or delete a phone that you do not need: a parked phone keeps its device (GET /v1/phones?status=parked).',
  })

/** Returns advice on how a project gets credit. */
export const creditAdvice = ({ sellsCredit = true }: Pick<Price, 'sellsCredit'>): string =>
  sellsCredit
    ? 'Add credit: POST /v1/credits/checkout'
    : 'Ask the operator of this service to add credit to the project.'

const startingLow = (sentence: string): string => sentence.charAt(0).toLowerCase() + sentence.slice(1)

export const projectFrozen = (): ApiError =>
  new ApiError('project_frozen', { next: 'Ask the operator of this service to unfreeze the project.' })

interface Reserved {
  maxDuration: number
  reservedMicros: bigint
}

type Reservation = { refused: ApiError } | Reserved

/** Runs the last two checks, and returns the reservation when they pass. */
function reserve(price: Price, money: ProjectMoney, asked: number | null): Reservation {
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

/** The state before the limits. `rateLimitedFor` is called only when no earlier check refuses. */
interface Entry {
  frozen: boolean
  paused: boolean
  /** Counts the request. Returns null while it is within the limit, otherwise the seconds to wait. */
  rateLimitedFor: () => Promise<number | null>
}

export interface CreateState<Device> extends Entry {
  counts: Counts
  /** Locks a free device. Returns null when no device is free. */
  freeDevice: () => Promise<Device | null>
  money: ProjectMoney
}

interface StartState extends Entry {
  counts: Counts
  money: ProjectMoney
  running: boolean
  unreachable: ApiError | null
}

async function enter({ rateLimitedFor, ...state }: Entry): Promise<ApiError | null> {
  const refused = gate(state)
  if (refused) return refused
  const seconds = await rateLimitedFor()
  return seconds === null ? null : rateLimited(seconds)
}

/**
 * Runs all checks of a create from `project_frozen` on. Returns the first refusal in its order, or
 * the reservation and the device.
 */
export async function admitCreate<Device>(
  price: Price,
  state: CreateState<Device>,
  asked: number | null,
): Promise<{ refused: ApiError } | (Reserved & { device: Device })> {
  const { counts } = state
  const refused = (await enter(state)) ?? runningLimit(counts) ?? phoneLimit(counts) ?? parkedLimit(counts)
  if (refused) return { refused }
  const device = await state.freeDevice()
  if (device === null) return { refused: noCapacity() }
  const verdict = reserve(price, state.money, asked)
  return 'refused' in verdict ? verdict : { ...verdict, device }
}

/**
 * Runs the checks of a start or renewal: without the limit of phones, and with a test that the device is
 * reachable.
 */
export async function admitStart(
  price: Price,
  state: StartState,
  asked: number | null,
): Promise<Reservation> {
  const refused =
    (await enter(state)) ?? (state.running ? null : (runningLimit(state.counts) ?? state.unreachable))
  return refused ? { refused } : reserve(price, state.money, asked)
}
