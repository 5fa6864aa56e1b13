/** The app library: APKs are uploaded one by one, then combined into an app, as in `/operator/v1/library`. */
import { type FastifyInstance } from 'fastify'
import { boundLeftover, declaredLength } from '../../../http/stream-body.js'
import { readApps } from '../../../../files/library/apps.js'
import { takeLibraryFile } from '../../../../files/library/files.js'
import {
  addLibraryApp,
  libraryAppSchema,
  libraryAppView,
  libraryFileChange,
  removeLibraryApp,
} from '../../../../fleet/operator/library.js'
import { type FileStore } from '../../../../files/storage/file-store.js'
import { type GateDeps } from '../gate.js'
import { changeFor } from './change.js'
import { libraryAnswer } from '../answers.js'
import { libraryAppAnswer, libraryFileAnswer } from '../../operator/answers.js'
import { route } from '../route.js'

export interface LibraryDeps extends GateDeps {
  store: FileStore
}

export function addOperatorLibrary(app: FastifyInstance, { core, store }: LibraryDeps): void {
  route(app, 'GET /operator/library/apps', { answer: libraryAnswer }, async () => ({
    is_configured: store.isConfigured,
    data: (await readApps(core.db)).map(libraryAppView),
  }))
  route(
    app,
    'POST /operator/library/files',
    { answer: libraryFileAnswer, status: 201, config: { streamBody: true } },
    async (request, reply) => {
      boundLeftover(request, reply)
      const source = { stream: request.raw, declaredBytes: declaredLength(request) }
      const taken = await takeLibraryFile(core, store, source)
      const made = await changeFor(core, request, 'library.file', () =>
        Promise.resolve(libraryFileChange(taken)),
      )
      return made
    },
  )
  route(
    app,
    'POST /operator/library/apps',
    { body: libraryAppSchema, answer: libraryAppAnswer, status: 201 },
    async (request) => {
      const { files } = request.body
      const added = await changeFor(core, request, 'library.add', (work) => addLibraryApp(work, files))
      return added
    },
  )
  route(app, 'DELETE /operator/library/apps/:package', {}, (request) =>
    changeFor(core, request, 'library.remove', (work) => removeLibraryApp(work, request.params.package)),
  )
}
