import { type HandoffStatus } from '../../base/core/statuses.js'
import { type Caller } from '../../base/core/caller.js'

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

/** A hand-over in progress, as the console shows it. */
export interface ControlView {
  id: string
  status: 'open' | 'taken'
  /** The agent's request; null: a member took over without a request. */
  message: string | null
  /** The member who took over without a request. */
  member: { id: string; name: string } | null
  expiresAt: Date
}

/** A hand-over in progress, in a list for several projects. */
interface CurrentHandoff extends ControlView {
  projectId: string
  phone: { id: string; name: string }
  createdAt: Date
}

/**
 * Requests to a person to do something on a phone. A request ends with the person's answer, with its expiry,
 * with the phone's session, and with the revocation of its key. @throws ApiError handoff_not_found for a
 * request of another phone, or a request that was withdrawn
 */
export interface HandoffService {
  /**
   * Creates a request on a ready phone. The URL is shown once; only its token's hash is stored.
   * @param input `expiresIn` in seconds; `isTaken`: the person has control from the start @throws ApiError
   * handoff_in_progress while a request of the phone is open or taken
   */
  create(
    caller: Caller,
    phoneId: string,
    input: { message: string; expiresIn: number; isTaken?: boolean },
  ): Promise<{ handoff: HandoffView; url: string }>
  /** The phone may have any status. */
  get(caller: Caller, phoneId: string, handoffId: string): Promise<HandoffView>
  /**
   * Waits until the hand-over has ended, `timeoutMs` have passed, or `signal` aborts, then returns the
   * hand-over.
   */
  wait(
    caller: Caller,
    phoneId: string,
    handoffId: string,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<HandoffView>
  /**
   * Withdraws the hand-over in any status and deletes its texts; control returns to the agent.
   * @throws ApiError phone_controlled while a member who took over without a request controls the phone
   */
  withdraw(caller: Caller, phoneId: string, handoffId: string): Promise<void>
  /** Returns the hand-over in progress; null if agents control the phone and have not asked for help. */
  current(caller: Caller, phoneId: string): Promise<ControlView | null>
  /** Lists the hand-overs in progress of the projects: open hand-overs first, then the oldest first; at most 100. */
  listCurrent(projectIds: readonly string[]): Promise<CurrentHandoff[]>
  /**
   * A member takes a ready phone over: accepts the open request of an agent, or creates one that is taken from the start, which
   * ends with the member's sign-in `userSessionId`. @throws ApiError handoff_in_progress while a person controls the phone
   */
  takeOver(caller: Caller, phoneId: string, userSessionId: string): Promise<ControlView>
  /**
   * Returns the phone to agents, which any member may do. @throws ApiError handoff_not_found if no person
   * controls the phone
   */
  giveBack(caller: Caller, phoneId: string, handoffId: string, note: string | null): Promise<void>
}
