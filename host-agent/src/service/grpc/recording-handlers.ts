/** RecordingService: recordings of screens, kept on this host until the control plane has fetched them. */
import { once } from 'node:events'
import { pipeline } from 'node:stream/promises'
import type { ServerWritableStream } from '@grpc/grpc-js'
import {
  RecordingStatus,
  type ReadRecordingRequest,
  type ReadRecordingResponse,
  type RecordingServiceServer,
  type RecordingState,
} from '@phonerack/proto'
import type { Logger } from '@phonerack/shared'
import type { Recordings } from '../../media/recordings/recordings.js'
import type { Entry } from '../../media/recordings/store.js'
import { answer, callerOf, unary } from './call.js'
import { toApiError, toServiceError } from './errors.js'

const statuses: Record<Entry['status'], RecordingStatus> = {
  recording: RecordingStatus.RECORDING_STATUS_RECORDING,
  processing: RecordingStatus.RECORDING_STATUS_PROCESSING,
  ready: RecordingStatus.RECORDING_STATUS_READY,
  failed: RecordingStatus.RECORDING_STATUS_FAILED,
}

/** @param bytes current bytes on disk */
const stateOf = (entry: Entry, bytes: number): RecordingState => ({
  status: statuses[entry.status],
  startedAt: new Date(entry.startedAt),
  endedAt: entry.endedAt === null ? undefined : new Date(entry.endedAt),
  durationMs: BigInt(entry.durationMs),
  sizeBytes: BigInt(entry.status === 'ready' ? entry.sizeBytes : bytes),
  sha256: entry.sha256,
  failure: entry.failure,
})

export function createRecordingHandlers(recordings: Recordings, log: Logger): RecordingServiceServer {
  return {
    startRecording: unary(log, 'StartRecording', async ({ assignment, recordingId }, progress) => ({
      startedAt: await recordings.start(callerOf(assignment), recordingId, progress),
    })),
    stopRecording: unary(log, 'StopRecording', async ({ recordingId }) => ({
      recording: stateOf(await recordings.stop(recordingId), recordings.sizeOf(recordingId)),
    })),
    getRecording: unary(log, 'GetRecording', ({ recordingId }) =>
      Promise.resolve().then(() => ({
        recording: stateOf(recordings.get(recordingId), recordings.sizeOf(recordingId)),
      })),
    ),
    readRecording: (call) => {
      void answer(call, log, 'ReadRecording', (progress) => send(call, recordings, progress.signal)).then(
        () => call.end(),
        (error: unknown) => call.emit('error', toServiceError(toApiError(error, log))),
      )
    },
    dropRecording: unary(log, 'DropRecording', async ({ recordingId }) => {
      await recordings.drop(recordingId)
      return {}
    }),
  }
}

type Call = ServerWritableStream<ReadRecordingRequest, ReadRecordingResponse>

/**
 * Sends a recording, which it reads only as fast as the control plane does. The chunks have a file stream's size: 64
 * KiB.
 */
async function send(call: Call, recordings: Recordings, signal: AbortSignal): Promise<void> {
  await pipeline(
    recordings.read(call.request.recordingId),
    async (chunks: AsyncIterable<Buffer>) => {
      for await (const chunk of chunks) if (!call.write({ chunk })) await once(call, 'drain', { signal })
    },
    { signal },
  )
}
