/**
 * Implements `RecordingService`: sends each request to the host once, and leaves the rest to the
 * job (`fetch.ts`).
 */
import { ApiError, isId, Progress } from '@phonerack/shared'
import { inTransaction } from '../../base/db/database.js'
import { inTenantTransaction } from '../../base/core/tenant-transaction.js'
import { conflictOr } from '../../rental/phones/conflict-after-call.js'
import { assignmentOf } from '../../rental/devices/placement.js'
import { refusalOf } from '../device-control/phone-calls.js'
import { phoneUnavailable, readyTarget, type Target } from '../../rental/phones/target.js'
import { tenantOf } from '../../rental/devices/tenant.js'
import { type Recording } from '../../gen/prisma/client.js'
import { CallFailure } from '../../links/host-calls/calls.js'
import { type HostClients, type HostConnection } from '../../links/host-calls/clients.js'
import { permitted } from '../../rental/phones/access.js'
import { runningConflict } from '../../rental/phones/conflicts.js'
import { type Core } from '../../base/core/core.js'
import { findPhone } from '../../rental/phones/records.js'
import { StoredFileMissing, type FileStore } from '../../files/storage/file-store.js'
import { dropRecording, isUnknown, startRecording, stopRecording } from './calls.js'
import { hostOf } from './host-of.js'
import {
  addFetch,
  admit,
  findRecording,
  forget,
  isRunning,
  markEnded,
  markFailed,
  markRunning,
  recordingNotFound,
  recordingsRequest,
  remove,
  viewOf,
} from './records.js'
import { possibleTimes } from './times.js'
import { type CallContext, type Caller } from '../../base/core/caller.js'
import { type RecordingService } from './types.js'

/**
 * Milliseconds: a start, since the first frame may take a while; another call; and when the job
 * first runs.
 */
const times = { start: 30_000, call: 15_000, unconfirmed: 45_000, fetchDelay: 2000 }

export function createRecordingService(core: Core, hosts: HostClients, store: FileStore): RecordingService {
  const allowed = async (caller: Caller, phoneId: string) =>
    permitted(caller, phoneId, await findPhone(core.db, phoneId))
  const find = (phoneId: string, id: string): Promise<Recording> => {
    if (!isId('recording', id)) throw recordingNotFound(phoneId, id)
    return findRecording(core, phoneId, id)
  }

  return {
    async start(caller, phoneId, name, context) {
      const target = await readyTarget(core, hosts, caller, phoneId, context.signal)
      if (!store.isConfigured)
        throw new ApiError('feature_unavailable', { details: { phone: phoneId, feature: 'recordings' } })
      const recording = await admit(core, caller, { phoneId, name, target, firstRunMs: times.unconfirmed })
      const startedAt = await begin(core, recording, target, context)
      await markRunning(core, recording.id, startedAt)
      await inTransaction(core.db, (tx) => addFetch(tx, core, recording.id, times.fetchDelay))
      return viewOf(await findRecording(core, phoneId, recording.id))
    },

    async list(caller, phoneId) {
      await allowed(caller, phoneId)
      const rows = await core.db.recording.findMany({
        where: { phoneId, status: { not: 'deleted' }, expiresAt: { gt: core.clock.now() } },
        orderBy: [{ startedAt: 'desc' }, { id: 'desc' }],
      })
      return rows.map(viewOf)
    },

    async stop(caller, phoneId, id, context) {
      const target = await readyTarget(core, hosts, caller, phoneId, context.signal)
      const recording = await find(phoneId, id)
      if (!isRunning(recording)) return viewOf(recording)
      await end(core, recording, target)
      return viewOf(await findRecording(core, phoneId, id))
    },

    async video(caller, phoneId, id, range) {
      const phone = await allowed(caller, phoneId)
      const recording = await find(phoneId, id)
      const { status, storageId } = recording
      if (isRunning(recording) || status === 'processing')
        throw new ApiError('recording_not_ready', {
          details: { recording: id, status: viewOf(recording).status },
          // A park ends the recording and saves its video; a stop would require a paid start.
          next:
            isRunning(recording) && phone.status === 'ready'
              ? `POST /v1/phones/${phoneId}/recordings/${id}/stop`
              : recordingsRequest(phoneId),
        })
      if (status !== 'ready') throw recordingNotFound(phoneId, id)
      const sizeBytes = Number(recording.sizeBytes)
      try {
        const part = range(sizeBytes)
        const partial = part ? await store.readPart(storageId, part.from, part.to) : null
        if (partial) return { stream: partial, sizeBytes, part }
        return { stream: await store.read(storageId), sizeBytes, part: null }
      } catch (error) {
        if (error instanceof StoredFileMissing) throw recordingNotFound(phoneId, id)
        throw error
      }
    },

    async delete(caller, phoneId, id) {
      const phone = await allowed(caller, phoneId)
      const recording = await find(phoneId, id)
      if (isRunning(recording)) {
        // The recording ends with the session, and its host closes the file within a moment.
        if (runningConflict(phoneId, phone.status) !== null) throw stillRuns(recording)
        const host = await hostOf(core, hosts, recording)
        if (host === null || host === 'gone') throw phoneUnavailable(phoneId)
        // From here on the video may be lost, even if the row stays.
        if (caller.effects) caller.effects.mayHaveBegun = true
        await endAtHost(host, recording)
      }
      const isRemoved = await inTenantTransaction(core, caller, (tx) => remove(tx, core, recording))
      if (!isRemoved) throw recordingNotFound(phoneId, id)
    },
  }
}

