/**
 * The HTTP server: `/v1`, `/openapi.json`, `/docs`, `/healthz` and the plugins of other parts,
 * under the same conventions. Created by `main.ts` and by tests.
 */
import fastifySwagger from '@fastify/swagger'
import { ApiError, limits, type Clock, type Logger } from '@phonerack/shared'
import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyPluginAsync,
  type FastifyServerOptions,
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
import { type TlsFiles } from '../../base/config/listener-tls.js'
import { addDocs } from '../http/docs.js'
import { createHeldOpen } from '../http/held-open.js'
import { acceptExpectations } from '../http/expect.js'
import { sendError } from '../http/errors.js'
import { watchPaths } from '../http/known-paths.js'
import { addInProcess, requestIdOf } from '../http/in-process.js'
import { trackLifetimes } from '../http/lifetimes.js'
import { addRequestContext } from '../http/request-context.js'
import { addRequestLog } from '../http/request-log.js'
import { addRequestMetrics } from '../http/request-metrics.js'
import { boundPipelining } from '../http/pipelining.js'
import { addRefusalPause, createRateLimit } from '../http/rate-limit.js'
import { keepAddresses } from '../../base/failure-limit/network.js'
import { createFailureLimit, type FailureLimit } from '../../base/failure-limit/failure-limit.js'
import { addServicePaths, type Health } from '../http/service-paths.js'
import { followTls, handshakeTimeout, readTls } from '../http/tls.js'
import { rewriteTrials } from '../http/try-it.js'
import { validatorCompiler } from '../http/validation.js'
import { mcpPlugin } from '../mcp/plugin.js'
import { pagesPlugin } from '../mcp/pages/plugin.js'
import { type Services } from '../routes/services.js'

export interface HttpConfig {
  /** Public base address, without a trailing slash. */
  baseUrl: string
  /** Addresses or networks of proxies whose `X-Forwarded-For` counts; default: none. */
  trustedProxies?: readonly string[]
  requestsPerKeyPerMinute?: number
  /** Concurrent waits per key. */
  waitsPerKey?: number
  streamsPerKey?: number
  eventStreamsPerKey?: number
  eventStreamsPerProject?: number
  /** Milliseconds after which a stream of events ends if its client has not read. */
  eventStallMs?: number
  /** Origins of browsers whose requests to `/mcp` are accepted; default: none. */
  mcpOrigins?: readonly string[]
  /** Requests without a valid key or token, per address. */
  failuresPerMinute?: number
  /** Milliseconds for sending the file of an upload. */
  uploadMs?: number
  /** Seconds that create, start and park wait. */
  lifecycleWait?: number
  /** Milliseconds that running requests get when the server stops. */
  stopWithinMs?: number
  /** Omitted: HTTP without TLS. */
  tls?: TlsFiles | null
}

export interface ServerOptions {
  services: Services
  config: HttpConfig
  log: Logger
  clock: Clock
  /** Shared with the plugins. Default: an instance of this server. */
  failureLimit?: FailureLimit
  /** Checks which dependencies are available. */
  health?: () => Promise<Health>
  /** Returns true once this replica should get no more requests. Default: never. */
  isStopping?: () => boolean
  /** Routes of other parts (setup, live view, host join), under the same conventions and error handler. */
  plugins?: readonly FastifyPluginAsync[]
}

/** Milliseconds after which Node ends a request that outlasted the limit of its route. */
const receiveGraceMs = 15_000

/** A server without routes, with the limits that every listener shares. */
export function createFastify(
  config: Pick<HttpConfig, 'trustedProxies' | 'uploadMs' | 'tls'>,
  log: FastifyBaseLogger,
  more: Pick<FastifyServerOptions, 'rewriteUrl'> = {},
): FastifyInstance {
  const options: FastifyServerOptions = {
    ...more,
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    // http/request-context.ts adds the request ID to every log line of the request; a child logger would add it again.
    childLoggerFactory: (logger) => logger,
    genReqId: requestIdOf,
    requestIdHeader: false,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    trustProxy:
      config.trustedProxies && config.trustedProxies.length > 0 ? [...config.trustedProxies] : false,
    bodyLimit: limits.jsonBody,
    // Bodies have separate limits: http/body.ts, and uploads/receive.ts for files.
    requestTimeout: (config.uploadMs ?? limits.uploads.sendWithin) + receiveGraceMs,
    // The limit equals Node's limit of the request line. With a lower limit, an overlong ID would not reach the route, which
    // answers `phone_not_found`.
    routerOptions: { maxParamLength: 16_384 },
    frameworkErrors: (error, request, reply) => sendError(refusedOrigin(request) ?? error, request, reply),
    clientErrorHandler: onClientError,
  }
  // http/conventions.ts answers a missing Host with the error envelope.
  const http = { requireHostHeader: false }
  if (!config.tls) return Fastify({ ...options, http })
  const { tls } = config
  const secure = { ...http, ...readTls(tls), handshakeTimeout }
  // Fastify's types separate the two kinds of servers, although a server with TLS has all properties of a server
  // without TLS.
  const app = Fastify({ ...options, https: secure } as FastifyServerOptions)
  followTls(app.server, tls, log)
  return app
}

