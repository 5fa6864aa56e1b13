/** `/operator/v1/library`: the operator sends APKs one by one, then makes them an app; for `ctl library`. */
import { limits } from '@phonerack/shared'
import { type FastifyPluginAsync } from 'fastify'
import { z } from 'zod'
import { boundLeftover, declaredLength } from '../http/stream-body.js'
import { requireOperator } from '../operator/auth.js'
import { parseBody } from '../operator/input.js'
import { type Core } from '../phones/core.js'
import { type FileStore } from '../storage/file-store.js'
import { addApp, readApps, removeApp, type AppWithFiles } from './apps.js'
import { factsOf, takeLibraryFile } from './files.js'

const appSchema = z.strictObject({
  /** Of files sent before: a base and its splits, in any order. */
  files: z.array(z.string().max(100)).min(1).max(limits.libraryFiles),
})

export const libraryPlugin =
  (core: Core, store: FileStore): FastifyPluginAsync =>
  (app) => {
    app.addHook('onRequest', (request) => requireOperator(core, request))
    const base = '/operator/v1/library'

    app.post(`${base}/files`, { config: { streamBody: true } }, async (request, reply) => {
      boundLeftover(request, reply)
      const { file, facts } = await takeLibraryFile(core, store, {
        stream: request.raw,
        declaredBytes: declaredLength(request),
      })
      return reply.code(201).send({
        file,
        package: facts.package,
        split: facts.split,
        version_code: facts.versionCode,
        version_name: facts.versionName,
        label: facts.label,
      })
    })
    app.get(`${base}/apps`, async () => ({ data: (await readApps(core.db)).map(appView) }))
    app.post(`${base}/apps`, async (request, reply) =>
      reply.code(201).send(appView(await addApp(core, parseBody(appSchema, request).files))),
    )
    app.delete<{ Params: { package: string } }>(`${base}/apps/:package`, async (request) => {
      await removeApp(core, request.params.package)
      return { package: request.params.package, removed: true }
    })
    return Promise.resolve()
  }

const appView = (app: AppWithFiles) => ({
  package: app.package,
  label: app.label,
  version_code: Number(app.versionCode),
  version_name: app.versionName,
  splits: app.files.flatMap((file) => factsOf(file).split ?? []),
  size_bytes: app.files.reduce((sum, { sizeBytes }) => sum + Number(sizeBytes), 0),
  added_at: app.addedAt.toISOString(),
})
