/** Signs in a user who has proved their identity without a password: by a link or at an identity provider. */
import { type FastifyReply, type FastifyRequest } from 'fastify'
import { endSession } from '../../../people/users/sessions.js'
import { authHeaders, type GateDeps } from './gate.js'

/** Ends the earlier session of the browser, which a new sign-in replaces. */
export async function endEarlier({ person }: FastifyRequest, core: GateDeps['core']): Promise<void> {
  if (person?.signedIn) await endSession(core, person.signedIn.sessionId)
}

export async function beginSession(
  request: FastifyRequest,
  reply: FastifyReply,
  { auth, core }: Pick<GateDeps, 'auth' | 'core'>,
  userId: string,
): Promise<void> {
  const { api } = await auth()
  const { headers } = await api.beginSession({
    body: { userId },
    headers: authHeaders(request),
    returnHeaders: true,
  })
  for (const cookie of headers.getSetCookie()) reply.header('set-cookie', cookie)
  await endEarlier(request, core)
}
