/**
 * A project's own apps, each uploaded in one request, and their installs on a phone. `/v1/apps/uploads` has the same
 * limits.
 */
import { ApiError, isId } from '@phonerack/shared'
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { z } from 'zod'
import { boundLeftover, declaredLength } from '../../http/stream-body.js'
import { installJson, uploadJson, installsSchema, uploadSchema } from '../apps/schemas.js'
import { callerFor, changing, intoPhone, type ProjectDeps } from './caller.js'
import { installAnswer } from './answers.js'
import { route } from './route.js'

/** Milliseconds that a request waits until an app has been read. The page then repeats the request. */
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
  route(
    app,
    'POST /projects/:project/uploads',
    { answer: uploadSchema, config: { streamBody: true } },
    async (request, reply) => {
      boundLeftover(request, reply)
      const caller = callerFor(request, reply)
      const file = { stream: request.raw, declaredBytes: declaredLength(request) }
      const { upload, uploadUrl } = await uploads.create(caller)
      const token = uploadUrl.slice(uploadUrl.lastIndexOf('/') + 1)
      const signal = caller.signal ?? new AbortController().signal
      const { storageId } = await uploads.receive(token, file, signal)
      const { id } = await uploads.complete(caller, upload.id, storageId)
      return settled(request, reply, id)
    },
  )
  route(app, 'GET /projects/:project/uploads/:upload', { answer: uploadSchema }, (request, reply) =>
    settled(request, reply, uploadOf(request)),
  )

  route(
    app,
    'GET /projects/:project/phones/:phone/installs',
    { answer: installsSchema },
    async (request, reply) => {
      const { caller, phoneId } = intoPhone(request, reply)
      return { data: (await installs.list(caller, phoneId)).map(installJson) }
    },
  )
  route(
    app,
    'POST /projects/:project/phones/:phone/installs',
    { body: installBody, answer: installAnswer, status: 202 },
    async (request, reply) => {
      const source = request.body
      const install = await changing(request, reply, phones, ({ caller, phoneId, context }) =>
        installs.start(caller, phoneId, source, context),
      )
      return installJson(install)
    },
  )
}
