/**
 * Checkout links and payments, against a stand-in for the provider's API that the real client library calls.
 */
import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import { type AddressInfo } from 'node:net'
import Stripe from 'stripe'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { duringLock } from '../../testing/lock-waits.js'
import { brokenInvariants } from '../../testing/money.js'
import { changeProject } from '../../testing/operator.js'
import { startWorld, type Plane, type Tenant, type World } from '../../testing/world.js'

const secretKey = 'sk_test_of_this_test'
const webhookSecret = 'whsec_of_this_test'

/** Requests to the provider, and its next response. */
const asked: { authorization: string; idempotencyKey: string; form: URLSearchParams }[] = []
let answer: 'page' | 'refusal' | 'silence' = 'page'

let world: World
let provider: Server
let plane: Plane
let replica: Plane
let bare: Plane
beforeAll(async () => {
  provider = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.once('end', () => {
      asked.push({
        authorization: request.headers.authorization ?? '',
        idempotencyKey: String(request.headers['idempotency-key']),
        form: new URLSearchParams(Buffer.concat(chunks).toString()),
      })
      if (answer === 'silence') {
        request.socket.destroy()
        return
      }
      response.writeHead(answer === 'page' ? 200 : 402, { 'content-type': 'application/json' })
      response.end(
        JSON.stringify(
          answer === 'page'
            ? { id: 'cs_1', object: 'checkout.session', url: `https://pay.test/${asked.length}` }
            : { error: { type: 'invalid_request_error', message: 'no' } },
        ),
      )
    })
  })
  provider.listen(0, '127.0.0.1')
  await once(provider, 'listening')
  const { port } = provider.address() as AddressInfo
  const env = {
    PHONERACK_STRIPE_SECRET_KEY: secretKey,
    PHONERACK_STRIPE_WEBHOOK_SECRET: webhookSecret,
    PHONERACK_STRIPE_URL: `http://127.0.0.1:${port}`,
  }
  world = startWorld()
  plane = await world.start({ env })
  replica = await world.start({ env, beside: plane })
  bare = await world.start()
})
afterAll(async () => {
  await world.stop()
  provider.close()
})

const create = (tenant: Tenant, body?: object, at = plane) =>
  at.server.inject({
    method: 'POST',
    url: '/v1/credits/checkout',
    headers: { authorization: `Bearer ${tenant.key}` },
    ...(body ? { payload: body } : {}),
  })
const codeOf = (response: { json(): unknown }) => (response.json() as { error: { code: string } }).error.code
const balanceOf = async (tenant: Tenant) =>
  (await plane.app.core.db.project.findUniqueOrThrow({ where: { id: tenant.projectId } })).balanceMicros

const stripe = new Stripe(secretKey)
/** Sends a webhook as the provider does. */
function tell(object: object, change: { type?: string; secret?: string; at?: number; path?: Plane } = {}) {
  const payload = JSON.stringify({
    id: 'evt_1',
    object: 'event',
    type: change.type ?? 'checkout.session.completed',
    data: { object },
  })
  const signature = stripe.webhooks.generateTestHeaderString({
    payload,
    secret: change.secret ?? webhookSecret,
    ...(change.at === undefined ? {} : { timestamp: change.at }),
  })
  return (change.path ?? plane).server.inject({
    method: 'POST',
    url: '/webhooks/stripe',
    headers: { 'content-type': 'application/json', 'stripe-signature': signature },
    payload,
  })
}
const paid = (checkoutId: string | null, cents: number, more: object = {}) => ({
  id: `cs_${checkoutId ?? 'none'}`,
  object: 'checkout.session',
  client_reference_id: checkoutId,
  payment_status: 'paid',
  amount_subtotal: cents,
  amount_total: cents + 190,
  currency: 'usd',
  ...more,
})
const lastCheckout = () => asked.at(-1)?.form.get('client_reference_id') ?? ''

