/**
 * Clients that are killed during a call, and control planes that are killed while calls of clients run: no phone that nobody
 * knows of, no repeated action, no session that nobody asked for. Each client is a process of its own behind a relay that
 * holds answers back. The checks read the database and the journal of the host agent. The tests build on each other.
 */
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Phonerack, type, type Action } from '@phonerack/sdk'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { forLater } from './system/api.js'
import { cliClient } from './system/clients/cli-client.js'
import type { Outcome } from './system/clients/client.js'
import { Customer } from './system/clients/customer.js'
import { hasHttpx, pythonClient, typescriptClient } from './system/clients/line-client.js'
import { mcpClient } from './system/clients/mcp-client.js'
import { databaseUrl } from './system/database.js'
import { holdAnswers } from './system/held-answers.js'
import { openInvariants } from './system/invariants.js'
import { openRecords, type Records } from './system/records.js'
import { startTwoReplicas, type TwoReplicas } from './system/replica.js'
import { eventually, newKey, newTenant } from './system/tenant.js'

/** Milliseconds; generous for a loaded machine. */
const patience = 60_000
const limit = { timeout: 3 * patience }
const pythonKind = pythonClient('sync')
const kinds = [typescriptClient(), pythonKind, cliClient, mcpClient]

let service: TwoReplicas
let home: string
let direct: Phonerack
let records: Records
let customers: Customer[] = []
let isPythonMissing: boolean

beforeAll(async () => {
  isPythonMissing = !(await hasHttpx())
  // The second test that creates phones needs some while those of the first one are wiped.
  service = await startTwoReplicas(2 * kinds.length)
  records = await openRecords(service.system)
  home = await mkdtemp(path.join(tmpdir(), 'phonerack-killed-'))
  const { projectId } = await newTenant(service.system)
  const apiKey = await newKey(service.system, projectId, 'admin')
  direct = new Phonerack({ apiKey, baseUrl: service.url, maxRetries: 10 })
  customers = await Promise.all(
    kinds
      .filter((kind) => !(isPythonMissing && kind === pythonKind))
      .map(async (kind) => {
        const relay = await holdAnswers(Number(new URL(service.url).port))
        return Customer.open(kind, relay, { baseUrl: service.url, apiKey, home })
      }),
  )
})
afterAll(async () => {
  for (const each of customers) await each.close()
  await records.close()
  await service.close()
  await rm(home, { recursive: true })
})

/** A text that no screen has yet. */
const newText = (): string => `k${randomUUID().slice(0, 6)}x`
const typed = (text: string): Action => type(text, { into: { id: 'title' } })
const done = (phone: string | null): Outcome => ({ phone, failure: null })

describe.concurrent.each(kinds)('$name, killed during a call', limit, (kind) => {
  let customer: Customer
  let id: string
  beforeEach(({ skip }) => {
    skip(isPythonMissing && kind === pythonKind, 'missing: python3-httpx')
    const found = customers.find((each) => each.kind === kind)
    if (found) customer = found
  })

  it.sequential('leaves one phone of a create, which its key returns again', async () => {
    const marker = randomUUID()
    const call = { metadata: { marker }, key: `key-${marker}` }
    const before = customer.arrivals('create')
    await customer.killDuring(
      () => customer.client.create(call),
      async () => (await records.phonesWith(marker)).length > 0,
    )
    expect(customer.arrivals('create')).toBe(before + 1)
    id = (await records.phonesWith(marker))[0] ?? ''
    await customer.startAgain()
    expect(await customer.client.create(call)).toEqual(done(id))
    expect(await records.phonesWith(marker)).toEqual([id])
    expect(await records.sessionsOf(id)).toHaveLength(1)
    customer.phone = await direct.phones.get(id)
    await customer.phone.waitUntilReady()
  })

  it.sequential('leaves one run of a batch, and a phone that takes the next one', async () => {
    const { phone } = customer
    await customer.openNote()
    const [text, next] = [newText(), newText()]
    const [batches, sessions] = [await records.batchesOn(id), await records.sessionsOf(id)]
    const before = customer.arrivals('act', id)
    await customer.killDuring(
      () => customer.client.act(id, [typed(text), { type: 'wait', ms: 1000 }]),
      async () => (await phone.observe()).text.includes(text),
    )
    expect(customer.arrivals('act', id)).toBe(before + 1)
    await customer.startAgain()
    expect(await customer.client.observe(id)).toEqual(done(null))
    expect(await customer.client.act(id, [typed(next)])).toEqual(done(null))
    expect((await phone.observe()).text).toContain(`"${text}${next}"`)
    expect(await records.batchesOn(id)).toBe(batches + 2)
    expect(await records.sessionsOf(id)).toEqual(sessions)
  })

  it.sequential('leaves one start, which only another start renews', async () => {
    await parked(customer)
    const earlier = await records.sessionsOf(id)
    const before = customer.arrivals('start', id)
    await customer.killDuring(
      () => customer.client.start(id, 900),
      async () => (await records.sessionsOf(id)).length > earlier.length,
    )
    expect(customer.arrivals('start', id)).toBe(before + 1)
    const started = await records.sessionsOf(id)
    expect(started).toHaveLength(earlier.length + 1)
    await (await customer.phone.refresh()).waitUntilReady()
    await customer.startAgain()
    expect(await customer.client.observe(id)).toEqual(done(null))
    expect(await records.sessionsOf(id)).toEqual(started)

    expect(await customer.client.start(id, 900)).toEqual(done(id))
    const renewed = await records.sessionsOf(id)
    expect(renewed).not.toEqual(started)
    expect(renewed.map((each) => each.id)).toEqual(started.map((each) => each.id))
  })
})

