import { type Caller, type CallContext } from '../core/caller.js'
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

/** Part of a file, in bytes; both ends are in it. */
export interface ByteRange {
  from: number
  to: number
}

/**
 * Recordings of a phone. Start, stop and delete are sent to its host once.
 * @throws ApiError recording_not_found for one that is not the phone's
 */
export interface RecordingService {
  /** On a ready phone. @throws ApiError recording_in_progress, recording_limit_reached, feature_unavailable, action_outcome_unknown */
  start(caller: Caller, phoneId: string, name: string | null, context: CallContext): Promise<RecordingView>
  /** All that are kept, newest first; of a phone in any state. */
  list(caller: Caller, phoneId: string): Promise<RecordingView[]>
  /** On a ready phone. One that has ended is returned as it is. */
  stop(caller: Caller, phoneId: string, recordingId: string, context: CallContext): Promise<RecordingView>
  /**
   * `range` chooses a part by the whole size; null for all of it. `part` is null when all of it comes.
   * @throws ApiError recording_not_ready, and what `range` throws
   */
  video(
    caller: Caller,
    phoneId: string,
    recordingId: string,
    range: (sizeBytes: number) => ByteRange | null,
  ): Promise<{ stream: Readable; sizeBytes: number; part: ByteRange | null }>
  /** Stops it first. @throws ApiError recording_in_progress when it runs and its host cannot be reached */
  delete(caller: Caller, phoneId: string, recordingId: string, context: CallContext): Promise<void>
}
