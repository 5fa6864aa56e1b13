// Money in the console: buying credit, its outlook, spending by day, key and phone, and the ledger.
import { newId } from '@phonerack/shared'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { consoleUser, type ConsoleClient } from '../../../testing/console-client.js'
import { readyPhone } from '../../../testing/ready-phone.js'
import { startStripe, type StripeDouble } from '../../../testing/stripe.js'
import { useWorld, type Plane, type Tenant } from '../../../testing/world.js'

const world = useWorld()
let stripe: StripeDouble
let plane: Plane
beforeAll(async () => {
  stripe = await startStripe()
  plane = await world.start({ env: stripe.env })
  await plane.rack(2)
})
afterAll(() => stripe.close())

const as = async (role: 'viewer' | 'owner', { projectId }: Tenant, at = plane): Promise<ConsoleClient> =>
  (await consoleUser(at, { role, projectId })).client
const pathOf = ({ projectId }: Tenant): string => `/projects/${projectId}`
const buy = (client: ConsoleClient, tenant: Tenant, amount: unknown) =>
  client.ask('POST', `${pathOf(tenant)}/checkouts`, { body: { amount_usd: amount } })

describe('buying credit', () => {
  it('leads to the page of the provider and back to the console, and adds credit once it is confirmed', async () => {
    const tenant = await plane.tenant({ credit: '5' })
    const owner = await as('owner', tenant)
    const { status, body } = await buy(owner, tenant, 25)
    const id = String(body['id'])
    expect([status, body]).toEqual([201, { id, url: `https://pay.test/${stripe.forms.length}` }])
    const form = stripe.forms.at(-1)
    const back = `${plane.config.console.origin}/console/projects/${tenant.projectId}/credit`
    expect([form?.get('success_url'), form?.get('cancel_url')]).toEqual([
      `${back}?paid=${id}`,
      `${back}?cancelled=${id}`,
    ])
    expect(form?.get('line_items[0][price_data][unit_amount]')).toBe('2500')
    const viewer = await as('viewer', tenant)
    const checkout = async () => (await viewer.ask('GET', `${pathOf(tenant)}/checkouts/${id}`)).body
    expect(await checkout()).toMatchObject({
      id,
      amount_usd: '25.000000',
      paid_at: null,
      balance_usd: '5.000000',
    })
    expect(await stripe.pay(plane, id, 2500)).toBe(200)
    expect(await checkout()).toMatchObject({
      paid_at: expect.any(String) as string,
      balance_usd: '30.000000',
    })
    const receipt = await owner.ask('GET', `${pathOf(tenant)}/checkouts/${id}/receipt`)
    expect(receipt.body).toEqual({ url: `https://pay.stripe.com/pi_${id}` })
    expect(
      await plane.app.core.db.auditEntry.findFirst({ where: { target: tenant.projectId } }),
    ).toMatchObject({ action: 'credit.checkout', after: { checkout: id, amount_usd: 25 } })
  })

  it('comes back to the origin at which the payer is signed in', async () => {
    const tenant = await plane.tenant()
    const owner = await as('owner', tenant)
    const origin = new URL(plane.config.http.baseUrl).origin
    expect(origin).not.toBe(plane.config.console.origin)
    const body = { amount_usd: 10 }
    await owner.ask('POST', `${pathOf(tenant)}/checkouts`, { body, headers: { origin } })
    expect(stripe.forms.at(-1)?.get('success_url')).toMatch(new RegExp(`^${origin}/console/`))
  })

  it.each([9, 1001, 10.5, '10', null, undefined])('refuses %j dollars', async (amount) => {
    const tenant = await plane.tenant()
    expect((await buy(await as('owner', tenant), tenant, amount)).status).toBe(400)
  })

  it('hides payments of another project', async () => {
    const [tenant, other] = [await plane.tenant(), await plane.tenant()]
    const { body } = await buy(await as('owner', tenant), tenant, 10)
    const stranger = await as('owner', other)
    for (const id of [String(body['id']), newId('checkout'), '%00'])
      for (const below of ['', '/receipt'])
        expect((await stranger.ask('GET', `${pathOf(other)}/checkouts/${id}${below}`)).status).toBe(404)
  })

  it('is not offered, and refused, where no provider is configured', async () => {
    const bare = await world.start()
    const tenant = await bare.tenant()
    const owner = await as('owner', tenant, bare)
    expect((await owner.ask('GET', pathOf(tenant))).body['purchase']).toBeNull()
    expect((await buy(owner, tenant, 10)).status).toBe(503)
    const seller = await plane.tenant()
    const { body } = await (await as('owner', seller)).ask('GET', pathOf(seller))
    expect(body['purchase']).toEqual({ min_usd: 10, max_usd: 1000, default_usd: 10 })
  })
})

