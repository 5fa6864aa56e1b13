/** Decides the state of a delivery and its webhook after an attempt. Pure. */
import { limits } from '@phonerack/shared'
import { type DeliveryStatus } from './types.js'

/** The failures of a webhook since its last success, not counting tests. */
export interface Failures {
  /** The first failure of a series without a pause of a day; null: no failure. */
  failingSince: Date | null
  /** The last failure. */
  failedAt: Date | null
}

export interface Attempted extends Failures {
  now: Date
  isDelivered: boolean
  /** Attempts since the delivery was created or repeated by a person, including this one. */
  attemptOfRound: number
  /** A test is sent once, and does not change the failures of its webhook. */
  isTest: boolean
  /** The webhook was switched off before the attempt. */
  isDisabled: boolean
}

export interface Consequence extends Failures {
  status: DeliveryStatus
  nextAttemptAt: Date | null
  /** The attempt switches the webhook off. */
  switchesOff: boolean
}

const { retries, failingLife, failingPause } = limits.webhooks

export const noFailures: Failures = { failingSince: null, failedAt: null }

export function afterAttempt(attempted: Attempted): Consequence {
  const { now, isDelivered, attemptOfRound, isTest, isDisabled, failingSince, failedAt } = attempted
  const ended = {
    status: isDelivered ? 'succeeded' : 'failed',
    nextAttemptAt: null,
    switchesOff: false,
  } as const
  // The failures of a webhook that is switched off count from the time at which it is switched on.
  if (isTest || (isDisabled && !isDelivered)) return { ...ended, failingSince, failedAt }
  if (isDelivered) return { ...ended, ...noFailures }
  const failures = { failingSince: firstFailure({ failingSince, failedAt }, now), failedAt: now }
  const switchesOff = secondsBetween(failures.failingSince, now) >= failingLife
  const seconds = switchesOff ? undefined : retries[attemptOfRound - 1]
  if (seconds === undefined) return { ...ended, ...failures, switchesOff }
  const nextAttemptAt = new Date(now.getTime() + seconds * 1000)
  return { status: 'pending', nextAttemptAt, switchesOff, ...failures }
}

/**
 * Returns the first failure of the series that lasts until `now`. A pause of a day ends a series, since it is unknown
 * whether the webhook failed during the pause.
 */
function firstFailure({ failingSince, failedAt }: Failures, now: Date): Date {
  if (failingSince === null || failedAt === null) return now
  return secondsBetween(failedAt, now) <= failingPause ? failingSince : now
}

const secondsBetween = (from: Date, to: Date): number => (to.getTime() - from.getTime()) / 1000
