/** Links to pay by, and payments, against a stand-in of the provider's API that the real client library calls. */
import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import { type AddressInfo } from 'node:net'
import Stripe from 'stripe'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { brokenInvariants } from '../testing/money.js'
import { startWorld, type Plane, type Tenant, type World } from '../testing/world.js'

const secretKey = 'sk_test_of_this_test'
const webhookSecret = 'whsec_of_this_test'

/** What the provider was asked for, and how it answers next. */
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
/** A webhook as the provider sends it. */
function tell(session: object, change: { type?: string; secret?: string; at?: number; path?: Plane } = {}) {
  const payload = JSON.stringify({
    id: 'evt_1',
    object: 'event',
    type: change.type ?? 'checkout.session.completed',
    data: { object: session },
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
const paid = (checkoutId: string, cents: number, more: object = {}) => ({
  object: 'checkout.session',
  client_reference_id: checkoutId,
  payment_status: 'paid',
  amount_subtotal: cents,
  amount_total: cents + 190,
  currency: 'usd',
  ...more,
})
const lastCheckout = () => asked.at(-1)?.form.get('client_reference_id') ?? ''

it('gives a page of the provider for the amount, and adds nothing until it is paid', async () => {
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
  const { baseUrl } = plane.config.http
  expect([form.get('success_url'), form.get('cancel_url')]).toEqual([
    `${baseUrl}/checkout/paid`,
    `${baseUrl}/checkout/cancelled`,
  ])
  for (const page of ['paid', 'cancelled'])
    expect((await plane.server.inject(`/checkout/${page}`)).statusCode).toBe(200)
  expect(await balanceOf(tenant)).toBe(before)
})

it.each([9, 1001, 10.5, '10', null])('refuses %j dollars', async (amount) => {
  const refused = await create(await plane.tenant(), { amount_usd: amount })
  expect([refused.statusCode, codeOf(refused)]).toEqual([400, 'validation_failed'])
})

it.each([10, 1000])('takes %i dollars', async (amount) => {
  const made = await create(await plane.tenant(), { amount_usd: amount })
  expect(made.json()).toMatchObject({ amount_usd: amount })
})

it('is for keys that may control phones, and another field is refused', async () => {
  const reader = await create(await plane.tenant({ preset: 'read-only' }))
  expect([reader.statusCode, codeOf(reader)]).toEqual([403, 'insufficient_scope'])
  expect(codeOf(await create(await plane.tenant(), { currency: 'eur' }))).toBe('validation_failed')
})

it('says so where payments are not configured', async () => {
  const tenant = await bare.tenant()
  const refused = await create(tenant, undefined, bare)
  expect([refused.statusCode, codeOf(refused)]).toEqual([503, 'billing_not_configured'])
  expect((await tell(paid('chk_aaaaaaaaaaaa', 1000), { path: bare })).statusCode).toBe(503)
})

it('adds a payment once, however often and wherever it is told', async () => {
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

it('adds nothing for what it did not ask for, and refuses what the provider did not sign', async () => {
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

it('gives ten links within the hour, exactly, over two replicas', async () => {
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
    data: { createdAt: new Date(Date.now() - 3_600_001) },
  })
  expect((await create(tenant)).statusCode).toBe(201)
})

it('tells a provider that refuses from one that is away, and counts no link that it refused', async () => {
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