describe('the money of a project', () => {
  let tenant: Tenant
  let viewer: ConsoleClient
  let phone: string
  let spent: unknown
  const read = async (below = '') => (await viewer.ask('GET', `${pathOf(tenant)}${below}`)).body
  beforeAll(async () => {
    tenant = await plane.tenant({ credit: '50' })
    viewer = await as('viewer', tenant)
  })

  it('says how long the credit lasts, from the phones that run', async () => {
    expect(await read()).toMatchObject({
      outlook: { state: 'ok', per_day_usd: '0.000000', lasts_seconds: null },
      available_usd: '50.000000',
    })
    phone = await readyPhone(plane, tenant)
    const { perSecondMicros } = plane.app.core.rules
    const body = await read()
    const left = (body['outlook'] as { lasts_seconds: number }).lasts_seconds
    const all = Number(50_000_000n / perSecondMicros)
    expect(left).toBeLessThan(all)
    expect(left).toBeGreaterThan(all - 600)
    expect(body['outlook']).toMatchObject({ state: left < 86_400 ? 'low' : 'ok' })
    const { projectId } = tenant
    await plane.app.core.db
      .$executeRaw`update projects set balance_micros = reserved_micros where id = ${projectId}`
    expect((await read())['outlook']).toMatchObject({ state: 'empty' })
    await plane.app.core.db.$executeRaw`update projects set balance_micros = 50000000 where id = ${projectId}`
  })

  it('has the cost of ended sessions by day, phone and key', async () => {
    const before = (await read('/usage')) as { days: { cost_usd: string }[] }
    expect(before.days).toHaveLength(30)
    expect(before.days.every(({ cost_usd: cost }) => cost === '0.000000')).toBe(true)
    expect(before).toMatchObject({ phones: [], keys: [] })
    await plane.app.services.phones.park(tenant.caller, phone)
    spent = (await read())['spent_this_month_usd']
    expect(spent).not.toBe('0.000000')
    const key = await plane.app.core.db.apiKey.findUniqueOrThrow({ where: { id: tenant.caller.keyId } })
    const after = (await read('/usage')) as { days: { cost_usd: string }[] }
    expect(after).toMatchObject({
      phones: [{ id: phone, cost_usd: spent }],
      keys: [{ id: key.id, name: key.name, cost_usd: spent }],
    })
    const costly = after.days.filter(({ cost_usd: cost }) => cost !== '0.000000')
    expect(costly).toMatchObject([{ cost_usd: spent }])
  })

  it('is summed over all projects of a user', async () => {
    const { client, userId } = await consoleUser(plane, { role: 'owner', projectId: tenant.projectId })
    const other = await plane.tenant({ credit: '7' })
    const { projectId } = other
    await plane.app.core.db.member.create({
      data: { projectId, userId, role: 'viewer', createdAt: new Date() },
    })
    const { body } = await client.ask('GET', '/spending')
    expect(body['projects']).toMatchObject([
      { id: tenant.projectId, role: 'owner', cost_usd: spent },
      { id: projectId, role: 'viewer', cost_usd: '0.000000', available_usd: '7.000000' },
    ])
    const days = body['days'] as { cost_usd: string }[]
    expect(days).toHaveLength(30)
    expect(days.filter(({ cost_usd: cost }) => cost !== '0.000000')).toMatchObject([{ cost_usd: spent }])
  })

  it('names a user of the console who rented a phone', async () => {
    const { client, userId } = await consoleUser(plane, { role: 'owner', projectId: tenant.projectId })
    const { body } = await client.ask('POST', `${pathOf(tenant)}/phones`, { body: { name: 'mine' } })
    await client.ask('POST', `${pathOf(tenant)}/phones/${String(body['id'])}/park`, { body: {} })
    const { keys } = (await read('/usage')) as { keys: object[] }
    expect(keys).toContainEqual(expect.objectContaining({ id: userId, name: 'Ann Example' }))
  })

  it('lists what changed the balance, in pages, newest first', async () => {
    const first = (await read('/ledger')) as { data: object[]; next_before: null }
    expect(first.data.at(-1)).toMatchObject({ kind: 'credit', amount_usd: '50.000000', phone: null })
    expect(first.data.at(-2)).toMatchObject({
      kind: 'charge',
      phone_id: phone,
      amount_usd: `-${String(spent)}`,
    })
    expect(first.next_before).toBeNull()
    const { projectId } = tenant
    const at = new Date()
    const many = Array.from({ length: 120 }, () => ({ projectId, kind: 'credit', balanceDelta: 1n, at }))
    await plane.app.core.db.ledgerEntry.createMany({ data: many })
    const ids: string[] = []
    let before: string | null = null
    do {
      const page = (await read(before === null ? '/ledger' : `/ledger?before=${before}`)) as {
        data: { id: string }[]
        next_before: string | null
      }
      ids.push(...page.data.map(({ id }) => id))
      before = page.next_before
    } while (before !== null)
    expect(ids).toHaveLength(120 + first.data.length)
    expect(ids.map(Number)).toEqual(ids.map(Number).sort((a, b) => b - a))
    expect((await viewer.ask('GET', `${pathOf(tenant)}/ledger?before=x`)).status).toBe(400)
  })

  it('reads a page of the ledger by its index', async () => {
    const rows = await plane.app.core.db.$transaction(async (tx) => {
      await tx.$executeRaw`set local enable_seqscan = off`
      await tx.$executeRaw`set local enable_sort = off`
      return tx.$queryRaw<{ 'QUERY PLAN': string }[]>`explain select id from ledger
        where project_id = ${tenant.projectId} and balance_delta <> 0 order by id desc limit 101`
    })
    expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain('ledger_project_id_id_idx')
  })
})
