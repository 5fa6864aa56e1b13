/** Signs in a user who has proved in another way than by a password who they are. */
import { type FastifyReply, type FastifyRequest } from 'fastify'
import { authHeaders, type GateDeps } from './gate.js'

export async function beginSession(
  request: FastifyRequest,
  reply: FastifyReply,
  { auth }: Pick<GateDeps, 'auth'>,
  userId: string,
): Promise<void> {
  const { headers } = await auth.api.beginSession({
    ...{ body: { userId }, headers: authHeaders(request), returnHeaders: true },
  })
  for (const cookie of headers.getSetCookie()) reply.header('set-cookie', cookie)
}
