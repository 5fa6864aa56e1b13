/** The double's recordings: a map of states, with arbitrary bytes as video. */
import { createHash } from 'node:crypto'
import { type ServerWritableStream } from '@grpc/grpc-js'
import {
  RecordingStatus,
  type Assignment,
  type ReadRecordingRequest,
  type ReadRecordingResponse,
  type RecordingServiceServer,
  type RecordingState,
} from '@phonerack/proto'
import { ApiError } from '@phonerack/shared'
import { answer, toServiceError } from './answers.js'

type Read = ServerWritableStream<ReadRecordingRequest, ReadRecordingResponse>

export class RecordingsDouble {
  /** The recordings by ID, as the agent reports them. */
  readonly held = new Map<string, RecordingState>()
  /** The content of all videos, which has several chunks. */
  video = Buffer.alloc(200_000, 'video')
  /** Replaces the content of a read, for a test of broken content. */
  sent: Buffer | null = null
  /** Continues recording after a stop. */
  ignoresStop = false
  /** Replaces the sending of a video. */
  onRead: ((call: Read) => Promise<void>) | null = null

  /**
   * Makes the recordings.
   * @param begin logs, checks and awaits `onCall` before a call does anything
   */
  constructor(private readonly begin: (name: string, assignment?: Assignment) => Promise<void>) {}

  /** Completes the file of a recording that has ended. */
  finish(id: string): void {
    this.held.set(id, {
      ...this.get(id),
      status: RecordingStatus.RECORDING_STATUS_READY,
      durationMs: 1234n,
      sizeBytes: BigInt(this.video.length),
      sha256: createHash('sha256').update(this.video).digest('hex'),
    })
  }

  /** Ends a recording on the host. */
  end(id: string): void {
    const state = this.get(id)
    if (state.status !== RecordingStatus.RECORDING_STATUS_RECORDING) return
    this.held.set(id, { ...state, status: RecordingStatus.RECORDING_STATUS_PROCESSING, endedAt: new Date() })
  }

  fail(id: string): void {
    const status = RecordingStatus.RECORDING_STATUS_FAILED
    this.held.set(id, { ...this.get(id), status, endedAt: new Date(), failure: 'said so' })
  }

  private get(id: string): RecordingState {
    const state = this.held.get(id)
    if (!state) throw new ApiError('recording_not_found')
    return state
  }

  service(): RecordingServiceServer {
    return {
      startRecording: (call, callback) =>
        answer(callback, async () => {
          const { assignment, recordingId } = call.request
          await this.begin('startRecording', assignment)
          const startedAt = new Date()
          this.held.set(recordingId, {
            status: RecordingStatus.RECORDING_STATUS_RECORDING,
            startedAt,
            endedAt: undefined,
            durationMs: 0n,
            sizeBytes: 0n,
            sha256: '',
            failure: '',
          })
          return { startedAt }
        }),
      stopRecording: (call, callback) =>
        answer(callback, async () => {
          await this.begin('stopRecording')
          if (!this.ignoresStop) this.end(call.request.recordingId)
          return { recording: this.get(call.request.recordingId) }
        }),
      getRecording: (call, callback) =>
        answer(callback, async () => {
          await this.begin('getRecording')
          return { recording: this.get(call.request.recordingId) }
        }),
      readRecording: (call) => {
        const send = async (): Promise<void> => {
          await this.begin('readRecording')
          this.get(call.request.recordingId)
          if (this.onRead) return this.onRead(call)
          const bytes = this.sent ?? this.video
          for (let at = 0; at < bytes.length; at += 65_536)
            call.write({ chunk: bytes.subarray(at, at + 65_536) })
          call.end()
        }
        send().catch((error: unknown) => call.emit('error', toServiceError(error)))
      },
      dropRecording: (call, callback) =>
        answer(callback, async () => {
          await this.begin('dropRecording')
          this.held.delete(call.request.recordingId)
          return {}
        }),
    }
  }
}