/** Adds checks, errors, bodies and logging, which every listener shares. Must be called before any route is added. */
export function addFoundations(app: FastifyInstance): void {
  app.setValidatorCompiler(validatorCompiler)
  // Responses are built field by field from typed views (routes/views.ts), and tests check them
  // against the schemas.
  app.setSerializerCompiler(() => JSON.stringify)
  app.setErrorHandler(sendError)
  // The handler is for routes that find nothing; http/conventions.ts answers paths without a route.
  app.setNotFoundHandler((request, reply) => sendError(new ApiError('not_found'), request, reply))
  app.decorateRequest('caller', null)
  app.decorateRequest('errorCode', null)
  app.decorateRequest('isHostLost', false)
  const paths = watchPaths(app)
  keepAddresses(app.server)
  boundPipelining(app)
  const continuation = acceptExpectations(app.server)
  app.server.on('connect', (_request, socket: Socket) => answerOnSocket(socket, new ApiError('not_found')))
  addInProcess(app)
  addRequestContext(app)
  addConventions(app, paths)
  addRequestLog(app)
  addRequestMetrics(app)
  addRefusalPause(app)
  addBodyReading(app, continuation)
}

/** Returns a server that is ready for `listen` or `inject`. */
export async function buildServer(options: ServerOptions): Promise<FastifyInstance> {
  const { services, config, log, clock } = options
  const failureLimit =
    options.failureLimit ??
    createFailureLimit({
      trustedProxies: config.trustedProxies ?? [],
      perMinute: config.failuresPerMinute ?? limits.failuresPerAddressPerMinute,
      clock,
    })
  const app = createFastify(config, log, { rewriteUrl: rewriteTrials(config.baseUrl) })
  const lifetimes = trackLifetimes(app, config.stopWithinMs)
  addFoundations(app)
  await app.register(fastifySwagger, openApiOptions(config.baseUrl))

  const auth = {
    keys: services.keys,
    rate: createRateLimit(config.requestsPerKeyPerMinute ?? limits.requestsPerKeyPerMinute, clock),
    failureLimit,
    lifetimes,
  }

  await addDocs(app, config.baseUrl)
  addServicePaths(app, options.health ?? (() => Promise.resolve({})), options.isStopping ?? (() => false))
  await app.register(
    (v1) => {
      addAuth(v1, auth)
      addActivity(v1, services.activity, () => clock.now())
      registerV1(v1.withTypeProvider<ZodTypeProvider>(), {
        services,
        lifetimes,
        failureLimit,
        waits: createHeldOpen({ kind: 'waits', most: config.waitsPerKey ?? limits.waitsPerKey }),
        streams: createHeldOpen({ kind: 'streams', most: config.streamsPerKey ?? limits.streamsPerKey }),
        eventStreams: createHeldOpen(
          { kind: 'events', most: config.eventStreamsPerKey ?? limits.eventStreamsPerKey },
          { kind: 'eventsOfProject', most: config.eventStreamsPerProject ?? limits.eventStreamsPerProject },
        ),
        eventStallMs: config.eventStallMs ?? limits.events.stall * 1000,
        baseUrl: config.baseUrl,
        clock,
        lifecycleWaitMs: (config.lifecycleWait ?? limits.lifecycleWait) * 1000,
      })
      return Promise.resolve()
    },
    { prefix: '/v1' },
  )
  await app.register(mcpPlugin({ auth, baseUrl: config.baseUrl, origins: config.mcpOrigins ?? [], log }))
  await app.register(pagesPlugin(config.baseUrl))
  await app.register(receivePlugin(services.uploads, lifetimes, failureLimit))
  for (const plugin of options.plugins ?? []) await app.register(plugin)
  await app.ready()
  return app
}
