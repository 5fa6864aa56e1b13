/** Operators' changes of the app library, for `/operator/v1` and the console. */
import { limits } from '@phonerack/shared'
import { z } from 'zod'
import { addApp, removeApp, type AppWithFiles } from '../../files/library/apps.js'
import { factsOf, type takeLibraryFile } from '../../files/library/files.js'
import { refSchema } from '../../base/validation/fields.js'
import { type Change, type Work } from '../../base/audit/work.js'

export const libraryAppSchema = z.strictObject({
  /** IDs of uploaded files: a base and its splits, in any order. */
  files: z.array(refSchema).min(1).max(limits.libraryFiles),
})

type Taken = Awaited<ReturnType<typeof takeLibraryFile>>

/** The change of an uploaded file, which no app uses yet. */
export function libraryFileChange({ file, facts, sha256 }: Taken) {
  const result = {
    file,
    package: facts.package,
    split: facts.split,
    version_code: facts.versionCode,
    version_name: facts.versionName,
    label: facts.label,
  }
  return { result, target: file, before: null, after: { ...result, sha256 } }
}

/** @throws ApiError validation_failed naming the files that do not fit together */
export async function addLibraryApp(
  { tx, now }: Work,
  files: readonly string[],
): Promise<Change<LibraryAppRow>> {
  const { app: added, replaced } = await addApp(tx, files, now)
  const after = libraryAppView(added)
  return { result: after, target: added.package, before: replaced && versionOf(replaced), after }
}

/** @throws ApiError app_not_found */
export async function removeLibraryApp({ tx }: Work, name: string) {
  const removed = await removeApp(tx, name)
  const { package: target } = removed
  return { result: { package: target, removed: true }, target, before: versionOf(removed), after: null }
}

/** The fields of an app in the audit log. Other fields may contain any text of the APK. */
const versionOf = (app: AppWithFiles) => ({
  package: app.package,
  version_code: Number(app.versionCode),
  version_name: app.versionName,
})

type LibraryAppRow = ReturnType<typeof libraryAppView>

export const libraryAppView = (app: AppWithFiles) => ({
  package: app.package,
  label: app.label,
  version_code: Number(app.versionCode),
  version_name: app.versionName,
  splits: app.files.flatMap((file) => factsOf(file).split ?? []),
  size_bytes: app.files.reduce((sum, { sizeBytes }) => sum + Number(sizeBytes), 0),
  added_at: app.addedAt.toISOString(),
})
