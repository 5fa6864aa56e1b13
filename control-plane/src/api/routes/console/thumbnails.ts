/**
 * A small screenshot of a ready phone, for a wall of thumbnails. Thumbnails do not count as activity.
 * docs/decisions/0297
 */
import { type FastifyInstance } from 'fastify'
import { createHeldOpen } from '../../http/held-open.js'
import { sendBytes } from '../deps.js'
import { intoPhone, type ProjectDeps } from './caller.js'
import { inert } from './inert.js'
import { route } from './route.js'

/** Limits the concurrent requests of a user in each replica. A page sends 12. */
const mostOfUser = 24

/** Returns the tag of an `If-None-Match` with one strong tag; empty for any other value. */
const knownTagOf = (header: string | undefined): string => /^"([\w-]{1,64})"$/.exec(header ?? '')?.[1] ?? ''

export function addThumbnails(app: FastifyInstance, { services }: ProjectDeps): void {
  const held = createHeldOpen({ kind: 'thumbnails', most: mostOfUser })
  route(app, 'GET /projects/:project/phones/:phone/thumbnail', {}, async (request, reply) => {
    const { caller, phoneId, context } = intoPhone(request, reply)
    held.hold(caller, reply)
    const knownTag = knownTagOf(request.headers['if-none-match'])
    const found = await services.thumbnails.take(caller, phoneId, knownTag, context)
    if (found.kind === 'none') return reply.code(204).header('x-thumbnail', found.why).send()
    reply.header('etag', `"${found.tag}"`)
    if (found.kind === 'unchanged') return reply.code(304).send()
    return sendBytes(reply.headers(inert), 'image/webp', found.image)
  })
}
