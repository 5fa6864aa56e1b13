/** The app library: uploads one by one, then combined into an app, as `/operator/v1/library`. */
import { type FastifyInstance } from 'fastify'
import { boundLeftover, declaredLength } from '../../../http/stream-body.js'
import { parseBody } from '../../../http/parse-body.js'
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
import { changeFor, operatorPath } from './change.js'

export interface LibraryDeps extends GateDeps {
  store: FileStore
}

type OfApp = { Params: { package: string } }

export function addOperatorLibrary(app: FastifyInstance, { core, store }: LibraryDeps): void {
  const base = `${operatorPath}/library`
  app.get(`${base}/apps`, async () => ({
    is_configured: store.isConfigured,
    data: (await readApps(core.db)).map(libraryAppView),
  }))
  app.post(`${base}/files`, { config: { streamBody: true } }, async (request, reply) => {
    boundLeftover(request, reply)
    const source = { stream: request.raw, declaredBytes: declaredLength(request) }
    const taken = await takeLibraryFile(core, store, source)
    const made = await changeFor(core, request, 'library.file', () =>
      Promise.resolve(libraryFileChange(taken)),
    )
    return reply.code(201).send(made)
  })
  app.post(`${base}/apps`, async (request, reply) => {
    const { files } = parseBody(libraryAppSchema, request)
    const added = await changeFor(core, request, 'library.add', (work) => addLibraryApp(work, files))
    return reply.code(201).send(added)
  })
  app.delete<OfApp>(`${base}/apps/:package`, (request) =>
    changeFor(core, request, 'library.remove', (work) => removeLibraryApp(work, request.params.package)),
  )
}
