import { type Caller, type Page, type PageQuery } from '../../base/core/caller.js'
import { type EventType } from '../events/types.js'

export const deliveryStatuses = ['pending', 'succeeded', 'failed'] as const

export type DeliveryStatus = (typeof deliveryStatuses)[number]

/** Why an attempt failed, without a response of the receiver or because of it. */
export const attemptErrors = [
  /** A status other than 200 to 299. */
  'status',
  /** A status of 300 to 399: redirects are not followed. */
  'redirect',
  'timeout',
  'name_not_resolved',
  /** The name has an address that webhooks must not use. */
  'address_not_allowed',
  'connection_refused',
  'connection_failed',
  'tls_failed',
  /** The webhook was switched off. */
  'webhook_disabled',
  /** The installation lost its keys: rotate the secret. */
  'secret_unreadable',
] as const

export type AttemptError = (typeof attemptErrors)[number]

export interface WebhookView {
  id: string
  url: string
  description: string | null
  /** Null: all types. */
  events: string[] | null
  enabled: boolean
  /** Since when it is switched off, and whether failures of three days did it; null: it is on. */
  switchedOff: { at: Date; isAfterFailures: boolean } | null
  /** False: the installation lost the keys with which the secret was encrypted. Its deliveries fail until it is rotated. */
  isSecretReadable: boolean
  /** The first failure since the last success; null: the last attempt succeeded, or there was none. */
  failingSince: Date | null
  /** Until when the secret before the last rotation is valid too. */
  earlierSecretUntil: Date | null
  createdAt: Date
}

export interface DeliveryView {
  id: string
  webhook: string
  /** The ID of the event. */
  event: string
  type: string
  status: DeliveryStatus
  attempts: number
  createdAt: Date
  lastAttemptAt: Date | null
  nextAttemptAt: Date | null
  /** The last attempt's. */
  responseStatus: number | null
  responseBody: string | null
  durationMs: number | null
  error: string | null
}

export interface NewWebhook {
  url: string
  /** Null: all types. */
  events: EventType[] | null
  description: string | null
}

/** Left-out fields keep their value. */
export type WebhookChange = Partial<NewWebhook> & { enabled?: boolean }

/**
 * Addresses to which the events of a project are sent. @throws ApiError phone_not_allowed for a key that is limited to
 * phones, webhook_not_found, event_not_found for a delivery, and validation_failed for an address that is not allowed
 */
export interface WebhookService {
  /** The secret is shown once. @throws ApiError webhook_limit_reached */
  create(caller: Caller, input: NewWebhook): Promise<{ webhook: WebhookView; secret: string }>
  list(caller: Caller): Promise<WebhookView[]>
  get(caller: Caller, id: string): Promise<WebhookView>
  update(caller: Caller, id: string, change: WebhookChange): Promise<WebhookView>
  delete(caller: Caller, id: string): Promise<void>
  /** Replaces the secret. The earlier one stays valid for a day. */
  rotate(caller: Caller, id: string): Promise<{ webhook: WebhookView; secret: string }>
  /** Sends an event of the type `webhook.test` once, also to a webhook that is switched off. */
  test(caller: Caller, id: string): Promise<DeliveryView>
  /** Newest first. */
  deliveries(caller: Caller, id: string, query: PageQuery): Promise<Page<DeliveryView>>
  /** Sends it again now, with the usual retries. */
  retry(caller: Caller, id: string, deliveryId: string): Promise<DeliveryView>
}
