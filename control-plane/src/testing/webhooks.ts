/** Requests for tests of webhooks, and events for them. */
import { deliverySchema, webhookSchema, webhookWithSecretSchema } from '../api/routes/webhooks/schemas.js'
import { expectConventions } from './api.js'
import { makeDue } from './jobs-by-hand.js'
import { type Receiver } from './receiver.js'
import { eventually, type Plane, type Tenant } from './world.js'

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

export function hooksOf(plane: Plane, tenant: Tenant) {
  const call = (method: Method, path: string, body?: object, { on = plane, key = tenant.key } = {}) =>
    on.server.inject({
      method,
      url: `/v1/webhooks${path}`,
      headers: { authorization: `Bearer ${key}` },
      ...(body ? { payload: body } : {}),
    })
  const deliveries = async (path: string) => {
    const answer = await call('GET', `${path}/deliveries`)
    const { data } = answer.json<{ data: unknown[] }>()
    return data.map((each) => deliverySchema.strict().parse(each))
  }
  return {
    call,
    /** Creates a webhook to the receiver, which gets the webhook's secret. */
    async create(receiver: Receiver, fields: object = {}) {
      const answer = await call('POST', '', { url: receiver.url, ...fields })
      if (answer.statusCode !== 201) throw new Error(answer.body)
      expectConventions(answer)
      const { secret, ...webhook } = webhookWithSecretSchema.strict().parse(answer.json())
      receiver.secrets.push(secret)
      return { ...webhook, secret, path: `/${webhook.id}` }
    },
    /** Commits events of the project. */
    happen: (type = 'balance.low', count = 1) =>
      plane.app.core.db.$queryRaw`
        select write_event(${tenant.projectId}, null, ${type}, '{"balance": {}}')::text as written
        from generate_series(1, ${count}::int)`,
    deliveries,
    /** The deliveries of a webhook, once the first attempt has an outcome. */
    async settled(path: string) {
      await eventually(async () => (await deliveries(path)).some(({ attempts }) => attempts > 0))
      return deliveries(path)
    },
    /** Makes the next attempt of the pending deliveries of a webhook due now. */
    async retryNow(webhookId: string) {
      const { db, clock } = plane.app.core
      const data = { nextAttemptAt: clock.now() }
      await db.webhookDelivery.updateMany({ where: { webhookId, status: 'pending' }, data })
      await makeDue(db, 'webhook.deliver', webhookId)
    },
    read: async (path: string) => webhookSchema.strict().parse((await call('GET', path)).json()),
  }
}

export type Hooks = ReturnType<typeof hooksOf>

/** The waiting and running jobs of a webhook. */
export async function webhookJobs(plane: Plane, webhookId: string): Promise<number> {
  const [row] = await plane.app.core.db.$queryRaw<{ count: number }[]>`select count(*)::int as count
    from graphile_worker._private_jobs where payload ->> 'webhookId' = ${webhookId}`
  return row?.count ?? 0
}
