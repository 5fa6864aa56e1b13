/**
 * Job `upload.process`: reads the APK of a completed upload, which becomes ready or fails. The job can safely run
 * twice.
 */
import { InvalidApk, type ApkFacts } from '../apps/apk/facts.js'
import { inspectApk } from '../apps/apk/inspect.js'
import { inTransaction, type Tx } from '../../base/db/database.js'
import { needsOf } from '../apps/needs.js'
import { type Upload } from '../../gen/prisma/client.js'
import { addJob, type JobPayload } from '../../base/queue/queue.js'
import { StorageFull } from '../storage/file-store.js'
import { duplicateOf, keepLonger, processKey, readyEqual } from './complete.js'
import { type UploadCore } from './core.js'
import { refreshExpiry } from './expiry.js'
import { endUpload, lockUpload, type Ending } from './records.js'
import { backoff } from '../../base/queue/retry.js'

/** Attempts while the storage fails to return the file. */
const tries = 4

type Payload = JobPayload<'upload.process'>

export async function processUploadJob(
  uploads: UploadCore,
  payload: Payload,
  stopping: AbortSignal,
): Promise<void> {
  const { core } = uploads
  const upload = await core.db.upload.findUnique({ where: { id: payload.uploadId } })
  if (upload?.status !== 'processing' || upload.storageId === null) return
  let outcome: ApkFacts | Ending
  try {
    outcome = await uploads.store.withLocalFile(upload.storageId, (path) => inspectApk(path, stopping))
  } catch (error) {
    if (stopping.aborted) throw error
    const ending = endingFor(error)
    if (ending === null && payload.attempt < tries) return again(uploads, payload, error)
    if (ending === null) core.log.error({ err: error, upload: upload.id }, 'could not read an upload')
    outcome = ending ?? couldNotStore
  }
  await conclude(uploads, upload, outcome)
}

const couldNotStore: Ending = {
  status: 'failed',
  code: 'upload_failed',
  message: 'The file could not be stored.',
  next: 'Create a new upload and send the file again: POST /v1/apps/uploads',
}

/** Returns null if another attempt may succeed. */
function endingFor(error: unknown): Ending | null {
  if (error instanceof InvalidApk)
    return {
      status: 'invalid_apk',
      code: 'invalid_apk',
      message: 'The file is not an installable APK.',
      next: error.message,
    }
  if (error instanceof StorageFull)
    return {
      status: 'storage_full',
      code: 'storage_full',
      message: 'The app storage is full.',
      next: 'Create a new upload later: POST /v1/apps/uploads',
    }
  return null
}

async function again({ core }: UploadCore, payload: Payload, error: unknown): Promise<void> {
  core.log.warn(
    { err: error, upload: payload.uploadId, attempt: payload.attempt },
    'an upload is not processed yet',
  )
  const runAt = new Date(core.clock.now().getTime() + core.pace * backoff(payload.attempt, 500, 5000))
  await core.db.$transaction((tx: Tx) =>
    addJob(
      tx,
      'upload.process',
      { ...payload, attempt: payload.attempt + 1 },
      { key: processKey(payload.uploadId), runAt },
    ),
  )
}

async function conclude(
  uploads: UploadCore,
  { id, projectId }: Upload,
  outcome: ApkFacts | Ending,
): Promise<void> {
  const { core } = uploads
  await inTransaction(core.db, async (tx) => {
    const upload = await lockUpload(tx, projectId, id)
    if (upload?.status !== 'processing') return
    const ending = 'status' in outcome ? outcome : unsuitable(outcome)
    if (ending) await endUpload(tx, upload, ending)
    else await becomeReady(uploads, tx, upload, outcome as ApkFacts)
  })
  uploads.changes.publish(id)
}

/** Refuses a split without its base, and a base that needs splits: an upload is one file. */
function unsuitable(facts: ApkFacts): Ending | null {
  const universal = 'Upload one universal APK: bundletool build-apks --mode=universal.'
  const why =
    facts.split !== null
      ? `The APK is only the split ${facts.split} of an app. ${universal}`
      : facts.needsSplits
        ? `The app does not run without its splits. ${universal}`
        : null
  return why === null ? null : endingFor(new InvalidApk(why))
}

async function becomeReady({ core }: UploadCore, tx: Tx, upload: Upload, facts: ApkFacts): Promise<void> {
  const now = core.clock.now()
  const found = {
    package: facts.package,
    versionCode: BigInt(facts.versionCode),
    versionName: facts.versionName,
    minSdk: facts.minSdk,
    signer: facts.signer,
    needs: needsOf([facts]),
  }
  const known = await tx.upload.update({ where: { id: upload.id }, data: found })
  // A concurrent upload with the same bytes may have been completed.
  const equal = await readyEqual(tx, known, await isLimited(tx, upload.keyId), now)
  if (equal) {
    await endUpload(tx, known, duplicateOf(equal))
    await keepLonger(core.rules.uploads, tx, equal, now)
    return
  }
  await tx.upload.update({ where: { id: upload.id }, data: { status: 'ready' } })
  await refreshExpiry(tx, core.rules.uploads, upload.projectId, facts.package, now)
}

const isLimited = async (tx: Tx, keyId: string): Promise<boolean> =>
  (await tx.apiKey.count({ where: { id: keyId, isLimited: true } })) > 0
