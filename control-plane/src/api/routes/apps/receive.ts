/**
 * POST /uploads/{token}: receives the files of uploads, outside `/v1` and without a key. Streams the body. The path is
 * a secret that no log contains: `http/request-log.ts` logs the route's pattern.
 */
import { isSecret } from '@phonerack/shared'
import { type FastifyPluginCallback, type FastifyRequest } from 'fastify'
import { type Lifetimes } from '../../http/lifetimes.js'
import { boundLeftover, declaredLength } from '../../http/stream-body.js'
import { type FailureLimit } from '../../../base/failure-limit/failure-limit.js'
import { type UploadService } from '../../../files/uploads/types.js'

export const receivePlugin =
  (uploads: UploadService, lifetimes: Lifetimes, failureLimit: FailureLimit): FastifyPluginCallback =>
  (app, _options, done) => {
    app.post(
      '/uploads/:token',
      { schema: { hide: true }, config: { streamBody: true } },
      async (request: FastifyRequest<{ Params: { token: string } }>, reply) => {
        boundLeftover(request, reply)
        const file = { stream: request.raw, declaredBytes: declaredLength(request) }
        const { token } = request.params
        return failureLimit.guard(request.raw, {
          isKnown: isSecret('upload', token) ? () => uploads.isKnown(token) : null,
          failures: ['upload_not_found'],
          work: () => uploads.receive(token, file, lifetimes.work(reply)),
        })
      },
    )
    done()
  }
