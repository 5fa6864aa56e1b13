/**
 * Reads and writes installs in the database. A row is created before the agent is asked, and removed when the
 * agent refuses.
 */
import { ApiError, isId, newId } from '@phonerack/shared'
import { z } from 'zod'
import { inTransaction, type Tx } from '../../base/db/database.js'
import { inTenantTransaction } from '../../base/core/tenant-transaction.js'
import { type Install, type Upload } from '../../gen/prisma/client.js'
import { addJob } from '../../base/queue/queue.js'
import { type Core } from '../../base/core/core.js'
import { readApp } from '../../files/library/apps.js'
import { factsOf } from '../../files/library/files.js'
import { needsOf, readNeeds, type Needs } from '../../files/apps/needs.js'
import { refreshExpiry } from '../../files/uploads/expiry.js'
import { checkAppChange } from '../../rental/phones/left-to-person.js'
import { lockUpload, statusAt, uploadNotFound, visible } from '../../files/uploads/records.js'
import { type Caller } from '../../base/core/caller.js'
import { type InstallSource, type InstallView } from './types.js'

/**
 * Milliseconds until an unconfirmed install has certainly ended: the time of the call itself, and the two minutes after
 * which the agent releases the slot.
 */
const unconfirmedMs = 210_000
/** The longest list of installs. */
const listed = 50

const filesSchema = z.array(
  z.object({ name: z.string(), storageId: z.string(), sha256: z.string(), size: z.number() }),
)
/** The files for the phone, the base first. */
export type InstallFiles = z.output<typeof filesSchema>
export const filesOf = (install: Install): InstallFiles => filesSchema.parse(install.files)

export const jobKey = (installId: string): string => `app.install:${installId}`
export const installsRequest = (phoneId: string): string => `GET /v1/phones/${phoneId}/apps/installs`

/** @throws ApiError upload_not_ready */
function requireReady(
  upload: Upload,
  now: Date,
): { package: string; versionCode: bigint; file: InstallFiles[0]; needs: Needs | null } {
  const status = statusAt(upload, now)
  const { package: name, versionCode, storageId, sha256, sizeBytes } = upload
  if (status !== 'ready' || !name || versionCode === null || !storageId || !sha256 || sizeBytes === null) {
    const next =
      status === 'processing'
        ? `GET /v1/apps/uploads/${upload.id}?wait=ready`
        : `GET /v1/apps/uploads/${upload.id}`
    throw new ApiError('upload_not_ready', { details: { upload: upload.id, status }, next })
  }
  return {
    package: name,
    versionCode,
    needs: readNeeds(upload.needs),
    file: { name: 'base.apk', storageId, sha256, size: Number(sizeBytes) },
  }
}

/** The build to install. */
interface Build {
  package: string
  versionCode: bigint
  /** Null for an app of the library. */
  uploadId: string | null
  files: InstallFiles
  /** Null if the requirements are unknown. */
  needs: Needs | null
  replace: boolean
}

/** Reads the build, and keeps the upload and its file locked. */
async function buildOf(
  tx: Tx,
  caller: Caller,
  phoneId: string,
  source: InstallSource,
  now: Date,
): Promise<Build> {
  if ('package' in source) {
    checkAppChange(caller, phoneId, source.package)
    return { ...(await fromLibrary(tx, source.package)), uploadId: null, replace: false }
  }
  const { upload: uploadId, replace } = source
  if (!isId('upload', uploadId)) throw uploadNotFound(uploadId)
  const upload = visible(caller, uploadId, await lockUpload(tx, caller.projectId, uploadId))
  const { file, ...ready } = requireReady(upload, now)
  checkAppChange(caller, phoneId, ready.package)
  return { ...ready, files: [file], uploadId, replace }
}

/** @throws ApiError app_not_available */
async function fromLibrary(
  tx: Tx,
  name: string,
): Promise<Pick<Build, 'package' | 'versionCode' | 'files' | 'needs'>> {
  // Waits for a change of the app in progress, which may remove the app's files.
  await tx.$queryRaw`select 1 from library_apps where package = ${name} for share`
  const app = await readApp(tx, name)
  if (!app)
    throw new ApiError('app_not_available', {
      details: { package: name },
      next: `GET /v1/apps/library, or upload the APK (POST /v1/apps/uploads) and install it with "upload".`,
    })
  const files = app.files.map(({ id, sha256, sizeBytes, position }) => ({
    name: position === 0 ? 'base.apk' : `split${position}.apk`,
    storageId: id,
    // The table's check constraint requires these columns for a file of an app.
    sha256: sha256 ?? '',
    size: Number(sizeBytes),
  }))
  const [base, ...splits] = app.files.map(factsOf)
  const needs = base === undefined ? null : needsOf([base, ...splits])
  return { package: name, versionCode: app.versionCode, files, needs }
}

