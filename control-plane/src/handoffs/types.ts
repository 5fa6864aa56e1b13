import { type HandoffStatus } from '../core/statuses.js'
import { type Caller } from '../core/caller.js'

/** A request to a person, as the API shows it. */
export interface HandoffView {
  id: string
  phone: string
  status: HandoffStatus
  message: string
  /** What the person answered. */
  note: string | null
  createdAt: Date
  expiresAt: Date
  /** When the person took control. */
  takenAt: Date | null
  /** Null while the status is `open` or `taken`. */
  endedAt: Date | null
}

/**
 * Requests to a person to do something on a phone. It ends with the person's answer, with its time, with the phone's
 * session, and when the key that made it is revoked.
 * @throws ApiError handoff_not_found for one that is not the phone's, or was taken back
 */
export interface HandoffService {
  /**
   * Asks, on a ready phone. The URL is shown once; only a hash of its token is kept.
   * @param input `expiresIn` in seconds
   * @throws ApiError handoff_in_progress while the phone has one that is open or taken
   */
  create(
    caller: Caller,
    phoneId: string,
    input: { message: string; expiresIn: number },
  ): Promise<{ handoff: HandoffView; url: string }>
  /** In any status of the phone. */
  get(caller: Caller, phoneId: string, handoffId: string): Promise<HandoffView>
  /** Waits until it has ended, or `timeoutMs` have passed, or `signal` aborts; then returns it as it is. */
  wait(
    caller: Caller,
    phoneId: string,
    handoffId: string,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<HandoffView>
  /** Takes it back and forgets what was written, whatever its status; the phone is the agent's again. */
  withdraw(caller: Caller, phoneId: string, handoffId: string): Promise<void>
}
