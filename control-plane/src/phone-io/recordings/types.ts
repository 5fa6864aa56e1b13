import { type Caller, type CallContext } from '../../base/core/caller.js'
import { type Readable } from 'node:stream'

export const recordingStatuses = ['recording', 'processing', 'ready', 'failed'] as const

export type RecordingStatus = (typeof recordingStatuses)[number]

/** A video of a phone's screen as the API shows it. */
export interface RecordingView {
  id: string
  phone: string
  name: string | null
  status: RecordingStatus
  startedAt: Date
  endedAt: Date | null
  durationMs: number | null
  sizeBytes: number | null
  expiresAt: Date
}

/** A byte range; both ends are inclusive. */
export interface ByteRange {
  from: number
  to: number
}

/**
 * Recordings of a phone. Start, stop and delete are sent to the phone's host once.
 * @throws ApiError recording_not_found for a recording of another phone
 */
export interface RecordingService {
  /**
   * Starts a recording on a ready phone. @throws ApiError recording_in_progress, recording_limit_reached,
   * feature_unavailable, action_outcome_unknown
   */
  start(caller: Caller, phoneId: string, name: string | null, context: CallContext): Promise<RecordingView>
  /** All stored recordings of the phone in any status, newest first. */
  list(caller: Caller, phoneId: string): Promise<RecordingView[]>
  /** The phone must be ready. A recording that has already ended is returned unchanged. */
  stop(caller: Caller, phoneId: string, recordingId: string, context: CallContext): Promise<RecordingView>
  /**
   * `range` selects a part, given the total size, or null for the whole file. `part` is null for the whole
   * file.
   * @throws ApiError recording_not_ready, and the errors of `range`
   */
  video(
    caller: Caller,
    phoneId: string,
    recordingId: string,
    range: (sizeBytes: number) => ByteRange | null,
  ): Promise<{ stream: Readable; sizeBytes: number; part: ByteRange | null }>
  /**
   * Deletes the recording, after stopping it.
   * @throws ApiError recording_in_progress when it runs and its host cannot be reached
   */
  delete(caller: Caller, phoneId: string, recordingId: string, context: CallContext): Promise<void>
}
