/** `POST /host/v1/connection-check`, outside `/v1`: whether this replica can connect to the host that asks. */
import { hostSignatureSchema, type HostSignature } from '@phonerack/shared'
import { type FastifyPluginAsync } from 'fastify'
import { keyFailures, type FailureLimit } from '../../failure-limit/failure-limit.js'
import { parseBody } from '../../http/parse-body.js'
import { type ConnectionCheck, connectionCheckPath } from '../../hosts/connection-check.js'

export interface ConnectionCheckParts {
  failureLimit: FailureLimit
  checkConnection: (request: HostSignature) => Promise<ConnectionCheck>
}

export const connectionCheckPlugin =
  ({ failureLimit, checkConnection }: ConnectionCheckParts): FastifyPluginAsync =>
  (app) => {
    app.post(connectionCheckPath, async (request) => {
      const input = parseBody(hostSignatureSchema, request)
      const { address, isConnected } = await failureLimit.guard(request.raw, {
        isKnown: null,
        failures: keyFailures,
        work: () => checkConnection(input),
      })
      return { address, connected: isConnected }
    })
    return Promise.resolve()
  }
