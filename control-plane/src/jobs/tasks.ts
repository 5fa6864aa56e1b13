/** Which function does which job. Payloads are checked where they arrive. */
import { type Task, type TaskList } from 'graphile-worker'
import { Prisma } from '../gen/prisma/client.js'
import { runInstallJob } from '../installs/run-install.js'
import { enforceDeadline, enforceDue, parkForOperator } from '../phones/run.js'
import { enrollDeviceJob, wipeDeviceJob } from './care-for-device.js'
import { type JobContext } from '../device-control/placed-device.js'
import { parkPhoneJob } from './park-phone.js'
import { jobPayloads, type JobName, type JobPayload } from '../queue/queue.js'
import { startPhoneJob } from './start-phone.js'
import { type FileStore } from '../storage/file-store.js'
import { type UploadCore } from '../uploads/core.js'
import { processUploadJob } from '../uploads/process.js'
import { deleteFileJob } from '../uploads/stored-files.js'
import { fetchRecordingJob } from '../recordings/fetch.js'

const task =
  <N extends JobName>(name: N, work: (payload: JobPayload<N>) => Promise<void>): Task =>
  async (payload) => {
    // The schema of a name makes the payload of that name.
    await work(jobPayloads[name].parse(payload) as JobPayload<N>)
  }

/** Jobs that only touch the database: never behind a slow host. */
export const timerTasks = (context: JobContext): TaskList => ({
  'phone.deadline': task('phone.deadline', (job) =>
    enforceDeadline(context.core, job.phoneId, job.sessionId),
  ),
  'session.due': task('session.due', (job) => enforceDue(context.core, job.phoneId, job.sessionId)),
  'phones.park_all': task('phones.park_all', (job) => parkAll(context, job.projectId)),
})

/** Jobs that call hosts and may take long. */
export const hostTasks = (context: JobContext): TaskList => ({
  'phone.start': task('phone.start', (job) => startPhoneJob(context, job)),
  'phone.park': task('phone.park', (job) => parkPhoneJob(context, job)),
  'device.wipe': task('device.wipe', (job) => wipeDeviceJob(context, job)),
  'device.enroll': task('device.enroll', (job) => enrollDeviceJob(context, job)),
})

/** Jobs over stored files: few at a time, since each reads a whole one. */
export const fileTasks = (uploads: UploadCore, stopping: AbortSignal): TaskList => ({
  'upload.process': task('upload.process', (job) => processUploadJob(uploads, job, stopping)),
  'file.delete': task('file.delete', (job) => deleteFileJob(uploads, job.storageId)),
})

/** Installs: each may take minutes, and holds up nothing else. */
export const installTasks = (context: JobContext, store: FileStore): TaskList => ({
  'app.install': task('app.install', (job) => runInstallJob(context, store, job)),
})

/** Recordings: some are large, and hold up nothing else. */
export const recordingTasks = (context: JobContext, store: FileStore): TaskList => ({
  'recording.fetch': task('recording.fetch', (job) => fetchRecordingJob(context, store, job)),
})

async function parkAll({ core }: JobContext, projectId: string | null): Promise<void> {
  const scope = projectId === null ? Prisma.empty : Prisma.sql`and project_id = ${projectId}`
  const rows = await core.db.$queryRaw<{ id: string }[]>`select id from phones
    where status in ('creating', 'starting', 'ready') ${scope}`
  for (const { id } of rows) await parkForOperator(core, id)
}
