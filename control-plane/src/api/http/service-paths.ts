/** Paths outside `/v1`: health for load balancers, the API description, and an overview. */
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'

/** A dependency of this replica. */
interface HealthCheck {
  ok: boolean
  /** False: this replica can still serve requests that do not need the dependency. */
  required: boolean
  /** Milliseconds by which this machine's clock is ahead of Postgres. */
  skew_ms?: number
}

export type Health = Record<string, HealthCheck>

interface Readiness {
  checks: Health
  /** Each required check succeeded. */
  canServe: boolean
}

/** Milliseconds for the checks. A load balancer does not wait longer, and a check that hangs has failed. */
const withinMs = 3000

/** A check that fails or takes too long means that this replica cannot serve. */
export async function readinessOf(health: () => Promise<Health>, log: FastifyBaseLogger): Promise<Readiness> {
  const checks = await within(health()).catch((error: unknown): Health => {
    log.warn({ err: error }, 'the health checks failed')
    return { health: { ok: false, required: true } }
  })
  return { checks, canServe: Object.values(checks).every(({ ok, required }) => ok || !required) }
}

/** Concurrent requests share one check, since the path needs no key. */
function shared(read: () => Promise<Readiness>): () => Promise<Readiness> {
  let underWay: Promise<Readiness> | null = null
  return () => {
    underWay ??= read().finally(() => (underWay = null))
    return underWay
  }
}

/** @param isStopping returns true once this replica should get no more requests */
export function addServicePaths(
  app: FastifyInstance,
  health: () => Promise<Health>,
  isStopping: () => boolean,
): void {
  const readReadiness = shared(() => readinessOf(health, app.log))
  app.get('/', { schema: { hide: true } }, (request, reply) => {
    void reply.header('vary', 'accept')
    // A browser lists HTML first; a program gets the overview.
    const isBrowser = /^\s*text\/html\b/i.test(request.headers.accept ?? '')
    if (isBrowser && app.hasRoute({ method: 'GET', url: '/console' })) return reply.redirect('/console')
    return reply.send({ name: 'Phonerack', api: '/v1', description: '/openapi.json', docs: '/docs' })
  })
  // Liveness, for process supervisors: the process responds. A restart does not help against an unavailable dependency.
  app.route({
    method: ['GET', 'HEAD'],
    url: '/livez',
    schema: { hide: true },
    handler: (_request, reply) => reply.send({ status: 'ok' }),
  })
  // Readiness, for load balancers: whether this replica should get traffic.
  for (const url of ['/readyz', '/healthz'])
    app.route({
      method: ['GET', 'HEAD'],
      url,
      schema: { hide: true },
      handler: async (_request, reply) => {
        const { checks, canServe } = await readReadiness()
        const all = Object.values(checks)
        const state = !canServe ? 'unavailable' : all.every(({ ok }) => ok) ? 'ok' : 'degraded'
        const isReady = canServe && !isStopping()
        return reply.code(isReady ? 200 : 503).send({ status: isStopping() ? 'stopping' : state, checks })
      },
    })
  let description: string | undefined
  app.get('/openapi.json', { schema: { hide: true } }, (_request, reply) => {
    description ??= JSON.stringify(app.swagger())
    return reply.type('application/json; charset=utf-8').serializer(String).send(description)
  })
}

async function within(health: Promise<Health>): Promise<Health> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the checks took too long')), withinMs)
  })
  try {
    return await Promise.race([health, late])
  } finally {
    clearTimeout(timer)
  }
}
