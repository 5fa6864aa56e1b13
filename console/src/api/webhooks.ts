/** Webhooks of a project, and the deliveries of one. */
import { call } from './client'

export interface Webhook {
  id: string
  /** Hostile text, like the description: other members wrote it. */
  url: string
  description: string | null
  /** Null: all types. */
  events: string[] | null
  enabled: boolean
  /** `is_after_failures`: attempts failed for three days. */
  switched_off: { at: string; is_after_failures: boolean } | null
  /** False: the server cannot read the secret, and deliveries fail until it is rotated. */
  is_secret_readable: boolean
  failing_since: string | null
  /** The time until which the previous secret is valid too. */
  earlier_secret_expires_at: string | null
  created_at: string
}

export interface WebhookList {
  data: Webhook[]
  /** The number of webhooks that a project may have. */
  most: number
  /** All types of events. */
  types: string[]
}

/** `secret` is never shown again. */
export type WithSecret = Webhook & { secret: string }

export interface WebhookFields {
  url: string
  events: string[] | null
  description: string | null
}

export interface Delivery {
  id: string
  event: string
  type: string
  status: 'pending' | 'succeeded' | 'failed'
  attempts: number
  created_at: string
  last_attempt_at: string | null
  next_attempt_at: string | null
  /** The response to the last attempt. The body is hostile text, cut after 2,000 characters. */
  response: { status: number; body: string } | null
  duration_ms: number | null
  error: string | null
}

export interface DeliveryPage {
  data: Delivery[]
  next_cursor: string | null
}

const all = (project: string): string => `/projects/${encodeURIComponent(project)}/webhooks`
const one = (project: string, id: string): string => `${all(project)}/${encodeURIComponent(id)}`

export const listWebhooks = (project: string) => call<WebhookList>('GET', all(project))
export const createWebhook = (project: string, fields: WebhookFields) =>
  call<WithSecret>('POST', all(project), fields)
export const changeWebhook = (project: string, id: string, fields: WebhookFields) =>
  call<Webhook>('PATCH', one(project, id), fields)
export const switchWebhook = (project: string, id: string, enabled: boolean) =>
  call<Webhook>('PUT', `${one(project, id)}/enabled`, { enabled })
export const rotateWebhook = (project: string, id: string) =>
  call<WithSecret>('POST', `${one(project, id)}/rotate`, {})
export const testWebhook = (project: string, id: string) =>
  call<Delivery>('POST', `${one(project, id)}/test`, {})
export const deleteWebhook = (project: string, id: string) => call('DELETE', one(project, id))
export const listDeliveries = (project: string, id: string, cursor: string | null) =>
  call<DeliveryPage>(
    'GET',
    `${one(project, id)}/deliveries${cursor === null ? '' : `?${new URLSearchParams({ cursor }).toString()}`}`,
  )
export const sendAgain = (project: string, id: string, delivery: string) =>
  call<Delivery>('POST', `${one(project, id)}/deliveries/${encodeURIComponent(delivery)}/retry`, {})
