/** The decision of a member about a client that requests access by OAuth. docs/decisions/0296 */
import { ApiError } from '@phonerack/shared'
import { type FastifyInstance, type FastifyRequest } from 'fastify'
import { z } from 'zod'
import { type Clients } from '../../../people/connectors/clients.js'
import { grantConnector, rightsSchema } from '../../../people/connectors/grants.js'
import { answerAt, hostOfRedirect } from '../../../people/connectors/redirects.js'
import {
  longestQuery,
  readRequest,
  type AuthorizationRequest,
  type Issuer,
} from '../../../people/connectors/requests.js'
import { countAttempt } from '../../../people/users/attempts.js'
import { limitNewKeys } from '../../../people/users/project-keys.js'
import { asUser } from '../../../people/users/work.js'
import { actorOf, projectOf, signedInOf, type GateDeps } from './gate.js'
import { askingAnswer, redirectAnswer } from './answers.js'
import { route } from './route.js'

export interface ConnectorDeps extends Issuer {
  clients: Clients
}

/** Limits the requests of a user, each of which may fetch a document. */
const perUser = { max: 30, window: 60 }

const asked = z.strictObject({ query: z.string().max(longestQuery) })
const decided = rightsSchema.extend(asked.shape).strict()

export function addConnectors(
  app: FastifyInstance,
  { core, connectors }: GateDeps & { connectors: ConnectorDeps },
): void {
  const { clients, issuer } = connectors
  const requestOf = async (request: FastifyRequest, query: string): Promise<AuthorizationRequest> => {
    const { id } = signedInOf(request).user
    const seconds = await countAttempt(core.db, `connector ${id}`, perUser)
    if (seconds !== null) throw new ApiError('rate_limited', { retryAfterSeconds: seconds })
    return readRequest(clients, connectors, query, id)
  }
  route(app, 'POST /connectors/look', { body: asked, answer: askingAnswer }, async (request) => {
    const { query } = request.body
    const { client, redirectUri, preset, scopes } = await requestOf(request, query)
    const { host, isThisMachine } = hostOfRedirect(redirectUri)
    return {
      client: { name: client.name, id: client.id, host: client.host },
      redirect: { host, is_this_machine: isThisMachine },
      preset,
      scopes,
    }
  })
  route(app, 'POST /connectors/deny', { body: asked, answer: redirectAnswer }, async (request) => {
    const { redirectUri, state } = await requestOf(request, request.body.query)
    return { redirect_to: answerAt(redirectUri, issuer, { error: 'access_denied', state }) }
  })
  route(
    app,
    'POST /projects/:project/connectors',
    { body: decided, answer: redirectAnswer, status: 201 },
    async (request) => {
      const { query, ...rights } = request.body
      const granted = await requestOf(request, query)
      const { id: projectId } = projectOf(request)
      await limitNewKeys(core, projectId)
      const answer = await asUser(core, actorOf(request), 'connector.create', (work) =>
        grantConnector(work, granted, { projectId, issuer, rights }),
      )
      return answer
    },
  )
}
