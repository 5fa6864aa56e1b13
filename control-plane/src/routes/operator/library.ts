/**
 * `/operator/v1/library`: the operator uploads APKs one by one, then combines them into an app; for
 * `ctl library`.
 */
import { limits } from '@phonerack/shared'
import { type FastifyPluginAsync } from 'fastify'
import { z } from 'zod'
import { boundLeftover, declaredLength } from '../../http/stream-body.js'
import { operatorApi } from './api.js'
import { refSchema } from '../../validation/fields.js'
import { type Core } from '../../core/core.js'
import { type FileStore } from '../../storage/file-store.js'
import { addApp, readApps, removeApp, type AppWithFiles } from '../../library/apps.js'
import { factsOf, takeLibraryFile } from '../../library/files.js'

const appSchema = z.strictObject({
  /** Files uploaded before: a base and its splits, in any order. */
  files: z.array(refSchema).min(1).max(limits.libraryFiles),
})

export const libraryPlugin =
  (core: Core, store: FileStore): FastifyPluginAsync =>
  (app) => {
    const api = operatorApi(app, core)

    api.writeStream(
      { method: 'POST', url: '/library/files', action: 'library.file', status: 201 },
      async (request, reply) => {
        boundLeftover(request, reply)
        const source = { stream: request.raw, declaredBytes: declaredLength(request) }
        const taken = await takeLibraryFile(core, store, source)
        return { ...taken, fingerprint: taken.sha256 }
      },
      (_work, { file, facts, sha256 }) => {
        const result = {
          file,
          package: facts.package,
          split: facts.split,
          version_code: facts.versionCode,
          version_name: facts.versionName,
          label: facts.label,
        }
        return Promise.resolve({ result, target: file, before: null, after: { ...result, sha256 } })
      },
    )
    api.read('/library/apps', async () => ({ data: (await readApps(core.db)).map(appView) }))
    api.write(
      { method: 'POST', url: '/library/apps', action: 'library.add', status: 201, body: appSchema },
      async ({ tx, now }, { body }) => {
        const { app: added, replaced } = await addApp(tx, body.files, now)
        const after = appView(added)
        return { result: after, target: added.package, before: replaced && versionOf(replaced), after }
      },
    )
    api.write(
      { method: 'DELETE', url: '/library/apps/:package', action: 'library.remove' },
      async ({ tx }, { params }) => {
        const removed = await removeApp(tx, params.package)
        const { package: target } = removed
        return { result: { package: target, removed: true }, target, before: versionOf(removed), after: null }
      },
    )
    return Promise.resolve()
  }

/** For an app that is removed, so its files may hold anything. */
const versionOf = (app: AppWithFiles) => ({
  package: app.package,
  version_code: Number(app.versionCode),
  version_name: app.versionName,
})

const appView = (app: AppWithFiles) => ({
  package: app.package,
  label: app.label,
  version_code: Number(app.versionCode),
  version_name: app.versionName,
  splits: app.files.flatMap((file) => factsOf(file).split ?? []),
  size_bytes: app.files.reduce((sum, { sizeBytes }) => sum + Number(sizeBytes), 0),
  added_at: app.addedAt.toISOString(),
})
