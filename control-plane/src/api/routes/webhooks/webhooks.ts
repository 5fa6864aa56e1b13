/** /v1/webhooks: create, list, read, change and delete webhooks, and rotate their secrets. */
import { z } from 'zod'
import { callerOf } from '../../http/auth.js'
import { type Route } from '../deps.js'
import { describeErrors } from '../errors.js'
import { noBody, postHeaders } from '../fields.js'
import { id } from '../schemas.js'
import {
  createWebhookBody,
  updateWebhookBody,
  webhookJson,
  webhookParams,
  webhookSchema,
  webhooksSchema,
  webhookWithSecretSchema,
} from './schemas.js'

const write = ['payload_too_large', 'phone_not_allowed'] as const

export const createWebhook: Route = (app, { services }) => {
  app.post(
    '/webhooks',
    {
      schema: {
        operationId: 'createWebhook',
        summary: 'Send events to a URL',
        description:
          'Each event of the project is sent as a POST whose body is the event, within 5 seconds, signed by Standard Webhooks. Any status from 200 to 299 confirms the event; a redirect does not confirm it. An attempt takes at most 15 seconds. An unconfirmed event is sent again after 5 seconds, 1 minute, 5 minutes, 30 minutes, 2, 6 and 12 hours. Events may arrive more than once and out of order; the header `webhook-id` is the ID of the event. A webhook that fails for 3 days is switched off. A project has at most 10 webhooks. A key that is limited to certain phones cannot use webhooks.',
        tags: ['events'],
        headers: postHeaders,
        body: createWebhookBody,
        response: { 201: webhookWithSecretSchema, ...describeErrors(...write, 'webhook_limit_reached') },
      },
      config: { scope: 'phones:control' },
    },
    async (request, reply) => {
      const { url, events = null, description = null } = request.body
      const created = await services.webhooks.create(callerOf(request), { url, events, description })
      return reply.code(201).send({ ...webhookJson(created.webhook), secret: created.secret })
    },
  )
}

export const listWebhooks: Route = (app, { services }) => {
  app.get(
    '/webhooks',
    {
      schema: {
        operationId: 'listWebhooks',
        summary: 'List webhooks, newest first',
        description:
          'Lists the webhooks of the project, without their secrets. A key that can only read gets the host of each `url`, without its path and query.',
        tags: ['events'],
        response: { 200: webhooksSchema, ...describeErrors('phone_not_allowed') },
      },
      config: { scope: 'phones:read' },
    },
    async (request) => ({ data: (await services.webhooks.list(callerOf(request))).map(webhookJson) }),
  )
}

export const getWebhook: Route = (app, { services }) => {
  app.get(
    '/webhooks/:wid',
    {
      schema: {
        operationId: 'getWebhook',
        summary: 'Get a webhook',
        description:
          'Returns the webhook without its secret. A key that can only read gets the host of `url`, without its path and query.',
        tags: ['events'],
        params: webhookParams,
        response: { 200: webhookSchema, ...describeErrors('phone_not_allowed', 'webhook_not_found') },
      },
      config: { scope: 'phones:read' },
    },
    async (request) => webhookJson(await services.webhooks.get(callerOf(request), request.params.wid)),
  )
}

export const updateWebhook: Route = (app, { services }) => {
  app.patch(
    '/webhooks/:wid',
    {
      schema: {
        operationId: 'updateWebhook',
        summary: 'Change a webhook, or switch it off or on',
        description: 'Omitted fields keep their value. Pending deliveries are sent to the new URL.',
        tags: ['events'],
        params: webhookParams,
        body: updateWebhookBody,
        response: { 200: webhookSchema, ...describeErrors(...write, 'webhook_not_found') },
      },
      config: { scope: 'phones:control' },
    },
    async (request) => {
      // Zod's optional fields may be present and undefined; the service takes only fields that are present.
      const change = Object.fromEntries(
        Object.entries(request.body).filter(([, value]) => value !== undefined),
      )
      return webhookJson(await services.webhooks.update(callerOf(request), request.params.wid, change))
    },
  )
}

export const deleteWebhook: Route = (app, { services }) => {
  app.delete(
    '/webhooks/:wid',
    {
      schema: {
        operationId: 'deleteWebhook',
        summary: 'Delete a webhook',
        description: 'Deletes the webhook. Its pending deliveries are not sent.',
        tags: ['events'],
        params: webhookParams,
        body: noBody,
        response: {
          200: z.object({ id: id('webhook'), deleted: z.literal(true) }),
          ...describeErrors(...write, 'webhook_not_found'),
        },
      },
      config: { scope: 'phones:control' },
    },
    async (request) => {
      await services.webhooks.delete(callerOf(request), request.params.wid)
      return { id: request.params.wid, deleted: true as const }
    },
  )
}

export const rotateWebhook: Route = (app, { services }) => {
  app.post(
    '/webhooks/:wid/rotate',
    {
      schema: {
        operationId: 'rotateWebhook',
        summary: 'Replace the secret of a webhook',
        description:
          'For a day, requests have two signatures: by the new secret and by the previous secret. Another rotation within that day ends the oldest secret.',
        tags: ['events'],
        params: webhookParams,
        headers: postHeaders,
        body: noBody,
        response: { 200: webhookWithSecretSchema, ...describeErrors(...write, 'webhook_not_found') },
      },
      config: { scope: 'phones:control' },
    },
    async (request) => {
      const { webhook, secret } = await services.webhooks.rotate(callerOf(request), request.params.wid)
      return { ...webhookJson(webhook), secret }
    },
  )
}
