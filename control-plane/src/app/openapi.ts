/** The OpenAPI description of `/v1` without a running service, for SDK and documentation builds. */
import { systemClock, createLogger } from '@phonerack/shared'
import { buildServer } from '../api/server/server.js'
import { type Services } from '../api/routes/services.js'

const unused = new Proxy(
  {},
  {
    get: (_target, name) => () =>
      Promise.reject(new Error(`${String(name)}: only the description is served here`)),
  },
)

/** @param baseUrl the only entry of `servers` */
export async function openApiDocument(baseUrl: string): Promise<object> {
  const services = new Proxy({}, { get: () => unused }) as Services
  const app = await buildServer({
    services,
    config: { baseUrl },
    log: createLogger('openapi'),
    clock: systemClock,
  })
  try {
    return app.swagger()
  } finally {
    await app.close()
  }
}
