/** `/host/v1`: requests of host agents over HTTP. Agents send everything else over gRPC and NATS. */
import { type FastifyPluginAsync } from 'fastify'
import { connectionCheckPlugin, type ConnectionCheckParts } from './connection-check.js'
import { joinPlugin, type JoinPluginParts } from './join.js'

export const hostPlugin =
  (parts: JoinPluginParts & ConnectionCheckParts): FastifyPluginAsync =>
  async (app) => {
    await app.register(joinPlugin(parts))
    await app.register(connectionCheckPlugin(parts))
  }
