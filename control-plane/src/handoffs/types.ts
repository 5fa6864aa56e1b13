import { type HandoffStatus } from '../core/statuses.js'
import { type Caller } from '../core/caller.js'

/** A request to a person, as the API shows it. */
export interface HandoffView {
  id: string
  phone: string
  status: HandoffStatus
  message: string
  /** The person's answer. */
  note: string | null
  createdAt: Date
  expiresAt: Date
  /** When the person took control. */
  takenAt: Date | null
  /** Null while the status is `open` or `taken`. */
  endedAt: Date | null
}

/**
 * Requests to a person to do something on a phone. A request ends with the person's answer, with
 * its expiry, with the phone's session, and with the revocation of its key. @throws ApiError
 * handoff_not_found for one of another phone, or one that was withdrawn
 */
export interface HandoffService {
  /**
   * Creates a request on a ready phone. The URL is shown once; only its token's hash is stored.
   * @param input `expiresIn` in seconds @throws ApiError handoff_in_progress while one of the phone
   * is open or taken
   */
  create(
    caller: Caller,
    phoneId: string,
    input: { message: string; expiresIn: number },
  ): Promise<{ handoff: HandoffView; url: string }>
  /** The phone may have any status. */
  get(caller: Caller, phoneId: string, handoffId: string): Promise<HandoffView>
  /** Waits until it has ended, `timeoutMs` have passed, or `signal` aborts, then returns it. */
  wait(
    caller: Caller,
    phoneId: string,
    handoffId: string,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<HandoffView>
  /** Withdraws it in any status and deletes what was written; control returns to the agent. */
  withdraw(caller: Caller, phoneId: string, handoffId: string): Promise<void>
}
