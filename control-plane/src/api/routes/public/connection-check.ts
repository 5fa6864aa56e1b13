/**
 * `POST /host/v1/connection-check`, outside `/v1`: whether this replica can connect to the host that sends the request.
 */
import { connectionCheckPath, hostSignatureSchema } from '@phonerack/shared'
import { type FastifyPluginAsync } from 'fastify'
import { keyFailures, type FailureLimit } from '../../../base/failure-limit/failure-limit.js'
import { parseBody } from '../../http/parse-body.js'
import { type ConnectionChecks } from '../../../fleet/hosts/connection-check.js'

export interface ConnectionCheckParts {
  failureLimit: FailureLimit
  connectionChecks: ConnectionChecks
}

export const connectionCheckPlugin =
  ({ failureLimit, connectionChecks }: ConnectionCheckParts): FastifyPluginAsync =>
  (app) => {
    app.post(connectionCheckPath, async (request) => {
      const input = parseBody(hostSignatureSchema, request)
      const { address, isConnected } = await failureLimit.guard(request.raw, {
        isKnown: () => Promise.resolve(connectionChecks.isSigned(input)),
        failures: keyFailures,
        work: () => connectionChecks.check(input),
      })
      return { address, connected: isConnected }
    })
    return Promise.resolve()
  }
