/**
 * The description of `/v1` as pages to read, at `/docs`: Swagger UI, served
 * from this process, with nothing loaded from elsewhere. Requests cannot be tried
 * there: `/v1` refuses browsers.
 */
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'

export async function addDocs(app: FastifyInstance): Promise<void> {
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    // Only files of this server, no inline script; no frame may show it.
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
