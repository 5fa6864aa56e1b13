/** Webhooks of a project and their deliveries, by the service behind `/v1/webhooks`. */
import { limits, shorten } from '@phonerack/shared'
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { z } from 'zod'
import { eventTypes } from '../../../events/events/types.js'
import { parseBody } from '../../http/parse-body.js'
import { type DeliveryView, type WebhookChange, type WebhookView } from '../../../events/webhooks/types.js'
import { createWebhookBody, deliveryJson, webhookJson } from '../webhooks/schemas.js'
import { callerFor, projectPath, type ProjectDeps } from './caller.js'

const base = `${projectPath}/webhooks`
const path = `${base}/:webhook`

/** Deliveries on a page, and characters of a response in it. `/v1` has all that were kept. */
const listed = 20
const shownCharacters = 2000

const changeBody = createWebhookBody.partial()
const enabledBody = z.strictObject({ enabled: z.boolean() })

type OfWebhook = { Params: { webhook: string } }
type Listed = OfWebhook & { Querystring: { cursor?: unknown } }
type OfDelivery = { Params: { webhook: string; delivery: string } }

/** Zod's optional fields may be present and undefined; the service takes only present ones. */
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
  app.get(base, async (request, reply) => {
    return {
      data: (await webhooks.list(callerFor(request, reply))).map(shownWebhook),
      most: limits.webhooks.perProject,
      types: eventTypes,
    }
  })
  app.post(base, async (request, reply) => {
    const { url, events = null, description = null } = parseBody(createWebhookBody, request)
    const made = await webhooks.create(callerFor(request, reply), { url, events, description })
    return reply.code(201).send({ ...shownWebhook(made.webhook), secret: made.secret })
  })
  const change = async (
    request: FastifyRequest<OfWebhook>,
    reply: FastifyReply,
    changes: WebhookChange,
  ): Promise<ReturnType<typeof shownWebhook>> =>
    shownWebhook(await webhooks.update(callerFor(request, reply), request.params.webhook, changes))
  // Sends the events of the project elsewhere, so it needs a recent sign-in, as a new webhook does. A switch does not.
  app.patch<OfWebhook>(path, (request, reply) =>
    change(request, reply, changeOf(parseBody(changeBody, request))),
  )
  app.put<OfWebhook>(`${path}/enabled`, (request, reply) =>
    change(request, reply, parseBody(enabledBody, request)),
  )
  app.delete<OfWebhook>(path, async (request, reply) => {
    const { webhook: id } = request.params
    await webhooks.delete(callerFor(request, reply), id)
    return { id, deleted: true }
  })
  app.post<OfWebhook>(`${path}/rotate`, async (request, reply) => {
    const { webhook, secret } = await webhooks.rotate(callerFor(request, reply), request.params.webhook)
    return { ...shownWebhook(webhook), secret }
  })
  addDeliveries(app, webhooks)
}

function addDeliveries(app: FastifyInstance, webhooks: ProjectDeps['services']['webhooks']): void {
  app.post<OfWebhook>(`${path}/test`, async (request, reply) => {
    const delivery = await webhooks.test(callerFor(request, reply), request.params.webhook)
    return reply.code(202).send(shownDelivery(delivery))
  })
  app.get<Listed>(`${path}/deliveries`, async (request, reply) => {
    const { cursor } = request.query
    const query = { limit: listed, cursor: typeof cursor === 'string' ? cursor : null }
    const page = await webhooks.deliveries(callerFor(request, reply), request.params.webhook, query)
    return { data: page.data.map(shownDelivery), next_cursor: page.nextCursor }
  })
  app.post<OfDelivery>(`${path}/deliveries/:delivery/retry`, async (request, reply) => {
    const { webhook, delivery } = request.params
    const sent = await webhooks.retry(callerFor(request, reply), webhook, delivery)
    return reply.code(202).send(shownDelivery(sent))
  })
}