it('returns a page of the provider for the amount, and adds nothing until it is paid [2.18, 15.3, 15.5]', async () => {
  const tenant = await plane.tenant()
  const before = await balanceOf(tenant)
  const made = await create(tenant)
  expect(made.statusCode).toBe(201)
  expect(made.json()).toEqual({ url: `https://pay.test/${asked.length}`, amount_usd: 10 })
  const { authorization, idempotencyKey, form } = asked.at(-1) ?? { form: new URLSearchParams() }
  expect(authorization).toBe(`Bearer ${secretKey}`)
  expect(idempotencyKey).toBe(lastCheckout())
  expect(lastCheckout()).toMatch(/^chk_[a-z2-7]{12}$/)
  expect(form.get('line_items[0][price_data][unit_amount]')).toBe('1000')
  expect(form.get('line_items[0][price_data][currency]')).toBe('usd')
  expect(form.get('automatic_tax[enabled]')).toBe('true')
  expect(form.get('adaptive_pricing[enabled]')).toBe('false')
  const { baseUrl } = plane.config.http
  expect([form.get('success_url'), form.get('cancel_url')]).toEqual([
    `${baseUrl}/checkout/paid`,
    `${baseUrl}/checkout/cancelled`,
  ])
  for (const page of ['paid', 'cancelled'])
    expect((await plane.server.inject(`/checkout/${page}`)).statusCode).toBe(200)
  expect(await balanceOf(tenant)).toBe(before)
})

it.each([9, 1001, 10.5, '10', null])('refuses %j dollars [15.2]', async (amount) => {
  const refused = await create(await plane.tenant(), { amount_usd: amount })
  expect([refused.statusCode, codeOf(refused)]).toEqual([400, 'validation_failed'])
})

it.each([10, 1000])('accepts %i dollars [15.1, 20.54]', async (amount) => {
  const made = await create(await plane.tenant(), { amount_usd: amount })
  expect(made.json()).toMatchObject({ amount_usd: amount })
})

it('keeps the second payment of a link for the operator, even when both are reported simultaneously', async () => {
  const tenant = await plane.tenant()
  await create(tenant)
  const checkout = lastCheckout()
  const before = await balanceOf(tenant)
  const intents = [`pi_a_${checkout}`, `pi_b_${checkout}`]
  const answers = await duringLock(plane, { table: 'projects', id: tenant.projectId }, () =>
    intents.map((intent) => tell(paid(checkout, 1000, { id: `cs_${intent}`, payment_intent: intent }))),
  )
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200])
  expect((await balanceOf(tenant)) - before).toBe(10_000_000n)
  const kept = await plane.app.core.db.unmatchedPayment.findMany({ where: { reference: checkout } })
  expect(kept.map(({ reason }) => reason)).toEqual(['the link was already paid'])
})

it('needs a key that may control phones, and refuses another field [15.6]', async () => {
  const reader = await create(await plane.tenant({ preset: 'read-only' }))
  expect([reader.statusCode, codeOf(reader)]).toEqual([403, 'insufficient_scope'])
  expect(codeOf(await create(await plane.tenant(), { currency: 'eur' }))).toBe('validation_failed')
})

it('returns billing_not_configured without payments [15.8, 23.71]', async () => {
  const tenant = await bare.tenant()
  const refused = await create(tenant, undefined, bare)
  expect([refused.statusCode, codeOf(refused)]).toEqual([503, 'billing_not_configured'])
  expect((await tell(paid('chk_aaaaaaaaaaaa', 1000), { path: bare })).statusCode).toBe(503)
})

it('adds a payment once, however often and on any replica it is reported [1.19, 15.4]', async () => {
  const tenant = await plane.tenant()
  const before = await balanceOf(tenant)
  await create(tenant, { amount_usd: 25 })
  const checkout = lastCheckout()
  const unpaid = await tell(paid(checkout, 2500, { payment_status: 'unpaid' }))
  expect([unpaid.statusCode, await balanceOf(tenant)]).toEqual([200, before])
  const told = await Promise.all(
    [plane, replica, plane, replica, plane].map((path, index) =>
      tell(paid(checkout, 2500), {
        path,
        type: index % 2 ? 'checkout.session.async_payment_succeeded' : 'checkout.session.completed',
      }),
    ),
  )
  expect(told.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200, 200])
  expect(await balanceOf(tenant)).toBe(before + 25_000_000n)
  expect(await brokenInvariants(plane.app.core.db)).toEqual([])
})

