/** The services behind `/v1` that the console uses, and a request to them in the name of its user. */
import { type FastifyReply, type FastifyRequest } from 'fastify'
import { type Caller } from '../../core/caller.js'
import { callerOfUser } from '../../users/caller.js'
import { phoneIdOf } from '../deps.js'
import { type Services } from '../services.js'
import { apiPath, projectOf, signedInOf, type GateDeps } from './gate.js'

export type ConsoleServices = Pick<Services, 'phones' | 'live' | 'steps' | 'events'>

export interface ProjectDeps extends GateDeps {
  services: ConsoleServices
}

/** The path of the routes below a project. */
export const projectPath = `${apiPath}/projects/:project`

export function callerFor(request: FastifyRequest, reply: FastifyReply): Caller {
  const gone = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableEnded) gone.abort()
  })
  return callerOfUser(signedInOf(request).user, projectOf(request), gone.signal)
}

export type OfPhone = { Params: { phone: string } }

/** @throws ApiError phone_not_found */
export const phoneOf = ({ params }: FastifyRequest<OfPhone>): string => phoneIdOf({ id: params.phone })
