/** Files in the shared storage of a ready phone. `/v1/phones/{id}/files` has the same limits. */
import { limits } from '@phonerack/shared'
import { create as contentDisposition } from 'content-disposition'
import { type FastifyInstance } from 'fastify'
import { invalidField } from '../../../base/validation/fields.js'
import { sendBytes } from '../deps.js'
import { storagePath } from '../phones/files.js'
import { changing, intoPhone, type ProjectDeps } from './caller.js'
import { inert } from './inert.js'
import { filesAnswer, writtenAnswer } from './answers.js'
import { route } from './route.js'

const root = '/sdcard'

/** @throws ApiError validation_failed */
function pathOf(path: unknown): string {
  const found = typeof path === 'string' ? storagePath(path) : null
  if (found === null) throw invalidField('path', `must be ${root} or a path inside it`)
  return found
}

/** @throws ApiError validation_failed */
function filePathOf(path: unknown): string {
  const found = pathOf(path)
  if (found === root) throw invalidField('path', 'must be the path of a file')
  return found
}

export function addStorage(app: FastifyInstance, { services }: ProjectDeps): void {
  const { phones, files } = services
  route(
    app,
    'GET /projects/:project/phones/:phone/files',
    { query: ['path'], answer: filesAnswer },
    async (request, reply) => {
      const path = pathOf(request.query.path ?? root)
      const { caller, phoneId, context } = intoPhone(request, reply)
      const entries = await files.list(caller, phoneId, path, context)
      const data = entries.map(({ modifiedAt, ...entry }) => ({
        ...entry,
        modified_at: modifiedAt?.toISOString() ?? null,
      }))
      return { path, data }
    },
  )
  route(
    app,
    'GET /projects/:project/phones/:phone/files/content',
    { query: ['path'] },
    async (request, reply) => {
      const path = filePathOf(request.query.path)
      const { caller, phoneId, context } = intoPhone(request, reply)
      const content = await files.read(caller, phoneId, path, context)
      reply.headers({
        ...inert,
        'content-disposition': contentDisposition(path.slice(path.lastIndexOf('/') + 1)),
      })
      return sendBytes(reply, 'application/octet-stream', content)
    },
  )
  route(
    app,
    'PUT /projects/:project/phones/:phone/files',
    {
      query: ['path'],
      answer: writtenAnswer,
      status: 201,
      bodyLimit: limits.fileBytes,
      config: { rawBody: true },
    },
    async (request, reply) => {
      const path = filePathOf(request.query.path)
      const content = Buffer.isBuffer(request.readBody) ? request.readBody : Buffer.alloc(0)
      const size = await changing(request, reply, phones, ({ caller, phoneId, context }) =>
        files.write(caller, phoneId, path, content, context),
      )
      return { path, size }
    },
  )
  route(app, 'DELETE /projects/:project/phones/:phone/files', { query: ['path'] }, async (request, reply) => {
    const path = filePathOf(request.query.path)
    await changing(request, reply, phones, ({ caller, phoneId, context }) =>
      files.delete(caller, phoneId, path, context),
    )
    return { path, deleted: true }
  })
}
