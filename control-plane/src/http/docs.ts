/**
 * Serves the `/v1` reference as HTML at `/docs`: Swagger UI from this process, with no external
 * resources. It cannot send requests: `/v1` refuses browsers.
 */
import swaggerUi from '@fastify/swagger-ui'
import { ApiError } from '@phonerack/shared'
import type { FastifyError, FastifyInstance } from 'fastify'
import { sendError } from './errors.js'

export async function addDocs(app: FastifyInstance): Promise<void> {
  await app.register(async (docs) => {
    docs.addHook('onSend', (_request, reply, _payload, done) => {
      // File names carry no version, so a browser must not cache those of an earlier release.
      // docs/decisions/0146.
      reply.header('cache-control', 'no-store')
      done()
    })
    // Any path that the file server refuses, such as a name with NUL, is not found.
    docs.setErrorHandler((error: FastifyError, request, reply) => {
      const isClients = error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500
      sendError(isClients ? new ApiError('not_found') : error, request, reply)
    })
    await registerPages(docs)
  })
}

async function registerPages(app: FastifyInstance): Promise<void> {
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    // Only files of this server, no inline script, no framing.
    staticCSP:
      "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    theme: { title: 'Phonerack API' },
    uiConfig: {
      deepLinking: true,
      displayRequestDuration: true,
      docExpansion: 'list',
      supportedSubmitMethods: [],
    },
  })
}
