/** One phone: its state, its live view, its sessions, and the steps of agents on it. */
import { limits } from '@phonerack/shared'
import { type FastifyInstance } from 'fastify'
import { createHeldOpen } from '../../http/held-open.js'
import { screenParts } from '../../../phone-io/steps/types.js'
import { phoneJson, sessionJson } from '../views.js'
import { inert } from './inert.js'
import { callerFor, phoneOf, projectPath, type OfPhone, type ProjectDeps } from './caller.js'
import { isMember, signedInOf } from './gate.js'

const base = `${projectPath}/phones/:phone`

/** Seconds that a live view stays open, if the user stays signed in. */
const liveSeconds = 4 * 3600

const listed = 30

type OfStep = { Params: { phone: string; step: string } }
type Paged = OfPhone & { Querystring: { cursor?: unknown } }

const cursorOf = ({ cursor }: { cursor?: unknown }): string | null =>
  typeof cursor === 'string' ? cursor : null

export function addPhone(app: FastifyInstance, { services }: ProjectDeps): void {
  const { phones, live } = services
  app.get<OfPhone>(base, async (request, reply) =>
    phoneJson(await phones.get(callerFor(request, reply), phoneOf(request))),
  )
  app.post<OfPhone>(`${base}/live`, async (request, reply) => {
    const control = isMember(request)
    const { sessionId: userSessionId } = signedInOf(request)
    const link = await live.createLink(callerFor(request, reply), phoneOf(request), {
      expiresIn: liveSeconds,
      control,
      userSessionId,
    })
    return reply.code(201).send({ url: link.url, expires_at: link.expiresAt.toISOString(), control })
  })
  app.get<Paged>(`${base}/sessions`, async (request, reply) => {
    const query = { limit: listed, cursor: cursorOf(request.query) }
    const page = await phones.sessions(callerFor(request, reply), phoneOf(request), query)
    return { data: page.data.map(sessionJson), next_cursor: page.nextCursor }
  })
  addSteps(app, services)
}

function addSteps(app: FastifyInstance, { steps }: ProjectDeps['services']): void {
  const [, withText, without] = screenParts
  const held = createHeldOpen({ kind: 'downloads', most: limits.streamsPerKey })
  app.get<Paged>(`${base}/steps`, async (request, reply) => {
    const query = { limit: listed, cursor: cursorOf(request.query), part: without }
    const page = await steps.list(callerFor(request, reply), phoneOf(request), null, query)
    return { data: page.data, next_cursor: page.nextCursor }
  })
  app.get<OfStep>(`${base}/steps/:step`, (request, reply) =>
    steps.get(callerFor(request, reply), phoneOf(request), request.params.step, withText),
  )
  app.get<OfStep>(`${base}/steps/:step/picture`, async (request, reply) => {
    const caller = callerFor(request, reply)
    held.hold(caller, reply)
    const found = await steps.picture(caller, phoneOf(request), request.params.step)
    return reply
      .headers({ 'content-length': found.picture.sizeBytes, ...inert })
      .type(`image/${found.picture.format}`)
      .send(found.stream)
  })
}
