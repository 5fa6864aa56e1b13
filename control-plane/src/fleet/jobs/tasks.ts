/** Maps each job to its function, and validates its payload. */
import { type CallFields, withCallFields } from '@phonerack/shared'
import { attributesOf, inTrace } from '@phonerack/shared/tracing'
import { type Task, type TaskList } from 'graphile-worker'
import { Prisma } from '../../gen/prisma/client.js'
import { expireHandoff } from '../../phone-io/handoffs/expiry.js'
import { runInstallJob } from '../../phone-io/installs/run-install.js'
import { enforceDeadline, enforceDue, parkForOperator } from '../../rental/phones/run.js'
import { endRetiredPhones } from '../../rental/phones/retired.js'
import { createHostSlots } from '../../base/queue/host-slots.js'
import { adoptDeviceJob } from './adopt-device.js'
import { claimDeviceJob } from './claim-device.js'
import { enrollDeviceJob, wipeDeviceJob } from './care-for-device.js'
import { forgetDeviceJob } from './forget-device.js'
import { type JobContext } from '../../phone-io/device-control/placed-device.js'
import { parkPhoneJob } from './park-phone.js'
import { jobPayloads, type JobName, type JobPayload } from '../../base/queue/queue.js'
import { startPhoneJob } from './start-phone.js'
import { type FileStore } from '../../files/storage/file-store.js'
import { type UploadCore } from '../../files/uploads/core.js'
import { processUploadJob } from '../../files/uploads/process.js'
import { deleteFileJob } from '../../files/uploads/stored-files.js'
import { fetchRecordingJob } from '../../phone-io/recordings/fetch.js'
import { createTransfers } from '../../phone-io/recordings/transfers.js'
import { deliverJob, type DeliveryParts } from '../../events/webhooks/deliver.js'
import { createDeliverySlots } from '../../events/webhooks/slots.js'

/**
 * Workers of the pools whose jobs call hosts or receivers of webhooks. Each pool divides its workers between
 * them.
 */
export const workers = { hosts: 128, installs: 16, recordings: 12, webhooks: 16 } as const
/**
 * Workers that wipes, enrolments and resets may use: each of these jobs keeps its phone and its host busy for
 * minutes.
 */
const longWorkers = 24

/** All pools share these slots. */
type PoolContext = Omit<JobContext, 'slots'>

const task =
  <N extends JobName>(name: N, work: (payload: JobPayload<N>) => Promise<void>): Task =>
  async (payload) => {
    // Types each job's schema by the payload of that job.
    const job = jobPayloads[name].parse(payload) as JobPayload<N>
    const fields: CallFields = {
      job: name,
      ...('phoneId' in job ? { phone: job.phoneId } : {}),
      ...('deviceId' in job ? { device: job.deviceId } : {}),
    }
    await withCallFields(fields, () =>
      inTrace(
        `job ${name}`,
        () => attributesOf(fields),
        () => work(job),
      ),
    )
  }

/** Jobs that use only the database, so they never wait behind a slow host. */
export const timerTasks = (context: PoolContext): TaskList => ({
  'phone.deadline': task('phone.deadline', (job) =>
    enforceDeadline(context.core, job.phoneId, job.sessionId),
  ),
  'session.due': task('session.due', (job) => enforceDue(context.core, job.phoneId, job.sessionId)),
  'phones.park_all': task('phones.park_all', (job) => parkAll(context, job.projectId)),
  'handoff.expire': task('handoff.expire', (job) => expireHandoff(context.core, job.handoffId)),
  'host.phones_end': task('host.phones_end', () => endRetiredPhones(context.core)),
})

/** Jobs that call hosts and may take long. */
export function hostTasks(pool: PoolContext): TaskList {
  const context = { ...pool, slots: createHostSlots(workers.hosts, longWorkers) }
  return {
    'phone.start': task('phone.start', (job) => startPhoneJob(context, job)),
    'phone.park': task('phone.park', (job) => parkPhoneJob(context, job)),
    'device.wipe': task('device.wipe', (job) => wipeDeviceJob(context, job)),
    'device.enroll': task('device.enroll', (job) => enrollDeviceJob(context, job)),
    'device.claim': task('device.claim', (job) => claimDeviceJob(context, job)),
    'device.forget': task('device.forget', (job) => forgetDeviceJob(context, job)),
    'device.adopt': task('device.adopt', (job) => adoptDeviceJob(context, job)),
  }
}

/** Jobs over stored files. Few run concurrently, since each reads a whole file. */
export const fileTasks = (uploads: UploadCore, stopping: AbortSignal): TaskList => ({
  'upload.process': task('upload.process', (job) => processUploadJob(uploads, job, stopping)),
  'file.delete': task('file.delete', (job) => deleteFileJob(uploads, job.storageId)),
})

/** Installs. Each may take minutes, so they have their own pool. */
export function installTasks(pool: PoolContext, store: FileStore): TaskList {
  const context = { ...pool, slots: createHostSlots(workers.installs) }
  return { 'app.install': task('app.install', (job) => runInstallJob(context, store, job)) }
}

/** Recordings. Some are large, so they have their own pool. */
export function recordingTasks(pool: PoolContext, store: FileStore): TaskList {
  const context = { ...pool, slots: createHostSlots(workers.recordings) }
  const transfers = createTransfers(workers.recordings)
  return {
    'recording.fetch': task('recording.fetch', (job) => fetchRecordingJob(context, store, transfers, job)),
  }
}

/** Deliveries of webhooks, whose receivers can take seconds to answer. */
export function webhookTasks(pool: Omit<DeliveryParts, 'slots'>): TaskList {
  const parts = { ...pool, slots: createDeliverySlots(workers.webhooks) }
  return { 'webhook.deliver': task('webhook.deliver', (job) => deliverJob(parts, job)) }
}

async function parkAll({ core }: PoolContext, projectId: string | null): Promise<void> {
  const scope = projectId === null ? Prisma.empty : Prisma.sql`and project_id = ${projectId}`
  const rows = await core.db.$queryRaw<{ id: string }[]>`select id from phones
    where status in ('creating', 'starting', 'ready') ${scope}`
  for (const { id } of rows) await parkForOperator(core, id)
}