it('adds nothing for an amount that it did not request, and refuses reports without a valid signature', async () => {
  const tenant = await plane.tenant()
  const before = await balanceOf(tenant)
  await create(tenant, { amount_usd: 10 })
  const checkout = lastCheckout()
  const inSeconds = Math.floor(Date.now() / 1000)
  for (const session of [
    paid('chk_aaaaaaaaaaaa', 1000),
    paid(checkout, 100_000),
    paid(checkout, 1000, { currency: 'eur' }),
  ])
    expect((await tell(session)).statusCode).toBe(200)
  expect((await tell(paid(checkout, 1000), { type: 'checkout.session.expired' })).statusCode).toBe(200)
  expect((await tell(paid(checkout, 1000), { secret: 'whsec_other' })).statusCode).toBe(400)
  expect((await tell(paid(checkout, 1000), { at: inSeconds - 600 })).statusCode).toBe(400)
  const unsigned = await plane.server.inject({ method: 'POST', url: '/webhooks/stripe', payload: {} })
  expect([unsigned.statusCode, codeOf(unsigned)]).toEqual([400, 'validation_failed'])
  expect(await balanceOf(tenant)).toBe(before)
})

it('refuses a webhook before its body when payments are off, or its signature is missing, malformed or old', async () => {
  const now = Math.floor(Date.now() / 1000)
  // The body is larger than a webhook may be: reading it would cause a 413.
  const send = (on: Plane, signature: string | null) =>
    on.server.inject({
      method: 'POST',
      url: '/webhooks/stripe',
      headers: signature === null ? {} : { 'stripe-signature': signature },
      payload: Buffer.alloc(1_000_001),
    })
  const hex = 'a'.repeat(64)
  const off = await send(bare, `t=${now},v1=${hex}`)
  expect([off.statusCode, codeOf(off)]).toEqual([503, 'billing_not_configured'])
  for (const signature of [
    null,
    '',
    'x',
    `t=${now}`,
    `v1=${hex}`,
    `t=${now},v1=a`,
    `t=${now - 301},v1=${hex}`,
  ]) {
    const refused = await send(plane, signature)
    expect([refused.statusCode, codeOf(refused)], String(signature)).toEqual([400, 'validation_failed'])
  }
  expect((await send(plane, `t=${now},v1=${hex}`)).statusCode).toBe(413)
})

it('limits wrong signatures by address alone, and stops reading bodies from that address', async () => {
  const send = (remoteAddress: string) => {
    const headers = { 'stripe-signature': `t=${Math.floor(Date.now() / 1000)},v1=${'a'.repeat(64)}` }
    return plane.server.inject({
      method: 'POST',
      url: '/webhooks/stripe',
      headers,
      remoteAddress,
      payload: '{}',
    })
  }
  const statuses: number[] = []
  // The calendar minute may change during these requests.
  for (let each = 0; each < 130; each++) statuses.push((await send(`2001:db8:9:9::${each}`)).statusCode)
  expect(statuses.slice(0, 60)).toEqual(Array.from({ length: 60 }, () => 400))
  expect(statuses).toContain(429)
  for (let each = 0; each < 60; each++) expect((await send(`203.0.113.${each}`)).statusCode).toBe(400)
  const other = await tell(paid('chk_aaaaaaaaaaaa', 1000))
  expect(other.statusCode).toBe(200)
})

it('allows exactly ten links within the hour, on two replicas [15.7, 20.29]', async () => {
  const tenant = await plane.tenant()
  const made = await Promise.all(
    Array.from({ length: 14 }, (_, index) => create(tenant, undefined, index % 2 ? plane : replica)),
  )
  expect(made.filter(({ statusCode }) => statusCode === 201)).toHaveLength(10)
  const limited = made.filter(({ statusCode }) => statusCode === 429)
  expect(limited).toHaveLength(4)
  for (const response of limited) {
    const seconds = Number(response.headers['retry-after'])
    expect(seconds).toBeGreaterThan(3400)
    expect(seconds).toBeLessThanOrEqual(3600)
  }
  await plane.app.core.db.checkout.updateMany({
    where: { projectId: tenant.projectId },
    data: { createdAt: new Date(Date.now() - 3_660_000) },
  })
  expect((await create(tenant)).statusCode).toBe(201)
})

