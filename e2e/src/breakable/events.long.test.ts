/**
 * Events through a webhook and the SDK's stream while the control plane, Postgres and NATS are killed between
 * changes and their deliveries: no event is lost.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Phonerack } from '@phonerack/sdk'
import { expect, inject, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { errorOf } from '../system/api.js'
import { rentOfKind } from '../system/chosen.js'
import { killService, type Service } from '../system/processes.js'
import { eventually, newKey, newTenant, type Tenant } from '../system/tenant.js'
import { createPrivateCa, privateCaIn } from '../system/private-ca.js'
import { startWebhookReceiver } from '../system/webhook-receiver.js'

const wanted = 1000
const killed: readonly Service[] = ['control-plane', 'postgres', 'nats', 'control-plane', 'postgres']

const system = inject('system')
const ca = privateCaIn(inject('authority'))
let tenant: Tenant

const pageSchema = z.object({
  data: z.array(z.object({ id: z.string(), type: z.string() })),
  next_cursor: z.string().nullable(),
})

/** All events of the project, oldest first. */
async function listed(): Promise<{ id: string; type: string }[]> {
  const events: { id: string; type: string }[] = []
  let cursor = ''
  for (;;) {
    const page = pageSchema.parse((await tenant.admin.get(`/v1/events?limit=100${cursor}`)).body)
    events.push(...page.data)
    if (page.next_cursor === null) return events.reverse()
    cursor = `&cursor=${page.next_cursor}`
  }
}

const createdSchema = z.object({ id: z.string(), secret: z.string() })
const deliveriesSchema = z.object({
  data: z.array(z.object({ type: z.string(), status: z.string(), error: z.string().nullable() })),
})

it(
  'sends events over TLS to a receiver with a certificate of a private authority, and refuses other certificates [41.51]',
  { timeout: 300_000 },
  async () => {
    const other = await newTenant(system)
    const foreignDir = await mkdtemp(path.join(tmpdir(), 'phonerack-ca-'))
    const trusted = await startWebhookReceiver(ca.issue('127.0.0.1'))
    const refused = [
      await startWebhookReceiver(createPrivateCa(foreignDir).issue('127.0.0.1')),
      // The server has another certificate.
      await startWebhookReceiver(ca.issue('127.0.0.9')),
    ]
    const sent = await Promise.all(
      [trusted, ...refused].map(async (each) => {
        const created = createdSchema.parse((await other.admin.post('/v1/webhooks', { url: each.url })).body)
        each.secret = created.secret
        await other.admin.post(`/v1/webhooks/${created.id}/test`)
        const read = async () =>
          deliveriesSchema.parse((await other.admin.get(`/v1/webhooks/${created.id}/deliveries`)).body).data
        await eventually('the outcome of a test', 60_000, async () =>
          (await read()).some(({ status }) => status !== 'pending'),
        )
        return read()
      }),
    )
    expect(sent).toEqual([
      [{ type: 'webhook.test', status: 'succeeded', error: null }],
      ...refused.map(() => [{ type: 'webhook.test', status: 'failed', error: 'tls_failed' }]),
    ])
    expect([trusted, ...refused].map(({ events }) => events.size)).toEqual([1, 0, 0])
    for (const each of [trusted, ...refused]) each.close()
    await rm(foreignDir, { recursive: true, force: true })
  },
)

it(
  'delivers 1,000 changes to a webhook and a stream while the control plane, Postgres and NATS are killed [41.57]',
  { timeout: 1_200_000 },
  async () => {
    tenant = await newTenant(system)
    const receiver = await startWebhookReceiver()
    onTestFinished(() => receiver.close())
    const created = await tenant.admin.post('/v1/webhooks', { url: receiver.url })
    expect(created.status).toBe(201)
    receiver.secret = z.object({ secret: z.string() }).parse(created.body).secret

    const phone = await rentOfKind(system, tenant.admin, 'fast')
    onTestFinished(async () => {
      await tenant.admin.request('DELETE', `/v1/phones/${phone.id}`)
    })
    let events = await listed()
    const streamed = events.map(({ id }) => id)
    const client = new Phonerack({
      baseUrl: system.up.base_url,
      apiKey: await newKey(system, tenant.projectId, 'read-only'),
    })
    const leaving = new AbortController()
    onTestFinished(() => leaving.abort())
    const following = (async () => {
      for await (const event of client.events({
        signal: leaving.signal,
        lastEventId: z.string().parse(streamed.at(-1)),
      }))
        streamed.push(event.object === 'gap' ? 'gap' : event.id)
    })().catch((error: unknown) => {
      if (!leaving.signal.aborted) throw error
    })

    const path = `/v1/phones/${phone.id}/handoffs`
    /** Makes two changes. Returns false when a request was not answered with success. */
    const change = async (): Promise<boolean> => {
      const handoff = await tenant.admin.post(path, { message: 'Continue.' })
      // The broker was unavailable for too long, as on a busy machine.
      if (handoff.status === 409 && errorOf(handoff).code === 'phone_not_running')
        await tenant.admin.post(`/v1/phones/${phone.id}/start`)
      const { id } = z.object({ id: z.string().optional() }).parse(handoff.body)
      // A webhook that was created although its request got no answer.
      const current = z
        .object({ error: z.object({ details: z.object({ handoff: z.string().optional() }) }) })
        .safeParse(handoff.body)
      const open = id ?? current.data?.error.details.handoff
      return open !== undefined && (await tenant.admin.request('DELETE', `${path}/${open}`)).status < 300
    }
    const each = wanted / killed.length
    let failures = 0
    for (const [index, service] of killed.entries()) {
      const target = each * (index + 1)
      let killing: Promise<unknown> | null = null
      for (let done = each * index; done < target;) {
        // The change is sent once, since the loop repeats the same change until the service is back.
        if (done === target - 20) killing ??= killService(system, service)
        if (await change().catch(() => false)) done += 2
        else {
          failures += 1
          await new Promise((resolve) => setTimeout(resolve, 200))
        }
      }
      await killing
    }
    const listedIds = (): Set<string> => new Set(events.map(({ id }) => id))
    const missing = (have: { has(id: string): boolean }) => [...listedIds()].filter((id) => !have.has(id))
    const missingNow = () => ({
      listed: events.length,
      webhook: missing(receiver.events),
      stream: missing(new Set(streamed)),
      unlisted: [...receiver.events.keys()].filter((id) => !listedIds().has(id)),
    })
    await eventually(
      'all events at the webhook and in the stream',
      300_000,
      async () => {
        events = await listed()
        const now = missingNow()
        return (
          now.listed >= wanted && [now.webhook, now.stream, now.unlisted].every(({ length }) => length === 0)
        )
      },
      () => JSON.stringify(missingNow()),
    )
    leaving.abort()
    await following
    const twice = [...receiver.events.values()].filter((count) => count > 1).length
    process.stdout.write(
      `events: ${events.length} listed, ${twice} twice at the webhook, ${streamed.length - events.length} twice in the stream, ${failures} failed requests\n`,
    )
    expect(receiver.refused).toBe(0)
    expect(streamed).not.toContain('gap')
    // The events in the order of the phone's changes.
    const first = [...new Set(streamed)]
    expect(first).toEqual(events.map(({ id }) => id))
  },
)