/**
 * Sends the start once, and returns the time at which the recording began. @throws ApiError if the host refuses; the
 * row is then removed
 */
async function begin(core: Core, recording: Recording, target: Target, context: CallContext): Promise<Date> {
  const { id, phoneId } = recording
  try {
    // The host divides its space between tenants.
    const tenant = tenantOf(recording.projectId)
    const assignment = assignmentOf(phoneId, { ...target, tenant }, context.requestId)
    const request = { assignment, recordingId: id }
    const answer = await startRecording(target.connection, request, Progress.for(times.start))
    return possibleTimes(recording.startedAt, answer, core.clock.now()).startedAt
  } catch (error) {
    if (!(error instanceof CallFailure)) throw error
    const refusal = refused(error, recording)
    if (refusal.code !== 'action_outcome_unknown') await forget(core, id)
    throw refusal.code === 'phone_unavailable' ? await conflictOr(core, phoneId, refusal) : refusal
  }
}

/** Sends the stop once. */
async function end(core: Core, recording: Recording, target: Target): Promise<void> {
  const { id } = recording
  try {
    // A recording of an earlier assignment has ended with the assignment.
    if (recording.fencingNumber !== target.fencingNumber)
      return await inTransaction(core.db, (tx) => markEnded(tx, core, recording))
    const state = await stopRecording(target.connection, id, Progress.for(times.call))
    const now = core.clock.now()
    const { startedAt, endedAt } = possibleTimes(recording.startedAt, state, now)
    const at = { startedAt, endedAt: endedAt ?? now }
    await inTransaction(core.db, (tx) => markEnded(tx, core, recording, at))
  } catch (error) {
    if (!(error instanceof CallFailure)) throw error
    if (isUnknown(error)) return markFailed(core, id, true)
    throw refused(error, recording)
  }
}

/**
 * Deletes a recording of a phone that does not run. Nothing is sent to the phone's host, which closes the
 * recording within a moment when it is reachable.
 */
const stillRuns = ({ id, phoneId }: Recording): ApiError =>
  new ApiError('recording_in_progress', {
    message: 'The recording is not finished yet, and its phone is no longer running.',
    details: { phone: phoneId, recording: id },
    next:
      `${recordingsRequest(phoneId)} until \`status\` is no longer \`recording\`, then delete the recording. ` +
      `If that takes more than a minute: POST /v1/phones/${phoneId}/start, then stop the recording and delete it.`,
  })

/** Sends the deletion once; the host ends and deletes the recording. */
async function endAtHost(host: HostConnection, recording: Recording): Promise<void> {
  try {
    await dropRecording(host, recording.id, Progress.for(times.call))
  } catch (error) {
    if (!(error instanceof CallFailure)) throw error
    throw refused(error, recording)
  }
}

/** Returns the error for a call that was sent once. The job determines the outcome. */
const refused = (failure: CallFailure, { id, phoneId }: Recording): ApiError =>
  refusalOf(failure, phoneId, recordingsRequest(phoneId), { recording: id })
