/**
 * `/operator/v1/library`: the operator uploads APKs one by one, then combines them into an app; for
 * `ctl library`.
 */
import { type FastifyPluginAsync } from 'fastify'
import { z } from 'zod'
import { boundLeftover, declaredLength } from '../../http/stream-body.js'
import { listOf } from '../shape.js'
import { libraryAppAnswer, libraryFileAnswer } from './answers.js'
import { operatorApi } from './api.js'
import { type Core } from '../../../base/core/core.js'
import { type FileStore } from '../../../files/storage/file-store.js'
import { readApps } from '../../../files/library/apps.js'
import { takeLibraryFile } from '../../../files/library/files.js'
import {
  addLibraryApp,
  libraryAppSchema,
  libraryAppView,
  libraryFileChange,
  removeLibraryApp,
} from '../../../fleet/operator/library.js'

export const libraryPlugin =
  (core: Core, store: FileStore): FastifyPluginAsync =>
  (app) => {
    const api = operatorApi(app, core)

    api.writeStream(
      {
        method: 'POST',
        url: '/library/files',
        action: 'library.file',
        answer: libraryFileAnswer,
        status: 201,
      },
      async (request, reply) => {
        boundLeftover(request, reply)
        const source = { stream: request.raw, declaredBytes: declaredLength(request) }
        const taken = await takeLibraryFile(core, store, source)
        return { ...taken, fingerprint: taken.sha256 }
      },
      (_work, taken) => Promise.resolve(libraryFileChange(taken)),
    )
    api.read('/library/apps', { answer: listOf(libraryAppAnswer) }, async () => ({
      data: (await readApps(core.db)).map(libraryAppView),
    }))
    api.write(
      {
        method: 'POST',
        url: '/library/apps',
        action: 'library.add',
        answer: libraryAppAnswer,
        status: 201,
        body: libraryAppSchema,
      },
      (work, { body }) => addLibraryApp(work, body.files),
    )
    api.write(
      {
        method: 'DELETE',
        url: '/library/apps/:package',
        action: 'library.remove',
        answer: z.object({ package: z.string(), removed: z.boolean() }),
      },
      (work, { params }) => removeLibraryApp(work, params.package),
    )
    return Promise.resolve()
  }
