/** Decides the state of a delivery and its webhook after an attempt. Pure. */
import { limits } from '@phonerack/shared'
import { type DeliveryStatus } from './types.js'

export interface Attempted {
  now: Date
  isDelivered: boolean
  /** Attempts since the delivery was created or sent again by hand, with this one. */
  attemptOfRound: number
  /** A test is sent once. */
  isTest: boolean
  /** The first failure of the webhook since its last success, before this attempt. */
  failingSince: Date | null
  /** The webhook was switched off before. */
  isDisabled: boolean
}

export interface Consequence {
  status: DeliveryStatus
  nextAttemptAt: Date | null
  failingSince: Date | null
  /** The webhook is switched off now. */
  switchesOff: boolean
}

const { retries, failingLife } = limits.webhooks

export function afterAttempt(attempted: Attempted): Consequence {
  const { now, isDelivered, attemptOfRound, isTest, isDisabled } = attempted
  if (isDelivered) return { status: 'succeeded', nextAttemptAt: null, failingSince: null, switchesOff: false }
  const failingSince = attempted.failingSince ?? now
  const switchesOff = !isDisabled && now.getTime() - failingSince.getTime() >= failingLife * 1000
  const seconds = isTest || isDisabled || switchesOff ? undefined : retries[attemptOfRound - 1]
  return {
    status: seconds === undefined ? 'failed' : 'pending',
    nextAttemptAt: seconds === undefined ? null : new Date(now.getTime() + seconds * 1000),
    failingSince,
    switchesOff,
  }
}
