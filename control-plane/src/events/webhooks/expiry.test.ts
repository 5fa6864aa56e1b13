/** The expiry of tests and of deleted webhooks, on real Postgres. */
import { newId } from '@phonerack/shared'
import { beforeAll, expect, it } from 'vitest'
import { forget } from '../../fleet/jobs/reconcile.js'
import { useWorld, type Plane, type Tenant } from '../../testing/world.js'

const world = useWorld()
let plane: Plane
let tenant: Tenant
beforeAll(async () => {
  plane = await world.start()
  tenant = await plane.tenant()
})

const old = new Date(Date.now() - 8 * 86_400_000)

async function createWebhook(deletedAt: Date | null): Promise<string> {
  const id = newId('webhook')
  await plane.app.core.db.webhook.create({
    data: {
      id,
      projectId: tenant.projectId,
      keyId: 'k',
      url: 'https://agents.example.com',
      events: [],
      secret: Buffer.from('a'),
      createdAt: old,
      deletedAt,
    },
  })
  return id
}

const addTests = (webhookId: string, count: number, createdAt: Date) =>
  plane.app.core.db.webhookDelivery.createMany({
    data: Array.from({ length: count }, () => ({
      id: newId('delivery'),
      webhookId,
      status: 'succeeded',
      createdAt,
      testEvent: { id: newId('event'), type: 'webhook.test', createdAt, data: {} },
    })),
  })

it('deletes the rest of what has expired when the tests cannot be deleted', async () => {
  const { db } = plane.app.core
  const [kept, deleted, empty] = [
    await createWebhook(null),
    await createWebhook(old),
    await createWebhook(old),
  ]
  await addTests(kept, 3, old)
  await addTests(kept, 2, new Date())
  await addTests(deleted, 3, new Date())
  const count = (webhookId: string) => db.webhookDelivery.count({ where: { webhookId } })
  await db.$executeRawUnsafe(`create function refuse() returns trigger language plpgsql as $$
    begin if old.webhook_id = '${kept}' then raise exception 'refused'; end if; return old; end $$`)
  await db.$executeRawUnsafe(
    'create trigger refuses before delete on webhook_deliveries for each row execute function refuse()',
  )
  try {
    await expect(forget(plane.app.core)).rejects.toThrow('tests of webhooks')
  } finally {
    await db.$executeRawUnsafe('drop function refuse() cascade')
  }
  expect(await count(deleted)).toBe(0)
  expect(await db.webhook.count({ where: { id: empty } })).toBe(0)
  expect(await count(kept)).toBe(5)
  await forget(plane.app.core)
  expect(await count(kept)).toBe(2)
})

it('finds tests that have expired without reading the others', async () => {
  const { db } = plane.app.core
  const id = await createWebhook(null)
  for (let each = 0; each < 3; each += 1) await addTests(id, 1000, new Date())
  await db.$executeRaw`analyze webhook_deliveries`
  const plan = await db.$queryRaw<object[]>`explain select id from webhook_deliveries
    where event_number is null and created_at < ${old}`
  expect(JSON.stringify(plan)).toContain('webhook_deliveries_tests')
})
