import { type PhoneStatus, type EndReason, type OnIdle } from '../../base/core/statuses.js'
import { type Caller, type Idempotency, type PageQuery, type Page } from '../../base/core/caller.js'

/** A phone as the API shows it; money in micro-dollars, durations in seconds. */
export interface PhoneView {
  id: string
  name: string
  status: PhoneStatus
  country: string | null
  onIdle: OnIdle
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

interface FailureView {
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
  onIdle: OnIdle
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
   * Creates a phone: admission, reservation, session and assignment in one transaction. Returns immediately,
   * with the phone `creating` or further. Recognises a replay first, then runs the checks from
   * `project_frozen` on in the specification's order. The route checks the key's scope and the fields.
   */
  create(
    caller: Caller,
    input: CreatePhone,
    idempotency: Idempotency | null,
  ): Promise<{ phone: PhoneView; replayed: boolean }>
  list(
    caller: Caller,
    query: PageQuery & {
      status: PhoneStatus | null
      metadata: { key: string; value: string } | null
      /** Only phones that this key created. */
      keyId?: string
      /** Only phones whose name contains this text, in any case, or with this ID. */
      search?: string
    },
  ): Promise<Page<PhoneView>>
  /** @throws ApiError phone_not_found (with `details.phone`), phone_not_allowed */
  get(caller: Caller, phoneId: string): Promise<PhoneView>
  update(
    caller: Caller,
    phoneId: string,
    change: { name?: string; metadata?: Record<string, string> },
  ): Promise<PhoneView>
  delete(caller: Caller, phoneId: string): Promise<PhoneView>
  /** Starts a parked or unavailable phone, or renews the session of a running phone. Returns immediately. */
  start(
    caller: Caller,
    phoneId: string,
    input: { idleTimeout: number | null; maxDuration: number | null },
  ): Promise<PhoneView>
  /**
   * Ends the session and begins to park, or deletes a phone with `on_idle: "delete"`. Returns a parked phone unchanged.
   * Returns immediately.
   */
  park(caller: Caller, phoneId: string): Promise<PhoneView>
  heartbeat(caller: Caller, phoneId: string): Promise<PhoneView>
  sessions(caller: Caller, phoneId: string, query: PageQuery): Promise<Page<SessionView>>
  /**
   * Waits until `settled` is true of the phone, `timeoutMs` have passed or `signal` aborts, then
   * returns the phone. Wakes within 50 ms of a change on any replica.
   */
  wait(
    phoneId: string,
    settled: (phone: PhoneView) => boolean,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<PhoneView>
  /**
   * Records activity with at most one write per 15 s. Writes nothing for Read-only keys, or for a phone of
   * another project, since it may be called before the phone is read.
   */
  touch(caller: Omit<Caller, 'ownerId'>, phoneId: string): Promise<void>
  /**
   * Keeps the phone active until the returned function is called. The route must have called `touch`. Like
   * `touch`, it does nothing for a phone of another project.
   */
  hold(caller: Caller, phoneId: string): () => void
  account(caller: Caller): Promise<AccountView>
}
