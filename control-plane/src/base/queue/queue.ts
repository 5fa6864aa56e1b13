/**
 * The names and payloads of jobs, and `addJob`, which adds a job in the transaction of the change that needs it, or in
 * its statement (`addingJobs`). Fencing numbers are sent as text.
 */
import { z } from 'zod'
import { Prisma } from '../../gen/prisma/client.js'
import { type RawTx } from '../db/raw-transaction.js'

const phone = z.object({ phoneId: z.string(), fencing: z.string() })
/** Attempts for which the host had no free slot. */
const turns = z.int().default(0)
const device = z.object({
  deviceId: z.string(),
  fencing: z.string(),
  attempt: z.int().default(1),
  /** The agent's refusals, including refusals of earlier numbers. */
  refused: z.int().default(0),
  /** Calls that reached their deadline, including those under earlier fencing numbers. */
  unanswered: z.int().default(0),
  turns,
})

export const jobPayloads = {
  /** Makes a creating or starting phone ready. */
  'phone.start': phone.extend({
    attempt: z.int().default(1),
    /** Attempts that failed because of the phone. */
    failedTries: z.int().default(0),
    turns,
    /** Hosts that refused this create because of a fault of the host. */
    refusedBy: z.array(z.string()).default([]),
  }),
  /** Parks a parking phone's device. */
  'phone.park': phone.extend({ turns }),
  /** Ends a start that is past its deadline. */
  'phone.deadline': z.object({ phoneId: z.string(), sessionId: z.string() }),
  /** Parks a phone whose idle time or duration is over. */
  'session.due': z.object({ phoneId: z.string(), sessionId: z.string() }),
  /** Wipes a device, verifies the wipe, and frees it. */
  'device.wipe': device.extend({ phoneId: z.string() }),
  /** Enrols a device: probe, provision, wipe, verify. */
  'device.enroll': device,
  /**
   * Requires a host to prove the identity that one of its phones claims. With the proof, the device moves to the host.
   */
  'device.claim': z.object({ deviceId: z.string(), identity: z.string() }),
  /** Lets the new host of a moved device take it over. */
  'device.adopt': z.object({
    deviceId: z.string(),
    attempt: z.int().default(1),
    refused: z.int().default(0),
    turns,
  }),
  /** Tells a host that a device moved away from it. */
  'device.forget': z.object({ deviceId: z.string() }),
  /** Parks the running phones of a frozen project, or of the paused service. */
  'phones.park_all': z.object({ projectId: z.string().nullable() }),
  /** Ends the phones of a retired host. */
  'host.phones_end': z.object({ hostId: z.string() }),
  /** Reads the APK of a completed upload. */
  'upload.process': z.object({ uploadId: z.string(), attempt: z.int().default(1) }),
  /** Completes an install. */
  'app.install': z.object({ installId: z.string(), attempt: z.int().default(1) }),
  /** Follows a recording until its video is stored and its host has removed its copy. */
  'recording.fetch': z.object({ recordingId: z.string(), attempt: z.int().default(1) }),
  /** Stores the end of a hand-over whose time has passed. */
  'handoff.expire': z.object({ handoffId: z.string() }),
  /** Sends the next event of a webhook. */
  'webhook.deliver': z.object({
    webhookId: z.string(),
    turns,
    /** An earlier run of this job also found no work. */
    isLastLook: z.boolean().default(false),
  }),
  /** Removes a stored file that no row references. */
  'file.delete': z.object({ storageId: z.string() }),
} as const

export type JobName = keyof typeof jobPayloads
export type JobPayload<N extends JobName> = z.output<(typeof jobPayloads)[N]>
export type JobInput<N extends JobName> = z.input<(typeof jobPayloads)[N]>

/** The key of the only job for this assignment of a phone or device. */
export const assignmentJobKey = (name: JobName, id: string, fencing: bigint | string): string =>
  `${name}:${id}:${fencing}`

export interface JobOptions {
  /** If omitted: immediately. */
  runAt?: Date
  /** A later job with the same key replaces a job that has not begun. */
  key?: string
}

export interface NewJob {
  name: JobName
  payload: object
  options: JobOptions
}

export const newJob = <N extends JobName>(
  name: N,
  payload: JobInput<N>,
  options: JobOptions = {},
): NewJob => ({ name, payload, options })

/**
 * A function for the list of a `select`, which adds jobs with different keys for each row: with one notification to the
 * workers, and in the statement of the change that needs them.
 */
export const addingJobs = (jobs: readonly NewJob[]): Prisma.Sql =>
  Prisma.sql`graphile_worker.add_jobs(array[${Prisma.join(jobs.map(specOf))}])`

const specOf = ({ name, payload, options }: NewJob): Prisma.Sql =>
  Prisma.sql`(${name}::text, ${JSON.stringify(payload)}::json, null, ${options.runAt ?? null}::timestamptz, 25::smallint,
    ${options.key ?? null}::text, null, null)::graphile_worker.job_spec`

/** Adds jobs with different keys. */
export async function addJobs(tx: RawTx, jobs: readonly NewJob[]): Promise<void> {
  await tx.$queryRaw`select count(*)::int as added from (select ${addingJobs(jobs)}) jobs`
}

/** Adds a job with the key `NAME:ID` for each ID. The text of the statement does not depend on their number. */
export async function addJobForEach(
  tx: RawTx,
  name: JobName,
  field: string,
  ids: readonly string[],
): Promise<void> {
  await tx.$queryRaw`select count(*)::int as added from (select graphile_worker.add_jobs((
    select array_agg((${name}::text, json_build_object(${field}::text, id), null, null, 25::smallint,
      ${name}::text || ':' || id, null, null)::graphile_worker.job_spec) from unnest(${[...ids]}::text[]) as id))) jobs`
}

export const addJob = <N extends JobName>(
  tx: RawTx,
  name: N,
  payload: JobInput<N>,
  options: JobOptions = {},
): Promise<void> => addJobs(tx, [newJob(name, payload, options)])
