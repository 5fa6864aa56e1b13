/** Webhooks of a project and their deliveries, from the service behind `/v1/webhooks`. */
import { limits, shorten } from '@phonerack/shared'
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { z } from 'zod'
import { eventTypes } from '../../../events/events/types.js'
import { type DeliveryView, type WebhookChange, type WebhookView } from '../../../events/webhooks/types.js'
import {
  createWebhookBody,
  deliveryJson,
  webhookJson,
  deliveryPageSchema,
  deliverySchema,
} from '../webhooks/schemas.js'
import { callerFor, type ProjectDeps } from './caller.js'
import { newWebhookAnswer, webhookAnswer, webhooksAnswer } from './answers.js'
import { route } from './route.js'

/** Limits the deliveries on a page, and the characters of a response. `/v1` shows all that were kept. */
const listed = 20
const shownCharacters = 2000

const changeBody = createWebhookBody.partial()
const enabledBody = z.strictObject({ enabled: z.boolean() })

type OfWebhook = { Params: { webhook: string } }

/** Zod's optional fields may be present and undefined; the service takes only fields that are present. */
const changeOf = ({ url, events, description }: z.output<typeof changeBody>): WebhookChange => ({
  ...(url === undefined ? {} : { url }),
  ...(events === undefined ? {} : { events }),
  ...(description === undefined ? {} : { description }),
})

const shownWebhook = (webhook: WebhookView) => ({
  ...webhookJson(webhook),
  switched_off: webhook.switchedOff && {
    at: webhook.switchedOff.at.toISOString(),
    is_after_failures: webhook.switchedOff.isAfterFailures,
  },
  is_secret_readable: webhook.isSecretReadable,
})

function shownDelivery(delivery: DeliveryView) {
  const { response, ...shown } = deliveryJson(delivery)
  return { ...shown, response: response && { ...response, body: shorten(response.body, shownCharacters) } }
}

export function addWebhooks(app: FastifyInstance, { services: { webhooks } }: ProjectDeps): void {
  route(app, 'GET /projects/:project/webhooks', { answer: webhooksAnswer }, async (request, reply) => {
    return {
      data: (await webhooks.list(callerFor(request, reply))).map(shownWebhook),
      most: limits.webhooks.perProject,
      types: eventTypes,
    }
  })
  route(
    app,
    'POST /projects/:project/webhooks',
    { body: createWebhookBody, answer: newWebhookAnswer, status: 201 },
    async (request, reply) => {
      const { url, events = null, description = null } = request.body
      const made = await webhooks.create(callerFor(request, reply), { url, events, description })
      return { ...shownWebhook(made.webhook), secret: made.secret }
    },
  )
  const change = async (
    request: FastifyRequest<OfWebhook>,
    reply: FastifyReply,
    changes: WebhookChange,
  ): Promise<ReturnType<typeof shownWebhook>> =>
    shownWebhook(await webhooks.update(callerFor(request, reply), request.params.webhook, changes))
  // A new URL sends the project's events elsewhere, so the change needs a recent sign-in, like a new webhook. A switch
  // does not.
  route(
    app,
    'PATCH /projects/:project/webhooks/:webhook',
    { body: changeBody, answer: webhookAnswer },
    (request, reply) => change(request, reply, changeOf(request.body)),
  )
  route(
    app,
    'PUT /projects/:project/webhooks/:webhook/enabled',
    { body: enabledBody, answer: webhookAnswer },
    (request, reply) => change(request, reply, request.body),
  )
  route(app, 'DELETE /projects/:project/webhooks/:webhook', {}, async (request, reply) => {
    const { webhook: id } = request.params
    await webhooks.delete(callerFor(request, reply), id)
    return { id, deleted: true }
  })
  route(
    app,
    'POST /projects/:project/webhooks/:webhook/rotate',
    { answer: newWebhookAnswer },
    async (request, reply) => {
      const { webhook, secret } = await webhooks.rotate(callerFor(request, reply), request.params.webhook)
      return { ...shownWebhook(webhook), secret }
    },
  )
  addDeliveries(app, webhooks)
}

function addDeliveries(app: FastifyInstance, webhooks: ProjectDeps['services']['webhooks']): void {
  route(
    app,
    'POST /projects/:project/webhooks/:webhook/test',
    { answer: deliverySchema, status: 202 },
    async (request, reply) => {
      const delivery = await webhooks.test(callerFor(request, reply), request.params.webhook)
      return shownDelivery(delivery)
    },
  )
  route(
    app,
    'GET /projects/:project/webhooks/:webhook/deliveries',
    { query: ['cursor'], answer: deliveryPageSchema },
    async (request, reply) => {
      const { cursor } = request.query
      const query = { limit: listed, cursor: typeof cursor === 'string' ? cursor : null }
      const page = await webhooks.deliveries(callerFor(request, reply), request.params.webhook, query)
      return { data: page.data.map(shownDelivery), next_cursor: page.nextCursor }
    },
  )
  route(
    app,
    'POST /projects/:project/webhooks/:webhook/deliveries/:delivery/retry',
    { answer: deliverySchema, status: 202 },
    async (request, reply) => {
      const { webhook, delivery } = request.params
      const sent = await webhooks.retry(callerFor(request, reply), webhook, delivery)
      return shownDelivery(sent)
    },
  )
}
