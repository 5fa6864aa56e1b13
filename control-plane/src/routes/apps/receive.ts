/**
 * POST /uploads/{token}: where the files of uploads arrive, outside `/v1` and without a key. The body is streamed; the
 * path is a secret, and no log has it (`http/request-log.ts` writes the route's pattern).
 */
import { type FastifyPluginCallback, type FastifyRequest } from 'fastify'
import { type Lifetimes } from '../../http/lifetimes.js'
import { boundLeftover, declaredLength } from '../../http/stream-body.js'
import { type UploadService } from '../../services.js'

export const receivePlugin =
  (uploads: UploadService, lifetimes: Lifetimes): FastifyPluginCallback =>
  (app, _options, done) => {
    app.post(
      '/uploads/:token',
      { schema: { hide: true }, config: { streamBody: true } },
      async (request: FastifyRequest<{ Params: { token: string } }>, reply) => {
        boundLeftover(request, reply)
        const file = { stream: request.raw, declaredBytes: declaredLength(request) }
        return uploads.receive(request.params.token, file, lifetimes.work(reply))
      },
    )
    done()
  }
