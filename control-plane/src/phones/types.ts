import { type PhoneStatus, type EndReason } from '../core/statuses.js'
import { type Caller, type Idempotency, type PageQuery, type Page } from '../core/caller.js'

/** A phone as the API shows it; money in micro-dollars, durations in seconds. */
export interface PhoneView {
  id: string
  name: string
  status: PhoneStatus
  country: string | null
  metadata: Record<string, string>
  createdAt: Date
  lastActiveAt: Date | null
  session: OpenSessionView | null
  failure: FailureView | null
}

export interface OpenSessionView {
  id: string
  startedAt: Date
  readyAt: Date | null
  idleTimeout: number
  maxDuration: number
  parksAt: Date
  parkReason: 'idle' | 'max_duration'
  reservedMicros: bigint
}

export interface FailureView {
  code: string
  message: string
  at: Date
}

export interface SessionView {
  id: string
  startedAt: Date
  readyAt: Date | null
  endedAt: Date | null
  endReason: EndReason | null
  billedSeconds: number | null
  costMicros: bigint | null
  reservedMicros: bigint
}

export interface CreatePhone {
  name: string | null
  country: string | null
  metadata: Record<string, string>
  idleTimeout: number
  /** Null: 900, shortened to fit the credit. */
  maxDuration: number | null
}

export interface AccountView {
  project: string
  balanceMicros: bigint
  reservedMicros: bigint
  spendLimitMicros: bigint
  spentThisMonthMicros: bigint
  maxPhones: number
  maxRunning: number
  running: number
  phones: number
  pricePerMinuteMicros: bigint
  minimumSeconds: number
  countries: { code: string; name: string }[]
}

export interface PhoneService {
  /**
   * Admission, reservation, session, assignment, in one transaction; returns at once, `creating` or later.
   * Checks from `project_frozen` on are made here, in the specification's order; a replay is
   * recognised before them. The key's scope and the fields are checked by the route.
   */
  create(
    caller: Caller,
    input: CreatePhone,
    idempotency: Idempotency | null,
  ): Promise<{ phone: PhoneView; replayed: boolean }>
  list(
    caller: Caller,
    query: PageQuery & { status: PhoneStatus | null; metadata: { key: string; value: string } | null },
  ): Promise<Page<PhoneView>>
  /** @throws ApiError phone_not_found (with `details.phone`), phone_not_allowed */
  get(caller: Caller, phoneId: string): Promise<PhoneView>
  update(
    caller: Caller,
    phoneId: string,
    change: { name?: string; metadata?: Record<string, string> },
  ): Promise<PhoneView>
  delete(caller: Caller, phoneId: string): Promise<PhoneView>
  /** Starts a parked or unavailable phone, renews a running one. Returns at once. */
  start(
    caller: Caller,
    phoneId: string,
    input: { idleTimeout: number | null; maxDuration: number | null },
  ): Promise<PhoneView>
  /** Ends the session and begins to park; a parked phone is returned unchanged. Returns at once. */
  park(caller: Caller, phoneId: string): Promise<PhoneView>
  heartbeat(caller: Caller, phoneId: string): Promise<PhoneView>
  sessions(caller: Caller, phoneId: string, query: PageQuery): Promise<Page<SessionView>>
  /**
   * Waits until `settled` says true of the phone, or `timeoutMs` have passed, or `signal` aborts;
   * then returns the phone as it is. Wakes within 50 ms of a change on any replica.
   */
  wait(
    phoneId: string,
    settled: (phone: PhoneView) => boolean,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<PhoneView>
  /**
   * Records activity: at most one write per 15 s, none for Read-only keys, and none for a phone
   * that is not the caller's (it may be called before the phone was looked up).
   */
  touch(caller: Caller, phoneId: string): Promise<void>
  /**
   * Keeps the phone active until the returned function is called; the route has called `touch`
   * at the same moment. As `touch`, it does nothing for a phone that is not the caller's.
   */
  hold(caller: Caller, phoneId: string): () => void
  account(caller: Caller): Promise<AccountView>
}
