/** Implements `WebhookService`. */
import { ApiError, isId, limits, newId } from '@phonerack/shared'
import { type Caller } from '../../base/core/caller.js'
import { type Core } from '../../base/core/core.js'
import { inTenantTransaction } from '../../base/core/tenant-transaction.js'
import { type Tx } from '../../base/db/database.js'
import { type Webhook } from '../../gen/prisma/client.js'
import { type ServiceKey } from '../../base/pki/service-key.js'
import { validationFailed } from '../../base/validation/validation-error.js'
import { addNextJob, lockWebhook } from './jobs.js'
import { ownAddresses } from './own-addresses.js'
import {
  checkByHand,
  deliveryView,
  disableIn,
  findWebhook,
  isByHand,
  testDelivery,
  webhookNotFound,
  webhooksRequest,
  webhookView,
  type DeliveryRow,
} from './records.js'
import { noFailures } from './schedule.js'
import { sealSecret, secretsOf } from './secrets.js'
import { newWebhookSecret } from './sign.js'
import { type WebhookChange, type WebhookService, type WebhookView } from './types.js'
import { hostOnly } from '../../base/host-only.js'
import { urlProblem, type UrlRules } from './url.js'

const { perProject, earlierSecretLife } = limits.webhooks

/**
 * Hides the path of the URL from a caller with read-only rights, since the URL often contains a token of the receiver.
 */
const shown = ({ scopes }: Caller, webhook: WebhookView): WebhookView =>
  scopes.includes('phones:control') ? webhook : { ...webhook, url: hostOnly(webhook.url) }