interface NewInstall {
  phoneId: string
  fencing: bigint
  source: InstallSource
  requestId: string
}

/**
 * Creates a row in the status `beginning`, which clients see as `running`. `confirm` or `forget`
 * follows. @throws ApiError upload_not_found, upload_not_ready, app_not_available
 */
export function record(core: Core, caller: Caller, wanted: NewInstall): Promise<Install> {
  return inTenantTransaction(core, caller, async (tx) => {
    const now = core.clock.now()
    const { needs, ...build } = await buildOf(tx, caller, wanted.phoneId, wanted.source, now)
    const id = newId('install')
    const runAt = new Date(now.getTime() + unconfirmedMs)
    await addJob(tx, 'app.install', { installId: id }, { key: jobKey(id), runAt })
    return tx.install.create({
      data: {
        id,
        phoneId: wanted.phoneId,
        fencingNumber: wanted.fencing,
        requestId: wanted.requestId,
        ...build,
        ...(needs === null ? {} : { needs }),
        status: 'beginning',
        startedAt: now,
        updatedAt: now,
      },
    })
  })
}

/** Stores that the agent has begun the install: the job takes over, and the upload is kept longer. */
export function confirm(core: Core, install: Install): Promise<Install> {
  return inTransaction(core.db, async (tx) => {
    const now = core.clock.now()
    const running = await tx.install.update({
      where: { id: install.id },
      data: { status: 'running', updatedAt: now },
    })
    await addJob(tx, 'app.install', { installId: install.id }, { key: jobKey(install.id) })
    if (install.uploadId !== null) await keepUpload(core, tx, install.uploadId, now)
    return running
  })
}

/**
 * Removes the row after the agent refused, since nothing was installed. The install's job then does nothing.
 */
export const forget = async (core: Core, install: Install): Promise<void> => {
  await core.db.install.deleteMany({ where: { id: install.id, status: 'beginning' } })
}

export interface InstallEnd {
  /** Null: success. */
  error: string | null
  next: string | null
}

/** Ends the install unless it has already ended. */
export async function end(core: Core, install: Install, outcome: InstallEnd): Promise<void> {
  await inTransaction(core.db, async (tx) => {
    const now = core.clock.now()
    const isEnded = await endWhere(tx, { id: install.id }, outcome, now)
    if (isEnded && outcome.error === null && install.uploadId !== null)
      await keepUpload(core, tx, install.uploadId, now)
  })
}

/**
 * Ends an install about which the agent will report nothing more: with `unordered` when the agent
 * never received the order to install, else with `ordered`.
 */
export async function endInDoubt(
  core: Core,
  { id }: Install,
  { ordered, unordered }: { ordered: InstallEnd; unordered: InstallEnd },
): Promise<void> {
  const now = core.clock.now()
  await inTransaction(core.db, async (tx) => {
    if (!(await endWhere(tx, { id, orderedAt: null }, unordered, now)))
      await endWhere(tx, { id }, ordered, now)
  })
}

async function endWhere(
  tx: Tx,
  where: { id: string; orderedAt?: null },
  outcome: InstallEnd,
  now: Date,
): Promise<boolean> {
  const status = outcome.error === null ? 'succeeded' : 'failed'
  const { count } = await tx.install.updateMany({
    where: { ...where, status: { in: ['beginning', 'running'] } },
    data: { ...outcome, status, updatedAt: now },
  })
  return count > 0
}

/**
 * Must be called before the order to install is sent. Returns false if the install has already ended, in which case the
 * caller must not send the order.
 */
export async function markOrdered(core: Core, install: Install): Promise<boolean> {
  const { count } = await core.db.install.updateMany({
    where: { id: install.id, status: 'running' },
    data: { orderedAt: core.clock.now() },
  })
  return count > 0
}

async function keepUpload(core: Core, tx: Tx, uploadId: string, now: Date): Promise<void> {
  const upload = await tx.upload.findUniqueOrThrow({ where: { id: uploadId } })
  await lockUpload(tx, upload.projectId, uploadId)
  await tx.upload.update({ where: { id: uploadId }, data: { lastInstallAt: now } })
  if (upload.package !== null)
    await refreshExpiry(tx, core.rules.uploads, upload.projectId, upload.package, now)
}

export async function recent(core: Core, phoneId: string): Promise<InstallView[]> {
  const rows = await core.db.install.findMany({
    where: { phoneId },
    orderBy: [{ startedAt: 'desc' }, { id: 'desc' }],
    take: listed,
  })
  return rows.map(viewOf)
}

export const viewOf = (install: Install): InstallView => ({
  id: install.id,
  package: install.package,
  upload: install.uploadId,
  status: install.status === 'succeeded' || install.status === 'failed' ? install.status : 'running',
  error: install.error,
  next: install.next,
  startedAt: install.startedAt,
  updatedAt: install.updatedAt,
})
