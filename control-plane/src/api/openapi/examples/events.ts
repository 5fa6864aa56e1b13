/** Examples of events, webhooks and deliveries. */
import { type EventJson } from '../../../events/events/types.js'
import { frameOf, streamHead } from '../../routes/events/sse.js'
import { type DeliveryJson, type WebhookJson } from '../../routes/webhooks/schemas.js'
import { ids } from './ids.js'
import { one, type OperationExamples } from './kinds.js'

const ready: EventJson = {
  id: ids.event,
  object: 'event',
  type: 'phone.ready',
  created_at: '2026-11-21T12:49:43.512Z',
  phone_id: ids.phone,
  data: {
    phone: {
      id: ids.phone,
      name: 'checkout test',
      status: 'ready',
      previous_status: 'creating',
      metadata: { run: '412' },
      failure: null,
    },
  },
}
const ended: EventJson = {
  id: ids.otherEvent,
  object: 'event',
  type: 'session.ended',
  created_at: '2026-11-21T12:58:10.902Z',
  phone_id: ids.phone,
  data: {
    session: {
      id: ids.session,
      started_at: '2026-11-21T12:49:31.020Z',
      ready_at: '2026-11-21T12:49:43.512Z',
      ended_at: '2026-11-21T12:58:10.884Z',
      end_reason: 'idle',
      billed_seconds: 520,
      cost_usd: '0.520000',
      reserved_usd: '0.900000',
    },
  },
}

const webhook: WebhookJson = {
  object: 'webhook',
  id: ids.webhook,
  url: 'https://agents.example.com/phonerack',
  description: 'Starts the next test.',
  events: ['phone.ready', 'phone.failed', 'handoff.done'],
  enabled: true,
  failing_since: null,
  earlier_secret_expires_at: null,
  created_at: '2026-11-21T12:40:02.117Z',
}
const secret = 'whsec_Zk7vQ2xTnW4mC9yBdR5HgLs8PfUoEa3iXJ6NqtVhKb0='
const failing: WebhookJson = { ...webhook, failing_since: '2026-11-21T12:49:44.020Z' }
const rotated: WebhookJson = { ...webhook, earlier_secret_expires_at: '2026-11-22T13:00:00.000Z' }

const delivered: DeliveryJson = {
  object: 'delivery',
  id: ids.delivery,
  webhook: ids.webhook,
  event: ids.event,
  type: 'phone.ready',
  status: 'succeeded',
  attempts: 2,
  created_at: '2026-11-21T12:49:43.530Z',
  last_attempt_at: '2026-11-21T12:49:49.031Z',
  next_attempt_at: null,
  response: { status: 204, body: '' },
  duration_ms: 84,
  error: null,
}
const pending: DeliveryJson = {
  ...delivered,
  status: 'pending',
  attempts: 0,
  last_attempt_at: null,
  next_attempt_at: '2026-11-21T12:49:43.530Z',
  response: null,
  duration_ms: null,
}
const test: DeliveryJson = { ...pending, type: 'webhook.test' }
const failed: DeliveryJson = {
  ...delivered,
  status: 'pending',
  attempts: 1,
  next_attempt_at: '2026-11-21T12:49:48.910Z',
  response: { status: 502, body: 'Bad gateway' },
  error: 'status',
}

export const eventExamples: Record<string, OperationExamples> = {
  listEvents: {
    answers: { 200: one('page', 'Newest first', { data: [ended, ready], next_cursor: null }) },
    text: one(
      'stream',
      'A stream of two events',
      streamHead + frameOf({ kind: 'event', event: ready }) + frameOf({ kind: 'event', event: ended }),
    ),
  },
  createWebhook: {
    body: {
      some: {
        summary: 'Some types of events',
        value: { url: webhook.url, events: webhook.events, description: webhook.description },
      },
      all: { summary: 'All events', value: { url: webhook.url } },
    },
    answers: { 201: one('created', 'With its secret, once', { ...webhook, secret }) },
  },
  listWebhooks: { answers: { 200: one('webhooks', 'One webhook', { data: [webhook] }) } },
  getWebhook: { answers: { 200: one('failing', 'The last attempt failed', failing) } },
  updateWebhook: {
    body: {
      off: { summary: 'Switch it off', value: { enabled: false } },
      types: { summary: 'Other types of events', value: { events: ['phone.ready'] } },
    },
    answers: { 200: one('off', 'Switched off', { ...webhook, enabled: false }) },
  },
  deleteWebhook: { answers: { 200: one('deleted', 'Deleted', { id: ids.webhook, deleted: true }) } },
  rotateWebhook: { answers: { 200: one('rotated', 'With its new secret, once', { ...rotated, secret }) } },
  testWebhook: { answers: { 202: one('pending', 'Not sent yet', test) } },
  listDeliveries: {
    answers: { 200: one('page', 'Newest first', { data: [failed, delivered], next_cursor: null }) },
  },
  retryDelivery: { answers: { 202: one('pending', 'Not sent yet', pending) } },
}
