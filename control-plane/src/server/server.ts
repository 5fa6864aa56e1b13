/**
 * The HTTP server: `/v1`, `/openapi.json`, `/docs`, `/healthz` and the plugins of other
 * parts, under one set of conventions. Made by `main.ts`, and by tests.
 */
import fastifySwagger from '@fastify/swagger'
import { ApiError, limits, newId, type Clock, type Logger } from '@phonerack/shared'
import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyPluginAsync,
} from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import type { Socket } from 'node:net'
import { openApiOptions } from '../openapi/options.js'
import { receivePlugin } from '../routes/apps/receive.js'
import { registerV1 } from '../routes/index.js'
import { addActivity } from '../http/activity.js'
import { addAuth } from '../http/auth.js'
import { answerOnSocket, onClientError } from '../http/bare-socket.js'
import { addBodyReading } from '../http/body.js'
import { addConventions, refusedOrigin } from '../http/conventions.js'
import { addDocs } from '../http/docs.js'
import { createHeldOpen } from '../http/held-open.js'
import { acceptExpectations } from '../http/expect.js'
import { sendError } from '../http/errors.js'
import { watchPaths } from '../http/known-paths.js'
import { trackLifetimes } from '../http/lifetimes.js'
import { addRequestLog } from '../http/request-log.js'
import { createRateLimit } from '../http/rate-limit.js'
import { keepAddresses } from '../strangers/network.js'
import { createStrangers, type Strangers } from '../strangers/strangers.js'
import { addServicePaths, type Health } from '../http/service-paths.js'
import { validatorCompiler } from '../http/validation.js'
import { type Services } from '../routes/services.js'

export interface HttpConfig {
  /** Public base address, without a slash at the end. */
  baseUrl: string
  /** Addresses or networks of proxies whose `X-Forwarded-For` counts; none by default. */
  trustedProxies?: readonly string[]
  requestsPerKeyPerMinute?: number
  /** At once, of one key. */
  waitsPerKey?: number
  streamsPerKey?: number
  /** Of requests without a valid key or token, per address. */
  failuresPerMinute?: number
  /** Milliseconds that the file of an upload may take. */
  uploadMs?: number
  /** Seconds that create, start and park wait. */
  lifecycleWait?: number
}

export interface ServerOptions {
  services: Services
  config: HttpConfig
  log: Logger
  clock: Clock
  /** Shared with the plugins; left out: one of this server's own. */
  strangers?: Strangers
  /** Which parts are in reach. */
  health?: () => Promise<Health>
  /** Routes of other parts (setup, live view, host join), under the same conventions and error handler. */
  plugins?: readonly FastifyPluginAsync[]
}

/** Milliseconds after which Node ends a request that is still arriving, although its route should have done so. */
const receiveGraceMs = 15_000

/** A server without routes, under the limits that every listener shares. */
export function createFastify(
  config: Pick<HttpConfig, 'trustedProxies' | 'uploadMs'>,
  log: FastifyBaseLogger,
): FastifyInstance {
  return Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => newId('request'),
    requestIdHeader: false,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    trustProxy:
      config.trustedProxies && config.trustedProxies.length > 0 ? [...config.trustedProxies] : false,
    bodyLimit: limits.jsonBody,
    // Bodies have limits of their own: http/body.ts, and uploads/receive.ts for files.
    requestTimeout: (config.uploadMs ?? limits.uploads.sendWithin) + receiveGraceMs,
    // A path is as long as Node lets the request line be; what is too long for an ID is no phone.
    routerOptions: { maxParamLength: 16_384 },
    // A missing Host is answered in the envelope by http/conventions.ts.
    http: { requireHostHeader: false },
    frameworkErrors: (error, request, reply) => sendError(refusedOrigin(request) ?? error, request, reply),
    clientErrorHandler: onClientError,
  })
}

/** Checks, errors, bodies and logging, which are the same on every listener. To be added before any route. */
export function addFoundations(app: FastifyInstance): void {
  app.setValidatorCompiler(validatorCompiler)
  // Answers are built field by field from typed views (routes/views.ts), and tests check them against the schemas.
  app.setSerializerCompiler(() => JSON.stringify)
  app.setErrorHandler(sendError)
  // For routes that find nothing themselves; a path without a route is answered by http/conventions.ts.
  app.setNotFoundHandler((request, reply) => sendError(new ApiError('not_found'), request, reply))
  app.decorateRequest('caller', null)
  app.decorateRequest('errorCode', null)
  const paths = watchPaths(app)
  keepAddresses(app.server)
  const continuation = acceptExpectations(app.server)
  app.server.on('connect', (_request, socket: Socket) => answerOnSocket(socket, new ApiError('not_found')))
  addConventions(app, paths)
  addRequestLog(app)
  addBodyReading(app, continuation)
}

/** A server that is ready for `listen` or `inject`. */
export async function buildServer(options: ServerOptions): Promise<FastifyInstance> {
  const { services, config, log, clock } = options
  const strangers =
    options.strangers ??
    createStrangers({
      trustedProxies: config.trustedProxies ?? [],
      perMinute: config.failuresPerMinute ?? limits.failuresPerAddressPerMinute,
      clock,
    })
  const app = createFastify(config, log)
  const lifetimes = trackLifetimes(app)
  addFoundations(app)
  await app.register(fastifySwagger, openApiOptions(config.baseUrl))

  await addDocs(app)
  addServicePaths(app, options.health ?? (() => Promise.resolve({})))
  await app.register(
    (v1) => {
      addAuth(v1, {
        keys: services.keys,
        rate: createRateLimit(config.requestsPerKeyPerMinute ?? limits.requestsPerKeyPerMinute, clock),
        strangers,
      })
      addActivity(v1, services.activity, () => clock.now())
      registerV1(v1.withTypeProvider<ZodTypeProvider>(), {
        services,
        lifetimes,
        strangers,
        waits: createHeldOpen(config.waitsPerKey ?? limits.waitsPerKey, 'waits'),
        streams: createHeldOpen(config.streamsPerKey ?? limits.streamsPerKey, 'streams'),
        baseUrl: config.baseUrl,
        clock,
        lifecycleWaitMs: (config.lifecycleWait ?? limits.lifecycleWait) * 1000,
      })
      return Promise.resolve()
    },
    { prefix: '/v1' },
  )
  await app.register(receivePlugin(services.uploads, lifetimes, strangers))
  for (const plugin of options.plugins ?? []) await app.register(plugin)
  await app.ready()
  return app
}
