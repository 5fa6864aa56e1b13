/** /v1/webhooks/{id}/test and …/deliveries: send a test, list deliveries, and repeat a delivery. */
import { z } from 'zod'
import { callerOf } from '../../http/auth.js'
import { type Route } from '../deps.js'
import { describeErrors } from '../errors.js'
import { noBody, pageFields, postHeaders } from '../fields.js'
import { deliveryJson, deliveryPageSchema, deliverySchema, webhookParams } from './schemas.js'

const write = ['payload_too_large', 'phone_not_allowed', 'webhook_not_found'] as const

export const testWebhook: Route = (app, { services }) => {
  app.post(
    '/webhooks/:wid/test',
    {
      schema: {
        operationId: 'testWebhook',
        summary: 'Send a test to a webhook',
        description:
          'Sends an event of the type `webhook.test` to this webhook once, even while the webhook is switched off. The deliveries of the webhook show the response.',
        tags: ['events'],
        params: webhookParams,
        headers: postHeaders,
        body: noBody,
        response: { 202: deliverySchema, ...describeErrors(...write) },
      },
      config: { scope: 'phones:control' },
    },
    async (request, reply) =>
      reply.code(202).send(deliveryJson(await services.webhooks.test(callerOf(request), request.params.wid))),
  )
}

const listDeliveriesQuery = z.object(pageFields)

export const listDeliveries: Route = (app, { services }) => {
  app.get(
    '/webhooks/:wid/deliveries',
    {
      schema: {
        operationId: 'listDeliveries',
        summary: 'List the deliveries of a webhook, newest first',
        description:
          'Each delivery shows its last attempt and the response to it. Deliveries are kept for 7 days.',
        tags: ['events'],
        params: webhookParams,
        querystring: listDeliveriesQuery,
        response: { 200: deliveryPageSchema, ...describeErrors('phone_not_allowed', 'webhook_not_found') },
      },
      config: { scope: 'phones:read' },
    },
    async (request) => {
      const { limit, cursor = null } = request.query
      const page = await services.webhooks.deliveries(callerOf(request), request.params.wid, {
        limit,
        cursor,
      })
      return { data: page.data.map(deliveryJson), next_cursor: page.nextCursor }
    },
  )
}

export const retryDelivery: Route = (app, { services }) => {
  app.post(
    '/webhooks/:wid/deliveries/:did/retry',
    {
      schema: {
        operationId: 'retryDelivery',
        summary: 'Send a delivery again',
        description:
          'Sends the delivery immediately, in any status, and repeats it at the same intervals as a new event until it is confirmed.',
        tags: ['events'],
        params: webhookParams.extend({
          did: z.string().meta({ description: 'A delivery ID.', pattern: '^dlv_[a-z2-7]{12}$' }),
        }),
        headers: postHeaders,
        body: noBody,
        response: { 202: deliverySchema, ...describeErrors(...write, 'event_not_found') },
      },
      config: { scope: 'phones:control' },
    },
    async (request, reply) => {
      const { wid, did } = request.params
      return reply.code(202).send(deliveryJson(await services.webhooks.retry(callerOf(request), wid, did)))
    },
  )
}
