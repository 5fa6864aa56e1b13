/** Calls of `RecordingService` to a host. */
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { Metadata } from '@grpc/grpc-js'
import {
  type DropRecordingRequest,
  type DropRecordingResponse,
  type GetRecordingRequest,
  type GetRecordingResponse,
  type ReadRecordingResponse,
  type RecordingState,
  type StartRecordingRequest,
  type StartRecordingResponse,
  type StopRecordingRequest,
  type StopRecordingResponse,
} from '@phonerack/proto'
import { type Progress } from '@phonerack/shared'
import { callHost, CallFailure, requireConnection, toFailure } from '../../links/host-calls/calls.js'
import { type HostConnection } from '../../links/host-calls/clients.js'

export const startRecording = (
  to: HostConnection,
  request: StartRecordingRequest,
  progress: Progress,
): Promise<StartRecordingResponse> =>
  callHost<StartRecordingRequest, StartRecordingResponse>(
    to,
    (_host, ...rest) => to.recordings.startRecording(...rest),
    request,
    progress,
  )

export async function stopRecording(
  to: HostConnection,
  recordingId: string,
  progress: Progress,
): Promise<RecordingState> {
  const { recording } = await callHost<StopRecordingRequest, StopRecordingResponse>(
    to,
    (_host, ...rest) => to.recordings.stopRecording(...rest),
    { recordingId },
    progress,
  )
  return stated(recording)
}

export async function getRecording(
  to: HostConnection,
  recordingId: string,
  progress: Progress,
): Promise<RecordingState> {
  const { recording } = await callHost<GetRecordingRequest, GetRecordingResponse>(
    to,
    (_host, ...rest) => to.recordings.getRecording(...rest),
    { recordingId },
    progress,
  )
  return stated(recording)
}

export const dropRecording = async (
  to: HostConnection,
  recordingId: string,
  progress: Progress,
): Promise<void> => {
  await callHost<DropRecordingRequest, DropRecordingResponse>(
    to,
    (_host, ...rest) => to.recordings.dropRecording(...rest),
    { recordingId },
    progress,
  )
}

/** True when a call failed because the host does not know the recording. */
export const isUnknown = (error: unknown): boolean =>
  error instanceof CallFailure && error.answer?.code === 'recording_not_found'

function stated(state: RecordingState | undefined): RecordingState {
  if (!state) throw CallFailure.hostFault('the host did not report the recording')
  return state
}

const notAsPromised = (): CallFailure =>
  CallFailure.hostFault("the file does not match the host's description")

/**
 * Streams the finished file with backpressure. Ends with an error unless the file is complete and matches its
 * announcement. @throws CallFailure
 */
export async function readRecording(
  to: HostConnection,
  recordingId: string,
  promised: { sha256: string; sizeBytes: bigint },
  progress: Progress,
): Promise<Readable> {
  await requireConnection(to, progress)
  const deadline = Date.now() + progress.remaining
  async function* chunks(): AsyncGenerator<Uint8Array> {
    const call = to.recordings.readRecording({ recordingId }, new Metadata(), { deadline })
    const forget = progress.onAbort(() => call.cancel())
    const hash = createHash('sha256')
    let size = 0n
    try {
      for await (const { chunk } of call as AsyncIterable<ReadRecordingResponse>) {
        hash.update(chunk)
        size += BigInt(chunk.length)
        // The size is checked before the bytes are stored, since a host could send without an end.
        if (size > promised.sizeBytes) throw notAsPromised()
        yield chunk
      }
    } catch (error) {
      throw toFailure(error)
    } finally {
      forget()
      call.cancel()
    }
    if (size !== promised.sizeBytes || hash.digest('hex') !== promised.sha256) throw notAsPromised()
  }
  return Readable.from(chunks(), { objectMode: false })
}
