/** One phone: its state, its live view, its sessions, and the steps of agents. */
import { limits } from '@phonerack/shared'
import { type FastifyInstance } from 'fastify'
import { createHeldOpen } from '../../http/held-open.js'
import { screenParts } from '../../../phone-io/steps/types.js'
import { phoneJson, sessionJson } from '../views.js'
import { inert } from './inert.js'
import { callerFor, phoneOf, type ProjectDeps } from './caller.js'
import { isMember, signedInOf } from './gate.js'
import { liveAnswer } from './answers.js'
import { route } from './route.js'
import { phoneSchema, sessionPageSchema } from '../schemas.js'
import { stepPageSchema, stepSchema } from '../phones/steps.js'

/** Seconds that a live view stays open while the user stays signed in. */
const liveSeconds = 4 * 3600

const listed = 30

const cursorOf = ({ cursor }: { cursor?: unknown }): string | null =>
  typeof cursor === 'string' ? cursor : null

export function addPhone(app: FastifyInstance, { services }: ProjectDeps): void {
  const { phones, live } = services
  route(app, 'GET /projects/:project/phones/:phone', { answer: phoneSchema }, async (request, reply) =>
    phoneJson(await phones.get(callerFor(request, reply), phoneOf(request))),
  )
  route(
    app,
    'POST /projects/:project/phones/:phone/live',
    { answer: liveAnswer, status: 201 },
    async (request, reply) => {
      const control = isMember(request)
      const { sessionId: userSessionId } = signedInOf(request)
      const link = await live.createLink(callerFor(request, reply), phoneOf(request), {
        expiresIn: liveSeconds,
        control,
        userSessionId,
      })
      return { url: link.url, expires_at: link.expiresAt.toISOString(), control }
    },
  )
  route(
    app,
    'GET /projects/:project/phones/:phone/sessions',
    { query: ['cursor'], answer: sessionPageSchema },
    async (request, reply) => {
      const query = { limit: listed, cursor: cursorOf(request.query) }
      const page = await phones.sessions(callerFor(request, reply), phoneOf(request), query)
      return { data: page.data.map(sessionJson), next_cursor: page.nextCursor }
    },
  )
  addSteps(app, services)
}

function addSteps(app: FastifyInstance, { steps }: ProjectDeps['services']): void {
  const [, withText, without] = screenParts
  const held = createHeldOpen({ kind: 'downloads', most: limits.streamsPerKey })
  route(
    app,
    'GET /projects/:project/phones/:phone/steps',
    { query: ['cursor'], answer: stepPageSchema },
    async (request, reply) => {
      const query = { limit: listed, cursor: cursorOf(request.query), part: without }
      const page = await steps.list(callerFor(request, reply), phoneOf(request), null, query)
      return { data: page.data, next_cursor: page.nextCursor }
    },
  )
  route(app, 'GET /projects/:project/phones/:phone/steps/:step', { answer: stepSchema }, (request, reply) =>
    steps.get(callerFor(request, reply), phoneOf(request), request.params.step, withText),
  )
  route(app, 'GET /projects/:project/phones/:phone/steps/:step/picture', {}, async (request, reply) => {
    const caller = callerFor(request, reply)
    held.hold(caller, reply)
    const found = await steps.picture(caller, phoneOf(request), request.params.step)
    return reply
      .headers({ 'content-length': found.picture.sizeBytes, ...inert })
      .type(`image/${found.picture.format}`)
      .send(found.stream)
  })
}
