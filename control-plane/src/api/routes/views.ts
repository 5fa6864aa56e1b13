/** Services' views as JSON: timestamps in UTC with milliseconds, money with six decimals. */
import { formatUsd } from '@phonerack/shared'
import type { AccountJson, PhoneJson, SessionJson } from './schemas.js'
import {
  type AccountView,
  type OpenSessionView,
  type PhoneView,
  type SessionView,
} from '../../rental/phones/types.js'

const time = (at: Date | null): string | null => (at ? at.toISOString() : null)

const openSession = (session: OpenSessionView): NonNullable<PhoneJson['session']> => ({
  id: session.id,
  started_at: session.startedAt.toISOString(),
  ready_at: time(session.readyAt),
  idle_timeout: session.idleTimeout,
  max_duration: session.maxDuration,
  parks_at: session.parksAt.toISOString(),
  park_reason: session.parkReason,
  reserved_usd: formatUsd(session.reservedMicros),
})

export const phoneJson = (phone: PhoneView): PhoneJson => ({
  id: phone.id,
  object: 'phone',
  name: phone.name,
  status: phone.status,
  country: phone.country,
  on_idle: phone.onIdle,
  metadata: phone.metadata,
  created_at: phone.createdAt.toISOString(),
  last_active_at: time(phone.lastActiveAt),
  session: phone.session ? openSession(phone.session) : null,
  failure: phone.failure
    ? { code: phone.failure.code, message: phone.failure.message, at: phone.failure.at.toISOString() }
    : null,
})

export const sessionJson = (session: SessionView): SessionJson => ({
  id: session.id,
  started_at: session.startedAt.toISOString(),
  ready_at: time(session.readyAt),
  ended_at: time(session.endedAt),
  end_reason: session.endReason,
  billed_seconds: session.billedSeconds,
  cost_usd: session.costMicros === null ? null : formatUsd(session.costMicros),
  reserved_usd: formatUsd(session.reservedMicros),
})

export const accountJson = (account: AccountView): AccountJson => ({
  project: account.project,
  balance_usd: formatUsd(account.balanceMicros),
  reserved_usd: formatUsd(account.reservedMicros),
  spend_limit_usd: formatUsd(account.spendLimitMicros),
  spent_this_month_usd: formatUsd(account.spentThisMonthMicros),
  limits: { phones: account.maxPhones, running: account.maxRunning },
  running: account.running,
  phones: account.phones,
  price: { per_minute_usd: formatUsd(account.pricePerMinuteMicros), minimum_seconds: account.minimumSeconds },
  countries: account.countries,
})