export function createWebhookService(core: Core, key: ServiceKey, rules: UrlRules): WebhookService {
  /** Refuses keys limited to certain phones, since webhooks get events of the whole project. */
  const check = ({ phoneIds }: Caller): void => {
    if (phoneIds !== null)
      throw new ApiError('phone_not_allowed', {
        message: 'The API key is limited to certain phones, and webhooks get the events of all phones.',
        next: 'Follow the events of its phones: GET /v1/events',
      })
  }
  const checkUrl = (url: string): void => {
    const problem = urlProblem(url, { ...rules, own: ownAddresses() })
    if (problem !== null)
      throw validationFailed('body', [{ path: ['url'], message: problem, code: 'invalid_url' }])
  }
  const view = (webhook: Webhook) => {
    const now = core.clock.now()
    return webhookView(webhook, secretsOf(key, webhook, now).length > 0, now)
  }

  /** Changes a webhook while holding its lock. */
  const change = async <T>(
    caller: Caller,
    id: string,
    work: (tx: Tx, webhook: Webhook) => Promise<T>,
  ): Promise<T> => {
    check(caller)
    if (!isId('webhook', id)) throw webhookNotFound(id)
    return inTenantTransaction(core, caller, async (tx) => {
      await lockWebhook(tx, id)
      return work(tx, await findWebhook(tx, caller, id))
    })
  }

  return {
    async create(caller, { url, events, description }) {
      check(caller)
      checkUrl(url)
      const id = newId('webhook')
      const secret = newWebhookSecret()
      const webhook = await inTenantTransaction(core, caller, async (tx) => {
        const { projectId, keyId } = caller
        await tx.$queryRaw`select 1 as locked from projects where id = ${projectId} for update`
        if ((await tx.webhook.count({ where: { projectId, deletedAt: null } })) >= perProject)
          throw new ApiError('webhook_limit_reached', {
            details: { limit: perProject },
            next: `Delete a webhook that you do not need (${webhooksRequest}), then send the request again.`,
          })
        return tx.webhook.create({
          data: {
            id,
            projectId,
            keyId,
            url,
            description,
            events: events ?? [],
            createdAt: core.clock.now(),
            secret: sealSecret(key, id, secret),
          },
        })
      })
      return { webhook: view(webhook), secret }
    },

    async list(caller) {
      check(caller)
      const rows = await core.db.webhook.findMany({
        where: { projectId: caller.projectId, deletedAt: null },
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      })
      return rows.map((row) => shown(caller, view(row)))
    },

    async get(caller, id) {
      check(caller)
      return shown(caller, view(await findWebhook(core.db, caller, id)))
    },

    async update(caller, id, changes) {
      if (changes.url !== undefined) checkUrl(changes.url)
      return change(caller, id, async (tx, webhook) => {
        const now = core.clock.now()
        if (changes.enabled === false) await disableIn(tx, webhook.id, now)
        return view(await tx.webhook.update({ where: { id: webhook.id }, data: columnsOf(changes) }))
      })
    },

    async delete(caller, id) {
      // The webhook may have many deliveries, and the numbering of events must not wait for their deletion.
      await change(caller, id, (tx, webhook) =>
        tx.webhook.update({
          where: { id: webhook.id },
          data: {
            deletedAt: core.clock.now(),
            secret: new Uint8Array(0),
            earlierSecret: null,
            earlierSecretUntil: null,
          },
        }),
      )
    },

    async rotate(caller, id) {
      const secret = newWebhookSecret()
      const webhook = await change(caller, id, (tx, { id: found, secret: earlierSecret }) =>
        tx.webhook.update({
          where: { id: found },
          data: {
            secret: sealSecret(key, found, secret),
            earlierSecret,
            earlierSecretUntil: new Date(core.clock.now().getTime() + earlierSecretLife * 1000),
          },
        }),
      )
      return { webhook: view(webhook), secret }
    },

    test(caller, id) {
      return change(caller, id, async (tx, webhook) => {
        const now = core.clock.now()
        await checkByHand(tx, webhook.id)
        const delivery = await tx.webhookDelivery.create({ data: testDelivery(webhook.id, now) })
        await addNextJob(tx, webhook.id, now)
        return deliveryView({ ...delivery, event: null })
      })
    },

    async deliveries(caller, id, { limit, cursor }) {
      check(caller)
      const webhook = await findWebhook(core.db, caller, id)
      const scope = { projectId: caller.projectId, list: `deliveries of ${webhook.id}` }
      const after = core.cursors.decode(scope, cursor)
      const rows = await core.db.webhookDelivery.findMany({
        where: {
          webhookId: webhook.id,
          ...(after
            ? { OR: [{ createdAt: { lt: after.at } }, { createdAt: after.at, id: { lt: after.id } }] }
            : {}),
        },
        include: { event: true },
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
        take: limit + 1,
      })
      return core.cursors.toPage(
        scope,
        rows,
        limit,
        (row) => ({ at: row.createdAt, id: row.id }),
        deliveryView,
      )
    },

    retry(caller, id, deliveryId) {
      return change(caller, id, async (tx, webhook) => {
        const found = await findDelivery(tx, webhook.id, deliveryId)
        const now = core.clock.now()
        // A delivery that already waits because a person repeated it does not count again.
        if (found.status !== 'pending' || !isByHand(found)) await checkByHand(tx, webhook.id)
        const delivery = await tx.webhookDelivery.update({
          where: { id: found.id },
          // The outcome of an attempt in progress is not recorded, since the attempt belongs to the previous round.
          data: { status: 'pending', round: { increment: 1 }, attemptsOfRound: 0, nextAttemptAt: now },
          include: { event: true },
        })
        await addNextJob(tx, webhook.id, now)
        return deliveryView(delivery)
      })
    },
  }
}

async function findDelivery(tx: Tx, webhookId: string, id: string): Promise<DeliveryRow> {
  const found = isId('delivery', id)
    ? await tx.webhookDelivery.findUnique({ where: { id }, include: { event: true } })
    : null
  if (found?.webhookId !== webhookId)
    throw new ApiError('event_not_found', {
      message: 'The webhook has no such delivery, or its event has expired.',
      details: { webhook: webhookId, delivery: id },
      next: `GET /v1/webhooks/${webhookId}/deliveries`,
    })
  return found
}

/** A webhook that is switched on again counts its failures from that time. */
const columnsOf = ({ url, events, description, enabled }: WebhookChange) => ({
  ...(url === undefined ? {} : { url }),
  ...(events === undefined ? {} : { events: events ?? [] }),
  ...(description === undefined ? {} : { description }),
  ...(enabled === true ? { disabledAt: null, ...noFailures } : {}),
})
