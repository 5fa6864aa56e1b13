/**
 * Job `recording.fetch`: follows a recording from its start. The job notices the recording's end for any
 * cause, stores its video, and deletes it on the host. Safe to run twice and to take over from a killed
 * process.
 */
import { RecordingStatus, type RecordingState } from '@phonerack/proto'
import { newId, Progress } from '@phonerack/shared'
import { type Recording } from '../../gen/prisma/client.js'
import { inTransaction } from '../../base/db/database.js'
import { CallFailure } from '../../links/host-calls/calls.js'
import { type HostConnection } from '../../links/host-calls/clients.js'
import { type JobContext } from '../device-control/placed-device.js'
import { type JobPayload } from '../../base/queue/queue.js'
import { type Core } from '../../base/core/core.js'
import { StorageFull, type FileStore } from '../../files/storage/file-store.js'
import { dropRecording, getRecording, isUnknown, readRecording, stopRecording } from './calls.js'
import { hostOf } from './host-of.js'
import {
  forget,
  isRunning,
  markEnded,
  markFailed,
  markReady,
  markRunning,
  noteSize,
  noteStopAsked,
  usedRoom,
} from './records.js'
import { isStopIgnored } from './possible.js'
import { possibleTimes } from './times.js'
import { type Transfers } from './transfers.js'
import { addFileDelete } from '../../files/storage/deletions.js'
import { backoff, reschedule } from '../../base/queue/retry.js'

/**
 * Milliseconds: for one call, for one file, between two checks of a running recording, and between two checks
 * while the host writes its file.
 */
const times = {
  call: 10_000,
  file: 1_800_000,
  running: 3000,
  made: { first: 200, longest: 3000 },
  turn: 1000,
  full: 30_000,
}
/** Milliseconds between attempts after a failure. */
const again = { first: 500, longest: 10_000 }

type Payload = JobPayload<'recording.fetch'>

export async function fetchRecordingJob(
  context: JobContext,
  store: FileStore,
  transfers: Transfers,
  { recordingId: id, attempt }: Payload,
): Promise<void> {
  const { core } = context
  const recording = await core.db.recording.findUnique({ where: { id } })
  if (!recording || recording.isDropped) return
  const lookAgain = (ms: number, next: number): Promise<void> =>
    reschedule(context, 'recording.fetch', { recordingId: id, attempt: next }, ms, {
      key: `recording.fetch:${id}`,
    })
  try {
    const host = await hostOf(core, context.hosts, recording)
    if (host === 'gone') return await giveUp(core, recording)
    if (host === null) throw CallFailure.notSent('the host is unreachable')
    const waits = await context.slots.run(recording.hostId, 'short', () =>
      advance(context, store, transfers, recording, host),
    )
    if (waits === 'running') await lookAgain(times.running, 1)
    else if (waits === 'turn') await lookAgain(times.turn, attempt)
    else if (waits === 'made')
      await lookAgain(backoff(attempt, times.made.first, times.made.longest), attempt + 1)
  } catch (error) {
    if (!(error instanceof CallFailure) && !(error instanceof StorageFull)) throw error
    core.log.warn({ err: error, recording: id, attempt }, 'checking a recording again')
    const ms = error instanceof StorageFull ? times.full : backoff(attempt, again.first, again.longest)
    await lookAgain(ms, attempt + 1)
  }
}

/** A recording on a lost host cannot be recovered. */
async function giveUp(core: Core, { id }: Recording): Promise<void> {
  await markFailed(core, id, true)
  await core.db.recording.updateMany({ where: { id }, data: { isDropped: true } })
}

/**
 * Makes one step. Returns the state that the job then waits for, or null if the job is done.
 * @throws CallFailure, StorageFull
 */
