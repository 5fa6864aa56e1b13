/** What is not `/v1`: health for load balancers, the description, and a signpost. */
import type { FastifyInstance } from 'fastify'

/** One look at a time, however many ask: the path needs no key. */
function shared(health: () => Promise<boolean>): () => Promise<boolean> {
  let underWay: Promise<boolean> | null = null
  return () => {
    underWay ??= health().finally(() => (underWay = null))
    return underWay
  }
}

export function addServicePaths(app: FastifyInstance, health: () => Promise<boolean>): void {
  const look = shared(health)
  app.get('/', { schema: { hide: true } }, () => ({
    name: 'Phonerack',
    api: '/v1',
    description: '/openapi.json',
    docs: '/docs',
  }))
  app.route({
    method: ['GET', 'HEAD'],
    url: '/healthz',
    schema: { hide: true },
    handler: async (request, reply) => {
      const healthy = await look().catch((error: unknown) => {
        request.log.warn({ err: error }, 'health could not be told')
        return false
      })
      return reply.code(healthy ? 200 : 503).send({ status: healthy ? 'ok' : 'unavailable' })
    },
  })
  let description: string | undefined
  app.get('/openapi.json', { schema: { hide: true } }, (_request, reply) => {
    description ??= JSON.stringify(app.swagger())
    return reply.type('application/json; charset=utf-8').serializer(String).send(description)
  })
}