it('distinguishes a refusal of the provider from an outage, and does not count refused links [23.72]', async () => {
  const tenant = await plane.tenant()
  answer = 'refusal'
  const refused = await create(tenant)
  expect([refused.statusCode, codeOf(refused)]).toEqual([502, 'provider_error'])
  expect(await plane.app.core.db.checkout.count({ where: { projectId: tenant.projectId } })).toBe(0)
  answer = 'silence'
  const away = await create(tenant)
  expect([away.statusCode, codeOf(away)]).toEqual([504, 'provider_timeout'])
  answer = 'page'
  expect((await create(tenant)).statusCode).toBe(201)
})

describe('reversed money', () => {
  let intents = 0
  /** A tenant without credit who paid 25 dollars and 1.90 tax. */
  const payer = async () => {
    const tenant = await plane.tenant({ credit: '0' })
    await create(tenant, { amount_usd: 25 })
    const intent = `pi_${++intents}`
    const checkout = lastCheckout()
    const pay = () => tell(paid(checkout, 2500, { payment_intent: intent }))
    return { tenant, intent, checkout, pay }
  }
  const told = (type: string, object: object, path = plane) => tell(object, { type, path })
  const refunded = (intent: string | null, cents: number, more: object = {}) => ({
    id: `ch_${intent ?? 'none'}`,
    object: 'charge',
    payment_intent: intent,
    amount_refunded: cents,
    currency: 'usd',
    metadata: {},
    ...more,
  })
  const refund = (id: string, intent: string, cents: number, status = 'succeeded') => ({
    id: `re_${id}`,
    object: 'refund',
    payment_intent: intent,
    amount: cents,
    currency: 'usd',
    status,
  })
  const dispute = (intent: string, cents: number, status: string) => ({
    id: `dp_${intent}`,
    object: 'dispute',
    payment_intent: intent,
    amount: cents,
    currency: 'usd',
    status,
  })
  const ledgerOf = async ({ projectId }: Tenant) =>
    (await plane.app.core.db.ledgerEntry.findMany({ where: { projectId }, orderBy: { id: 'asc' } }))
      .filter(({ balanceDelta }) => balanceDelta !== 0n)
      .map(({ kind, balanceDelta }) => [kind, balanceDelta])
  const unmatched = async () => {
    const answer = await plane.operator.inject({
      url: '/operator/v1/payments/unmatched',
      headers: { authorization: `Bearer ${plane.operatorToken}` },
    })
    return answer.json<{ data: Record<string, unknown>[] }>().data
  }

  it('books a refund once and its later parts, and returns one that failed', async () => {
    const { tenant, intent, pay } = await payer()
    await pay()
    const tells = [plane, replica, plane, replica].flatMap((path) => [
      told('charge.refunded', refunded(intent, 1345), path),
      told('refund.created', refund(`${intent}a`, intent, 1345), path),
    ])
    expect((await Promise.all(tells)).map(({ statusCode }) => statusCode)).toEqual(tells.map(() => 200))
    expect(await ledgerOf(tenant)).toEqual([
      ['credit', 25_000_000n],
      ['refund', -12_500_000n],
    ])
    await told('charge.refunded', refunded(intent, 2690))
    expect(await balanceOf(tenant)).toBe(0n)
    await told('refund.failed', refund(`${intent}a`, intent, 1345, 'failed'))
    await told('refund.updated', refund(`${intent}a`, intent, 1345))
    expect(await balanceOf(tenant)).toBe(12_500_000n)
    expect(await brokenInvariants(plane.app.core.db)).toEqual([])
  })

  it('books a chargeback when it begins, and returns the credit when the chargeback is won', async () => {
    const { tenant, intent, pay } = await payer()
    await pay()
    await told('charge.dispute.created', dispute(intent, 2690, 'warning_needs_response'))
    expect(await balanceOf(tenant)).toBe(25_000_000n)
    for (const type of ['charge.dispute.created', 'charge.dispute.funds_withdrawn', 'charge.dispute.updated'])
      await told(type, dispute(intent, 2690, 'needs_response'))
    expect(await balanceOf(tenant)).toBe(0n)
    await told('charge.dispute.closed', dispute(intent, 2690, 'won'))
    await told('charge.dispute.updated', dispute(intent, 2690, 'under_review'))
    expect(await ledgerOf(tenant)).toEqual([
      ['credit', 25_000_000n],
      ['chargeback', -25_000_000n],
      ['chargeback', 25_000_000n],
    ])
    const lost = await payer()
    await lost.pay()
    await told('charge.dispute.closed', dispute(lost.intent, 2690, 'lost'))
    expect(await balanceOf(lost.tenant)).toBe(0n)
  })

  it('lets the balance become negative when reversed credit was spent, and then admits nothing', async () => {
    const { tenant, intent, pay } = await payer()
    await pay()
    await changeProject(plane.app.core, tenant.projectId, { credit_usd: '-20' })
    await told('charge.refunded', refunded(intent, 2690))
    expect(await balanceOf(tenant)).toBe(-20_000_000n)
    const refused = await plane.server.inject({
      method: 'POST',
      url: '/v1/phones',
      headers: { authorization: `Bearer ${tenant.key}` },
    })
    expect(['insufficient_credits', 'capacity_unavailable']).toContain(codeOf(refused))
    expect(await brokenInvariants(plane.app.core.db)).toEqual([])
  })

  it('books a reversal that was reported before its payment, and shows it to operators until the payment', async () => {
    const { tenant, intent, checkout, pay } = await payer()
    await told('charge.refunded', refunded(intent, 2690))
    expect(await unmatched()).toContainEqual(
      expect.objectContaining({ kind: 'charge', payment_intent: intent, cents: 2690, reference: null }),
    )
    await pay()
    expect(await ledgerOf(tenant)).toEqual([
      ['credit', 25_000_000n],
      ['refund', -25_000_000n],
    ])
    expect((await unmatched()).filter((row) => row['payment_intent'] === intent)).toEqual([])
    const old = await payer()
    await tell(paid(old.checkout, 2500))
    await told(
      'charge.refunded',
      refunded('pi_of_no_session', 2690, { metadata: { checkout: old.checkout } }),
    )
    expect(await balanceOf(old.tenant)).toBe(0n)
    expect(checkout).not.toBe(old.checkout)
  })

  it('takes no credit when a second payment of a link, which added none, is refunded', async () => {
    const { tenant, intent, checkout, pay } = await payer()
    const second = `${intent}_second`
    const metadata = { checkout }
    const early = `${intent}_early`
    await told('charge.refunded', refunded(early, 2690, { id: `ch_${early}`, metadata }))
    await pay()
    await tell(paid(checkout, 2500, { id: `cs_${second}`, payment_intent: second }))
    await told('charge.refunded', refunded(second, 2690, { metadata }))
    expect(await balanceOf(tenant)).toBe(25_000_000n)
    expect(await unmatched()).toContainEqual(
      expect.objectContaining({ kind: 'charge', payment_intent: second, reference: checkout }),
    )
    await told('charge.refunded', refunded(intent, 2690, { metadata }))
    expect(await ledgerOf(tenant)).toEqual([
      ['credit', 25_000_000n],
      ['refund', -25_000_000n],
    ])
    expect(await brokenInvariants(plane.app.core.db)).toEqual([])
  })

  it('keeps payments that match no link, each once, with the reason', async () => {
    const { checkout, intent, pay, tenant } = await payer()
    await pay()
    for (const session of [
      paid('chk_aaaaaaaaaaaa', 1000, { id: 'cs_1' }),
      paid('chk_aaaaaaaaaaaa', 1000, { id: 'cs_1' }),
      paid(null, 1000, { id: 'cs_2' }),
      paid(checkout, 100, { id: 'cs_3', payment_intent: intent }),
      paid(checkout, 2500, { id: 'cs_4', currency: 'eur' }),
      paid(checkout, 2500, { id: 'cs_5', payment_intent: 'pi_other' }),
    ])
      expect((await tell(session)).statusCode).toBe(200)
    const rows = (await unmatched()).filter(({ id }) => /^cs_[1-5]$/.test(String(id)))
    expect(Object.fromEntries(rows.map(({ id, reason }) => [id, reason]))).toEqual({
      cs_1: 'the checkout link does not exist',
      cs_2: 'the checkout link does not exist',
      cs_3: 'the amount differs from the 25 dollars of the link',
      cs_4: 'the payment is not in US dollars',
      cs_5: 'the link was already paid',
    })
    expect(rows).toHaveLength(5)
    expect(await balanceOf(tenant)).toBe(25_000_000n)
  })
})