async function advance(
  context: JobContext,
  store: FileStore,
  transfers: Transfers,
  recording: Recording,
  host: HostConnection,
): Promise<'running' | 'made' | 'turn' | null> {
  const { core, stopping } = context
  const within = (): Progress => Progress.for(times.call, stopping)
  if (!isRunning(recording) && recording.status !== 'processing') {
    await drop(core, recording, host, within())
    return null
  }
  let state: RecordingState
  // A recording ends with its assignment, even if its host does not know that yet.
  const isLeft = isRunning(recording) && !(await isAssigned(core, recording))
  try {
    state = await (isLeft ? stopRecording : getRecording)(host, recording.id, within())
  } catch (error) {
    if (!isUnknown(error)) throw error
    if (recording.status === 'starting') await forget(core, recording.id)
    await markFailed(core, recording.id, true)
    return null
  }
  const { startedAt, endedAt } = possibleTimes(recording.startedAt, state, core.clock.now())
  if (state.status === RecordingStatus.RECORDING_STATUS_RECORDING) {
    await markRunning(core, recording.id, startedAt)
    await noteSize(core, recording, state.sizeBytes)
    // When the row says `processing`, the host has not heard of the end.
    const isOver = recording.status === 'processing' || (await isProjectFull(core, recording))
    if (isOver) state = await stopRecording(host, recording.id, within())
    if ((isOver || isLeft) && state.status === RecordingStatus.RECORDING_STATUS_RECORDING) {
      if (isStopIgnored(recording.stopAskedAt, core.clock.now()))
        return fail(core, recording, host, within(), 'its host did not stop it')
      await noteStopAsked(core, recording.id)
    }
    return recording.status === 'processing' ? 'made' : 'running'
  }
  if (isRunning(recording))
    await inTransaction(core.db, (tx) => markEnded(tx, core, recording, { startedAt, endedAt }))
  if (state.status === RecordingStatus.RECORDING_STATUS_FAILED)
    return fail(core, recording, host, within(), state.failure)
  if (state.status !== RecordingStatus.RECORDING_STATUS_READY) return 'made'
  return transfers.run(recording.projectId, recording.hostId, () =>
    bring(context, store, recording, host, state),
  )
}

async function fail(
  core: Core,
  recording: Recording,
  host: HostConnection,
  progress: Progress,
  reason: string,
): Promise<null> {
  core.log.error({ recording: recording.id, reason }, 'could not save a recording')
  await markFailed(core, recording.id, false)
  await drop(core, recording, host, progress)
  return null
}

/** Stores the finished file, and deletes it on the host. @throws CallFailure, StorageFull */
async function bring(
  { core, stopping }: JobContext,
  store: FileStore,
  recording: Recording,
  host: HostConnection,
  state: RecordingState,
): Promise<null> {
  const { startedAt, endedAt } = possibleTimes(recording.startedAt, state, core.clock.now())
  if (!(await store.hasRoomFor(Number(state.sizeBytes)))) throw new StorageFull()
  const video = await readRecording(host, recording.id, state, Progress.for(times.file, stopping))
  // Use a new name, since another runner may store the same file. A file without references is
  // removed after an hour.
  const storageId = newId('file')
  const unusedAt = new Date(core.clock.now().getTime() + 2 * times.file)
  await inTransaction(core.db, (tx) => addFileDelete(tx, storageId, unusedAt))
  await store.put(storageId, video)
  await markReady(core, recording, {
    storageId,
    sha256: state.sha256,
    durationMs: Number(state.durationMs),
    sizeBytes: state.sizeBytes,
    startedAt,
    endedAt: endedAt ?? startedAt,
  })
  await drop(core, recording, host, Progress.for(times.call, stopping))
  return null
}

/**
 * True when the project's recordings use all of its space: the project's running recordings are then ended.
 */
async function isProjectFull(core: Core, { projectId }: Recording): Promise<boolean> {
  const { bytes } = await usedRoom(core.db, projectId, core.clock.now())
  return bytes >= core.rules.recordings.projectBytes
}

async function drop(core: Core, { id }: Recording, host: HostConnection, progress: Progress): Promise<void> {
  await dropRecording(host, id, progress)
  await core.db.recording.updateMany({ where: { id }, data: { isDropped: true } })
}

/** True while the recording's phone still has the device under the recording's fencing number. */
async function isAssigned(core: Core, { phoneId, fencingNumber }: Recording): Promise<boolean> {
  return (await core.db.device.count({ where: { phoneId, fencingNumber } })) > 0
}
