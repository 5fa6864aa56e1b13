/** The services behind `/v1` that the console uses, and a request to them in the name of its user. */
import { type FastifyReply, type FastifyRequest } from 'fastify'
import { type CallContext, type Caller } from '../../../base/core/caller.js'
import { type PhoneService } from '../../../rental/phones/types.js'
import { callerOfUser } from '../../../people/users/caller.js'
import { phoneIdOf } from '../deps.js'
import { type Services } from '../services.js'
import { apiPath, projectOf, signedInOf, type GateDeps } from './gate.js'

type ConsoleServices = Pick<
  Services,
  | 'phones'
  | 'live'
  | 'steps'
  | 'events'
  | 'webhooks'
  | 'checkout'
  | 'activity'
  | 'handoffs'
  | 'uploads'
  | 'installs'
  | 'recordings'
  | 'deviceControl'
  | 'files'
  | 'settings'
  | 'reports'
  | 'thumbnails'
>

export interface ProjectDeps extends GateDeps {
  services: ConsoleServices
}

/** The path under which the routes of a project are. */
export const projectPath = `${apiPath}/projects/:project`

export const callerFor = (request: FastifyRequest, reply: FastifyReply): Caller =>
  callerOfUser(signedInOf(request).user, projectOf(request), request.server.lifetimes.work(reply))

/** A call into a phone. The call ends when the client closes its request. */
interface IntoPhone {
  caller: Caller
  phoneId: string
  context: CallContext
}

/** For reads: watching does not keep a phone awake. @throws ApiError phone_not_found */
export function intoPhone(request: FastifyRequest<OfPhone>, reply: FastifyReply): IntoPhone {
  const caller = callerFor(request, reply)
  const signal = caller.signal ?? new AbortController().signal
  return { caller, phoneId: phoneOf(request), context: { requestId: request.id, signal } }
}

/** For changes, which keep the phone awake. @throws ApiError phone_not_found */
export async function changing<T>(
  request: FastifyRequest<OfPhone>,
  reply: FastifyReply,
  phones: PhoneService,
  work: (into: IntoPhone) => Promise<T>,
): Promise<T> {
  const into = intoPhone(request, reply)
  await phones.touch(into.caller, into.phoneId).catch((error: unknown) => {
    request.log.warn({ err: error, phone: into.phoneId }, 'could not record activity')
  })
  const release = phones.hold(into.caller, into.phoneId)
  try {
    return await work(into)
  } finally {
    release()
  }
}

type OfPhone = { Params: { phone: string } }

/** @throws ApiError phone_not_found */
export const phoneOf = ({ params }: FastifyRequest<OfPhone>): string => phoneIdOf({ id: params.phone })
