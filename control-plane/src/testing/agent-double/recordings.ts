/** The part of the agent's double that records screens: states in a map, and any bytes for a video. */
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
  /** By ID, as the agent tells them. */
  readonly held = new Map<string, RecordingState>()
  /** What the videos hold: several chunks. */
  video = Buffer.alloc(200_000, 'video')
  /** What a read sends instead, to break it. */
  sent: Buffer | null = null
  /** Records on when it is told to stop. */
  ignoresStop = false
  /** Sends a video in another way. */
  onRead: ((call: Read) => Promise<void>) | null = null

  /** `begin`: noted, checked and awaited before a call does anything. */
  constructor(private readonly begin: (name: string, assignment?: Assignment) => Promise<void>) {}

  /** The file of one that has ended is made. */
  finish(id: string): void {
    this.held.set(id, {
      ...this.get(id),
      status: RecordingStatus.RECORDING_STATUS_READY,
      durationMs: 1234n,
      sizeBytes: BigInt(this.video.length),
      sha256: createHash('sha256').update(this.video).digest('hex'),
    })
  }

  /** It ends at the host, whatever the reason. */
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
            ...{ status: RecordingStatus.RECORDING_STATUS_RECORDING, startedAt, endedAt: undefined },
            ...{ durationMs: 0n, sizeBytes: 0n, sha256: '', failure: '' },
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
