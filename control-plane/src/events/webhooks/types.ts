import { type Caller, type Page, type PageQuery } from '../../base/core/caller.js'
import { type EventType } from '../events/types.js'

export const deliveryStatuses = ['pending', 'succeeded', 'failed'] as const

export type DeliveryStatus = (typeof deliveryStatuses)[number]

/** Why an attempt failed: the receiver did not respond, or its response does not confirm the event. */
export const attemptErrors = [
  /** The status is not from 200 to 299. */
  'status',
  /** The status is from 300 to 399: redirects are not followed. */
  'redirect',
  'timeout',
  'name_not_resolved',
  /** The name resolves to an address that webhooks must not use. */
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
  /** Null means all types. */
  events: string[] | null
  enabled: boolean
  /**
   * The time since which the webhook is switched off, and whether three days of failures caused it; null while it is
   * on.
   */
  switchedOff: { at: Date; isAfterFailures: boolean } | null
  /** False: the installation lost the key that encrypted the secret. Deliveries fail until the secret is rotated. */
  isSecretReadable: boolean
  /** The first failure since the last success; null if the last attempt succeeded, or no attempt was made. */
  failingSince: Date | null
  /** The time until which the previous secret is valid too. */
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
  /** The status of the last attempt. */
  responseStatus: number | null
  responseBody: string | null
  durationMs: number | null
  error: string | null
}

export interface NewWebhook {
  url: string
  /** Null means all types. */
  events: EventType[] | null
  description: string | null
}

/** Omitted fields keep their value. */
export type WebhookChange = Partial<NewWebhook> & { enabled?: boolean }

/**
 * Addresses to which the events of a project are sent. @throws ApiError phone_not_allowed for a key that is limited to
 * phones, webhook_not_found, event_not_found for a delivery, and validation_failed for an address that is not allowed
 */
export interface WebhookService {
  /** Returns the secret, which is shown once. @throws ApiError webhook_limit_reached */
  create(caller: Caller, input: NewWebhook): Promise<{ webhook: WebhookView; secret: string }>
  list(caller: Caller): Promise<WebhookView[]>
  get(caller: Caller, id: string): Promise<WebhookView>
  update(caller: Caller, id: string, change: WebhookChange): Promise<WebhookView>
  delete(caller: Caller, id: string): Promise<void>
  /** Replaces the secret. The previous secret stays valid for a day. */
  rotate(caller: Caller, id: string): Promise<{ webhook: WebhookView; secret: string }>
  /** Sends an event of the type `webhook.test` once, even to a webhook that is switched off. */
  test(caller: Caller, id: string): Promise<DeliveryView>
  /** Lists deliveries, newest first. */
  deliveries(caller: Caller, id: string, query: PageQuery): Promise<Page<DeliveryView>>
  /** Sends the delivery again immediately, with the usual retries. */
  retry(caller: Caller, id: string, deliveryId: string): Promise<DeliveryView>
}
