/** Own apps of a project, sent in one request, and their installs on a phone. `/v1/apps/uploads` has the same limits. */
import { ApiError, isId } from '@phonerack/shared'
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { z } from 'zod'
import { parseBody } from '../../http/parse-body.js'
import { boundLeftover, declaredLength } from '../../http/stream-body.js'
import { installJson, uploadJson } from '../apps/schemas.js'
import { callerFor, changing, intoPhone, projectPath, type OfPhone, type ProjectDeps } from './caller.js'

const uploadsPath = `${projectPath}/uploads`
const installsPath = `${projectPath}/phones/:phone/installs`

/** Milliseconds that a request waits until an app has been read. The page asks again. */
const waitMs = 25_000

const installBody = z.strictObject({ upload: z.string().max(100), replace: z.boolean().default(false) })

type OfUpload = { Params: { upload: string } }

const uploadOf = ({ params: { upload } }: FastifyRequest<OfUpload>): string => {
  if (!isId('upload', upload)) throw new ApiError('upload_not_found', { details: { upload } })
  return upload
}

export function addApps(app: FastifyInstance, { services }: ProjectDeps): void {
  const { uploads, installs, phones } = services
  const settled = async (request: FastifyRequest, reply: FastifyReply, id: string) => {
    const caller = callerFor(request, reply)
    return uploadJson(await uploads.wait(caller, id, waitMs, caller.signal ?? new AbortController().signal))
  }
  app.post(uploadsPath, { config: { streamBody: true } }, async (request, reply) => {
    boundLeftover(request, reply)
    const caller = callerFor(request, reply)
    const file = { stream: request.raw, declaredBytes: declaredLength(request) }
    const { upload, uploadUrl } = await uploads.create(caller)
    const token = uploadUrl.slice(uploadUrl.lastIndexOf('/') + 1)
    const signal = caller.signal ?? new AbortController().signal
    const { storageId } = await uploads.receive(token, file, signal)
    const { id } = await uploads.complete(caller, upload.id, storageId)
    return settled(request, reply, id)
  })
  app.get<OfUpload>(`${uploadsPath}/:upload`, (request, reply) => settled(request, reply, uploadOf(request)))

  app.get<OfPhone>(installsPath, async (request, reply) => {
    const { caller, phoneId } = intoPhone(request, reply)
    return { data: (await installs.list(caller, phoneId)).map(installJson) }
  })
  app.post<OfPhone>(installsPath, async (request, reply) => {
    const source = parseBody(installBody, request)
    const install = await changing(request, reply, phones, ({ caller, phoneId, context }) =>
      installs.start(caller, phoneId, source, context),
    )
    return reply.code(202).send(installJson(install))
  })
}