async function parked({ phone }: Customer): Promise<void> {
  await phone.park()
  await phone.waitUntilParked()
}

describe('a control plane that is killed during calls of all clients', limit, () => {
  beforeAll(async () => {
    for (const phone of await direct.phones.list().toArray()) await phone.delete()
  })
  beforeEach(() => service.ready())

  /** Of a write that the client does not repeat. */
  const unknown = { code: 'connection_failed', isUnknown: true, retryable: false }

  interface Call {
    customer: Customer
    send: () => Promise<Outcome | null>
    /** Whether the control plane can be killed now. */
    isTime: () => Promise<boolean>
  }

  /** Sends a call of each client, and kills the control plane before any answer arrives. */
  async function callDuringKill<C extends Call>(
    calls: readonly C[],
    left: 'other' | 'none' = 'other',
  ): Promise<(C & { outcome: Outcome })[]> {
    for (const { customer } of calls) void customer.relay.hold(0)
    const outcomes = calls.map(({ send }) => forLater(send()))
    const arrived = calls.map(({ customer, isTime }) =>
      eventually(`${customer.kind.name} to arrive`, patience, isTime),
    )
    try {
      await Promise.all(arrived)
      await service.kill(left)
      const cut = calls.map(async ({ customer: { relay } }) => {
        await relay.disconnected()
        relay.pass()
      })
      await Promise.all(cut)
    } finally {
      for (const { customer } of calls) customer.relay.pass()
    }
    return Promise.all(
      calls.map(async (call, at) => ({
        ...call,
        outcome: await answered(outcomes[at] ?? Promise.resolve(null)),
      })),
    )
  }

  async function answered(call: Promise<Outcome | null>): Promise<Outcome> {
    const outcome = await call
    if (outcome === null) throw new Error('the client was killed')
    return outcome
  }

  /** The phone with this marker, and its session, are the only ones. */
  async function expectOnly(marker: string, { kind }: Customer, { phone, failure }: Outcome): Promise<void> {
    expect(failure, kind.name).toBeNull()
    expect(await records.phonesWith(marker), kind.name).toEqual([phone])
    expect(await records.sessionsOf(phone ?? ''), kind.name).toHaveLength(1)
  }

  /** A create with a marker. An agent chooses its key; the other clients make one. */
  const createOf = (customer: Customer) => {
    const marker = randomUUID()
    const key = customer.kind.repeatsCreates ? {} : { key: `key-${marker}` }
    return { customer, marker, create: { metadata: { marker }, ...key } }
  }

  it('creates one phone for a create that is repeated with its key at the other control plane', async () => {
    const calls = customers.map((customer) => {
      const [before, keysBefore] = [customer.arrivals('create'), customer.relay.keys().length]
      const { create, marker } = createOf(customer)
      return {
        ...{ customer, create, marker, keysBefore },
        send: () => customer.client.create(create),
        isTime: () => Promise.resolve(customer.arrivals('create') > before),
      }
    })
    for (const { customer, create, marker, keysBefore, outcome } of await callDuringKill(calls)) {
      const { kind, client, relay } = customer
      let last = outcome
      if (kind.repeatsCreates) {
        const [first, ...others] = relay.keys().slice(keysBefore)
        expect(others, kind.name).toEqual([first])
      } else {
        expect(outcome.failure, kind.name).toEqual({ ...unknown, key: null })
        last = await answered(client.create(create))
      }
      await expectOnly(marker, customer, last)
      customer.phone = await direct.phones.get(last.phone ?? '')
      await customer.phone.waitUntilReady()
    }
  })

  it('returns the phone of a create for the key of its error, after no control plane was there', async () => {
    await eventually('free phones', patience, async () => (await records.freeDevices()) >= customers.length)
    const calls = customers.map((customer) => {
      const { create, marker } = createOf(customer)
      return {
        ...{ customer, create, marker },
        send: () => customer.client.create(create),
        isTime: async () => (await records.phonesWith(marker)).length > 0,
      }
    })
    const failed = await callDuringKill(calls, 'none')
    service.reach()
    for (const { customer, create, marker, outcome } of failed) {
      const { kind, client, relay } = customer
      const key = kind.repeatsCreates ? relay.keys().at(-1) : null
      expect(outcome.failure, kind.name).toEqual({ ...unknown, key })
      const again = client.create(typeof key === 'string' ? { ...create, key } : create)
      await expectOnly(marker, customer, await answered(again))
    }
  })

  it('runs the actions of a batch once, and reports that their outcome is unknown', async () => {
    const calls = await Promise.all(
      customers.map(async (customer) => {
        const { phone, client } = customer
        await customer.openNote()
        const text = newText()
        return {
          ...{ customer, text },
          batches: await records.batchesOn(phone.id),
          sessions: await records.sessionsOf(phone.id),
          send: () => client.act(phone.id, [typed(text), { type: 'wait', ms: 10_000 }]),
          isTime: async () => (await phone.observe()).text.includes(text),
        }
      }),
    )
    for (const { customer, text, batches, sessions, outcome } of await callDuringKill(calls)) {
      const { kind, client, phone } = customer
      expect(outcome.failure, kind.name).toEqual({ ...unknown, key: null })
      const next = newText()
      expect(await client.observe(phone.id), kind.name).toEqual(done(null))
      expect(await client.act(phone.id, [typed(next)]), kind.name).toEqual(done(null))
      expect((await phone.observe()).text).toContain(`"${text}${next}"`)
      expect(await records.batchesOn(phone.id), kind.name).toBe(batches + 2)
      expect(await records.sessionsOf(phone.id), kind.name).toEqual(sessions)
    }
  })

  it('starts once, and renews no session afterwards', async () => {
    const calls = await Promise.all(
      customers.map(async (customer) => {
        await parked(customer)
        const { id } = customer.phone
        const earlier = (await records.sessionsOf(id)).length
        return {
          ...{ customer, earlier, before: customer.arrivals('start', id) },
          send: () => customer.client.start(id, 900),
          isTime: async () => (await records.sessionsOf(id)).length > earlier,
        }
      }),
    )
    for (const { customer, earlier, before, outcome } of await callDuringKill(calls)) {
      const { kind, client, phone } = customer
      expect(outcome.failure, kind.name).toEqual({ ...unknown, key: null })
      expect(customer.arrivals('start', phone.id), kind.name).toBe(before + 1)
      const started = await records.sessionsOf(phone.id)
      expect(started, kind.name).toHaveLength(earlier + 1)
      await (await phone.refresh()).waitUntilReady()
      expect(await client.observe(phone.id), kind.name).toEqual(done(null))
      expect(await records.sessionsOf(phone.id), kind.name).toEqual(started)
    }
  })

  it('keeps all rules of money and devices', async () => {
    const invariants = await openInvariants(await databaseUrl(service.system))
    try {
      expect(await invariants.violations()).toEqual([])
    } finally {
      await invariants.close()
    }
  })
})
