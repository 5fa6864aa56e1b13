/** Addresses to which the service sends events. */
import type { Connection } from './connection.js'
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listDeliveries,
  listWebhooks,
  retryDelivery,
  rotateWebhook,
  testWebhook,
  updateWebhook,
} from './generated/sdk.gen.js'
import type {
  CreateWebhookBody,
  Delivery,
  UpdateWebhookBody,
  Webhook,
  WebhookWithSecret,
} from './generated/types.gen.js'
import { Pages } from './pages.js'
import type { CallOptions } from './transport.js'

export type NewWebhook = CreateWebhookBody
export type WebhookChange = UpdateWebhookBody

export class Webhooks {
  constructor(private readonly connection: Connection) {}

  /** Returns the webhook with its secret, which is not shown again. */
  create(webhook: NewWebhook, options: CallOptions = {}): Promise<WebhookWithSecret> {
    return createWebhook({ ...this.connection.sending(options), body: webhook })
  }

  async list(options: CallOptions = {}): Promise<Webhook[]> {
    return (await listWebhooks({ ...this.connection.sending(options) })).data
  }

  get(id: string, options: CallOptions = {}): Promise<Webhook> {
    return getWebhook({ ...this.connection.sending(options), path: { wid: id } })
  }

  /** Omitted fields keep their value. */
  update(id: string, change: WebhookChange, options: CallOptions = {}): Promise<Webhook> {
    return updateWebhook({ ...this.connection.sending(options), path: { wid: id }, body: change })
  }

  async delete(id: string, options: CallOptions = {}): Promise<void> {
    await deleteWebhook({ ...this.connection.sending(options), path: { wid: id } })
  }

  /** Replaces the secret. The previous secret stays valid for a day. */
  rotate(id: string, options: CallOptions = {}): Promise<WebhookWithSecret> {
    return rotateWebhook({ ...this.connection.sending(options), path: { wid: id } })
  }

  /** Sends an event of the type `webhook.test`, once. */
  test(id: string, options: CallOptions = {}): Promise<Delivery> {
    return testWebhook({ ...this.connection.sending(options), path: { wid: id } })
  }

  /** Newest first. */
  deliveries(id: string, options: CallOptions = {}): Pages<Delivery, Delivery> {
    const read = (cursor: string | undefined, limit?: number) =>
      listDeliveries({ ...this.connection.sending(options), path: { wid: id }, query: { cursor, limit } })
    return new Pages(read, (delivery) => delivery)
  }

  /** Sends a delivery again. */
  retry(id: string, deliveryId: string, options: CallOptions = {}): Promise<Delivery> {
    const path = { wid: id, did: deliveryId }
    return retryDelivery({ ...this.connection.sending(options), path })
  }
}
