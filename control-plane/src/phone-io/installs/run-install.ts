/**
 * Job `app.install`: completes an install. Safe to run twice and to take over from a killed
 * process: the agent identifies an install by its ID, begins it once, and keeps its result.
 */
import {
  type BeginInstallRequest,
  type BeginInstallResponse,
  type FinishInstallRequest,
  type FinishInstallResponse,
} from '@phonerack/proto'
import { ApiError, Progress } from '@phonerack/shared'
import { assignmentOf } from '../../rental/devices/placement.js'
import { type Target } from '../../rental/phones/target.js'
import { type Install } from '../../gen/prisma/client.js'
import { CallFailure, callHost } from '../../links/host-calls/calls.js'
import { placeDevice, type JobContext } from '../device-control/placed-device.js'
import { type JobPayload } from '../../base/queue/queue.js'
import { StoredFileMissing, type FileStore } from '../../files/storage/file-store.js'
import { adviceFor } from './advice.js'
import { putPackageFile } from './put-file.js'
import { end, endInDoubt, filesOf, jobKey, markOrdered, type InstallEnd } from './records.js'
import { beginRequest } from './service.js'
import { backoff, reschedule } from '../../base/queue/retry.js'

/**
 * Milliseconds for one begin, one file and one finish; between two attempts to get a slot; and for the whole
 * install.
 */
const times = { begin: 90_000, put: 600_000, finish: 600_000, turn: 1000, all: 1_800_000 }
/** Milliseconds after which the agent may be about to release the slot. */
const slotMs = 60_000

type Payload = JobPayload<'app.install'>
type PlacedTarget = Target & { hostId: string }

export async function runInstallJob(context: JobContext, store: FileStore, payload: Payload): Promise<void> {
  const { core } = context
  const install = await core.db.install.findUnique({ where: { id: payload.installId } })
  if (!install || install.status === 'succeeded' || install.status === 'failed') return
  // The begin was never confirmed, and the agent has since given up the install, so the install must not
  // begin again.
  if (install.status === 'beginning') return giveUp(context, install)
  try {
    const outcome = await bringIn(context, store, install)
    if (outcome === 'turn') return await again(context, install, times.turn, payload.attempt)
    await (outcome ? end(core, install, outcome) : giveUp(context, install))
  } catch (error) {
    const outcome = endOf(error, install)
    if (outcome) return end(core, install, outcome)
    core.log.warn({ err: error, install: install.id, phone: install.phoneId }, 'retrying an install')
    await again(context, install, backoff(payload.attempt, 500, 10_000), payload.attempt + 1)
  }
}

/** Reschedules the job in `ms`, unless the install has exceeded its time. */
async function again(context: JobContext, install: Install, ms: number, attempt: number): Promise<void> {
  const age = context.core.clock.now().getTime() - install.startedAt.getTime()
  if (age > times.all) return giveUp(context, install)
  await reschedule(context, 'app.install', { installId: install.id, attempt }, ms, {
    key: jobKey(install.id),
  })
}

const looking = (install: Install): string => `GET /v1/phones/${install.phoneId}/apps`
const unknown = (install: Install): InstallEnd => ({
  error: 'action_outcome_unknown',
  next: `${looking(install)}: the list shows whether the app is installed.`,
})

const giveUp = ({ core }: JobContext, install: Install): Promise<void> =>
  endInDoubt(core, install, {
    ordered: unknown(install),
    // `replace` may have uninstalled the old app.
    unordered: install.replace ? unknown(install) : neverOrdered(install),
  })

const neverOrdered = ({ phoneId }: Install): InstallEnd => ({
  error: 'phone_unavailable',
  next: `Nothing was installed. Install again: POST /v1/phones/${phoneId}/apps`,
})

/**
 * Returns null when the phone was parked or got another device: the agent then ends the install
 * itself. @throws CallFailure when the host is unreachable
 */
async function targetOf(context: JobContext, install: Install): Promise<PlacedTarget | null> {
  const device = await placeDevice(context, { phoneId: install.phoneId })
  if (device?.fencingNumber !== install.fencingNumber) return null
  const { hostId, connection, serial, fencingNumber } = device
  if (!connection) throw CallFailure.notSent('the host is unreachable')
  return { hostId, connection, serial, fencingNumber }
}

/**
 * Returns null when the phone has lost its assignment, or another runner has ended the install;
 * `turn` when its host has no free slot.
 */
async function bringIn(
  context: JobContext,
  store: FileStore,
  install: Install,
): Promise<InstallEnd | 'turn' | null> {
  const target = await targetOf(context, install)
  if (!target) return null
  return context.slots.run(target.hostId, 'short', () => installOn(context, store, install, target))
}

async function installOn(
  context: JobContext,
  store: FileStore,
  install: Install,
  target: Target,
): Promise<InstallEnd | null> {
  const { core, stopping } = context
  const begin = () =>
    callHost<BeginInstallRequest, BeginInstallResponse>(
      target.connection,
      (client, ...rest) => client.beginInstall(...rest),
      beginRequest(install, target),
      Progress.for(times.begin, stopping),
    )
  const begunAt = performance.now()
  const { missingSha256 } = await begin()
  for (const file of filesOf(install).filter(({ sha256 }) => missingSha256.includes(sha256)))
    await putPackageFile(target.connection, file, store, Progress.for(times.put, stopping))
  if (performance.now() - begunAt > slotMs) await begin()
  // Check again: sending may have taken minutes.
  if (!(await targetOf(context, install)) || !(await markOrdered(core, install))) return null
  const answer = await callHost<FinishInstallRequest, FinishInstallResponse>(
    target.connection,
    (client, ...rest) => client.finishInstall(...rest),
    { assignment: assignmentOf(install.phoneId, target, install.requestId), installId: install.id },
    Progress.for(times.finish, stopping),
  )
  return answer.succeeded ? { error: null, next: null } : failureOf(answer, install)
}

function failureOf({ errorCode, reason, wasInstalled }: FinishInstallResponse, install: Install): InstallEnd {
  const error = errorCode || 'install_failed'
  if (error !== 'install_failed') {
    const gone = wasInstalled && install.replace ? ', and the previously installed app was removed' : ''
    return {
      error,
      next: `Nothing was installed${gone}. Install again: POST /v1/phones/${install.phoneId}/apps`,
    }
  }
  return { error, next: adviceFor(reason, wasInstalled, install) }
}

/**
 * Errors of an agent that does not run this install: the install has not begun under this ID, and may begin again.
 * `install_in_progress` occurs after a restart of the agent, if another install was faster.
 */
const passing = new Set(['phone_unavailable', 'provider_timeout', 'provider_error', 'install_in_progress'])

/** Returns null when another attempt may succeed. */
function endOf(error: unknown, install: Install): InstallEnd | null {
  if (error instanceof StoredFileMissing)
    return install.uploadId === null
      ? { error: 'app_not_available', next: 'The app is no longer in the library: GET /v1/apps/library' }
      : { error: 'upload_failed', next: 'Create a new upload and send the file again: POST /v1/apps/uploads' }
  if (!(error instanceof CallFailure)) return null
  const { answer } = error
  if (!(answer instanceof ApiError)) return null
  if (passing.has(answer.code)) return null
  if (answer.code === 'action_outcome_unknown') return unknown(install)
  return { error: answer.code, next: answer.next ?? `${looking(install)}, then install again.` }
}
