/** `/host/v1`: the requests of host agents over HTTP. All their other messages go over gRPC and NATS. */
import { type FastifyPluginAsync } from 'fastify'
import { connectionCheckPlugin, type ConnectionCheckParts } from './connection-check.js'
import { joinPlugin, type JoinPluginParts } from './join.js'

export const hostPlugin =
  (parts: JoinPluginParts & ConnectionCheckParts): FastifyPluginAsync =>
  async (app) => {
    await app.register(joinPlugin(parts))
    await app.register(connectionCheckPlugin(parts))
  }
