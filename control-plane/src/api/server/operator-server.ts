/**
 * The HTTP server of `/operator/v1` and of the operators' console: a listener separate from the
 * public listener, so that tenants' networks never reach it. Created by `main.ts` and by tests.
 */
import { type Logger } from '@phonerack/shared'
import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import { addWriteGuard } from '../routes/operator/api.js'
import { type OperatorGate } from '../routes/operator/gate.js'
import { trackLifetimes } from '../http/lifetimes.js'
import { addFoundations, createFastify, type HttpConfig } from './server.js'

interface OperatorServerOptions {
  config: Pick<HttpConfig, 'trustedProxies' | 'uploadMs' | 'stopWithinMs'>
  log: Logger
  /** Checks the token of every request to `plugins`. */
  gate: OperatorGate
  plugins: readonly FastifyPluginAsync[]
  /** The console, which checks its own requests. Default: none. */
  console?: FastifyPluginAsync
}

/** Returns a server that is ready for `listen` or `inject`. */
export async function buildOperatorServer(options: OperatorServerOptions): Promise<FastifyInstance> {
  const app = createFastify(options.config, options.log)
  trackLifetimes(app, options.config.stopWithinMs)
  addFoundations(app)
  app.decorateRequest('operator', null)
  await app.register(async (api) => {
    addWriteGuard(api)
    api.addHook('onRequest', (request) => options.gate.enter(request))
    for (const plugin of options.plugins) await api.register(plugin)
  })
  if (options.console) await app.register(options.console)
  await app.ready()
  return app
}
