/**
 * Clients that are killed during a call, and control planes that are killed during calls of clients: there is
 * no unknown phone, no repeated action, and no unrequested session. Each client is a separate process behind
 * a relay that holds answers back. The checks read the database and the journal of the host agent. The tests
 * build on each other.
 */
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Phonerack, type, type Action } from '@phonerack/sdk'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { forLater } from '../system/api.js'
import { cliClient } from '../system/clients/cli-client.js'
import type { Outcome } from '../system/clients/client.js'
import { HeldClient } from '../system/clients/held-client.js'
import { hasHttpx, pythonClient, typescriptClient } from '../system/clients/line-client.js'
import { mcpClient } from '../system/clients/mcp-client.js'
import { databaseUrl } from '../system/database.js'
import { holdAnswers } from '../system/held-answers.js'
import { openInvariants } from '../system/invariants.js'
import { openRecords, type Records } from '../system/records.js'
import { twoReplicas } from '../system/replica.js'
import { eventually, newKey, newTenant } from '../system/tenant.js'

/** Milliseconds; generous for a loaded machine. */
const patience = 60_000
const limit = { timeout: 3 * patience }
/** The `expect` of a test in a group that runs concurrently. */
const oneByOne = { concurrent: false }
const pythonKind = pythonClient('sync')
const kinds = [typescriptClient(), pythonKind, cliClient, mcpClient]

const service = twoReplicas(inject('pair'))
let home: string
let direct: Phonerack
let records: Records
let clients: HeldClient[] = []
let isPythonMissing: boolean

beforeAll(async () => {
  isPythonMissing = !(await hasHttpx())
  records = await openRecords(service.system)
  home = await mkdtemp(path.join(tmpdir(), 'phonerack-killed-'))
  const { projectId } = await newTenant(service.system)
  const apiKey = await newKey(service.system, projectId, 'admin')
  direct = new Phonerack({ apiKey, baseUrl: service.url, maxRetries: 10 })
  clients = await Promise.all(
    kinds
      .filter((kind) => !(isPythonMissing && kind === pythonKind))
      .map(async (kind) => {
        const relay = await holdAnswers(Number(new URL(service.url).port))
        return HeldClient.open(kind, relay, { baseUrl: service.url, apiKey, home })
      }),
  )
})
afterAll(async () => {
  for (const phone of await direct.phones.list().toArray()) await phone.delete()
  for (const each of clients) await each.close()
  await records.close()
  await rm(home, { recursive: true })
})

/** Returns a text that no screen contains yet. */
const newText = (): string => `k${randomUUID().slice(0, 6)}x`
const typed = (text: string): Action => type(text, { into: { id: 'title' } })
const done = (phone: string | null): Outcome => ({ phone, failure: null })

const named = kinds.map((kind) => [kind.name, kind] as const)
describe.concurrent.each(named)('%s, killed during a call', limit, (_name, kind) => {
  let client: HeldClient
  let id: string
  beforeEach(({ skip }) => {
    skip(isPythonMissing && kind === pythonKind, 'missing: python3-httpx')
    const found = clients.find((each) => each.kind === kind)
    if (found) client = found
  })

  it('leaves one phone after a create, which its key returns again', oneByOne, async () => {
    const marker = randomUUID()
    const call = { metadata: { marker }, key: `key-${marker}` }
    const before = client.arrivals('create')
    await client.killDuring(
      () => client.program.create(call),
      async () => (await records.phonesWith(marker)).length > 0,
    )
    expect(client.arrivals('create')).toBe(before + 1)
    id = (await records.phonesWith(marker))[0] ?? ''
    await client.startAgain()
    expect(await client.program.create(call)).toEqual(done(id))
    expect(await records.phonesWith(marker)).toEqual([id])
    expect(await records.sessionsOf(id)).toHaveLength(1)
    client.phone = await direct.phones.get(id)
    await client.phone.waitUntilReady()
  })

  it('leaves one run of a batch, and a phone that accepts the next batch', oneByOne, async () => {
    const { phone } = client
    await client.openNote()
    const [text, next] = [newText(), newText()]
    const [batches, sessions] = [await records.batchesOn(id), await records.sessionsOf(id)]
    const before = client.arrivals('act', id)
    await client.killDuring(
      () => client.program.act(id, [typed(text), { type: 'wait', ms: 1000 }]),
      async () => (await phone.observe()).text.includes(text),
    )
    expect(client.arrivals('act', id)).toBe(before + 1)
    await client.startAgain()
    expect(await client.program.observe(id)).toEqual(done(null))
    expect(await client.program.act(id, [typed(next)])).toEqual(done(null))
    expect((await phone.observe()).text).toContain(`"${text}${next}"`)
    expect(await records.batchesOn(id)).toBe(batches + 2)
    expect(await records.sessionsOf(id)).toEqual(sessions)
  })

  it('leaves one start, which only another start renews', oneByOne, async () => {
    await parked(client)
    const earlier = await records.sessionsOf(id)
    const before = client.arrivals('start', id)
    await client.killDuring(
      () => client.program.start(id, 900),
      async () => (await records.sessionsOf(id)).length > earlier.length,
    )
    expect(client.arrivals('start', id)).toBe(before + 1)
    const started = await records.sessionsOf(id)
    expect(started).toHaveLength(earlier.length + 1)
    await (await client.phone.refresh()).waitUntilReady()
    await client.startAgain()
    expect(await client.program.observe(id)).toEqual(done(null))
    expect(await records.sessionsOf(id)).toEqual(started)

    expect(await client.program.start(id, 900)).toEqual(done(id))
    const renewed = await records.sessionsOf(id)
    expect(renewed).not.toEqual(started)
    expect(renewed.map((each) => each.id)).toEqual(started.map((each) => each.id))
  })
})

async function parked({ phone }: HeldClient): Promise<void> {
  await phone.park()
  await phone.waitUntilParked()
}

describe('a control plane that is killed during calls of all clients', limit, () => {
  beforeAll(async () => {
    for (const phone of await direct.phones.list().toArray()) await phone.delete()
  })
  beforeEach(() => service.ready())

  /** The failure of a write that the client does not repeat. */
  const unknown = { code: 'connection_failed', isUnknown: true, retryable: false }

  interface Call {
    client: HeldClient
    send: () => Promise<Outcome | null>
    /** Whether the control plane can be killed now. */
    isTime: () => Promise<boolean>
  }

  /** Sends a call of each client, and kills the control plane before any answer arrives. */
  async function callDuringKill<C extends Call>(
    calls: readonly C[],
    left: 'other' | 'none' = 'other',
  ): Promise<(C & { outcome: Outcome })[]> {
    for (const { client } of calls) void client.relay.hold(0)
    const outcomes = calls.map(({ send }) => forLater(send()))
    const arrived = calls.map(({ client, isTime }) =>
      eventually(`${client.kind.name} to arrive`, patience, isTime),
    )
    try {
      await Promise.all(arrived)
      await service.kill(left)
      const cut = calls.map(async ({ client: { relay } }) => {
        await relay.disconnected()
        relay.pass()
      })
      await Promise.all(cut)
    } finally {
      for (const { client } of calls) client.relay.pass()
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

  /** Checks that the phone with this marker, and its session, exist only once. */
  async function expectOnly(
    marker: string,
    { kind }: HeldClient,
    { phone, failure }: Outcome,
  ): Promise<void> {
    expect(failure, kind.name).toBeNull()
    expect(await records.phonesWith(marker), kind.name).toEqual([phone])
    expect(await records.sessionsOf(phone ?? ''), kind.name).toHaveLength(1)
  }

  /** Creates a phone with a marker. An agent chooses the key; the other clients generate a key. */
  const createOf = (client: HeldClient) => {
    const marker = randomUUID()
    const key = client.kind.repeatsCreates ? {} : { key: `key-${marker}` }
    return { client, marker, create: { metadata: { marker }, ...key } }
  }

  it('creates one phone for a create that is repeated with its key at the other control plane', async () => {
    const calls = clients.map((client) => {
      const [before, keysBefore] = [client.arrivals('create'), client.relay.keys().length]
      const { create, marker } = createOf(client)
      return {
        client,
        create,
        marker,
        keysBefore,
        send: () => client.program.create(create),
        isTime: () => Promise.resolve(client.arrivals('create') > before),
      }
    })
    for (const { client, create, marker, keysBefore, outcome } of await callDuringKill(calls)) {
      const { kind, program, relay } = client
      let last = outcome
      if (kind.repeatsCreates) {
        const [first, ...others] = relay.keys().slice(keysBefore)
        expect(others, kind.name).toEqual([first])
      } else {
        expect(outcome.failure, kind.name).toEqual({ ...unknown, key: null })
        last = await answered(program.create(create))
      }
      await expectOnly(marker, client, last)
      client.phone = await direct.phones.get(last.phone ?? '')
      await client.phone.waitUntilReady()
    }
  })

  it('returns the phone of a create for the key of its error, after all control planes were down', async () => {
    await eventually('free phones', patience, async () => (await records.freeDevices()) >= clients.length)
    const calls = clients.map((client) => {
      const { create, marker } = createOf(client)
      return {
        client,
        create,
        marker,
        send: () => client.program.create(create),
        isTime: async () => (await records.phonesWith(marker)).length > 0,
      }
    })
    const failed = await callDuringKill(calls, 'none')
    service.reach()
    for (const { client, create, marker, outcome } of failed) {
      const { kind, program, relay } = client
      const key = kind.repeatsCreates ? relay.keys().at(-1) : null
      expect(outcome.failure, kind.name).toEqual({ ...unknown, key })
      const again = program.create(typeof key === 'string' ? { ...create, key } : create)
      await expectOnly(marker, client, await answered(again))
    }
  })

  it('runs the actions of a batch once, and reports that their outcome is unknown', async () => {
    const calls = await Promise.all(
      clients.map(async (client) => {
        const { phone, program } = client
        await client.openNote()
        const text = newText()
        return {
          client,
          text,
          batches: await records.batchesOn(phone.id),
          sessions: await records.sessionsOf(phone.id),
          send: () => program.act(phone.id, [typed(text), { type: 'wait', ms: 10_000 }]),
          isTime: async () => (await phone.observe()).text.includes(text),
        }
      }),
    )
    for (const { client, text, batches, sessions, outcome } of await callDuringKill(calls)) {
      const { kind, program, phone } = client
      expect(outcome.failure, kind.name).toEqual({ ...unknown, key: null })
      const next = newText()
      expect(await program.observe(phone.id), kind.name).toEqual(done(null))
      expect(await program.act(phone.id, [typed(next)]), kind.name).toEqual(done(null))
      expect((await phone.observe()).text).toContain(`"${text}${next}"`)
      expect(await records.batchesOn(phone.id), kind.name).toBe(batches + 2)
      expect(await records.sessionsOf(phone.id), kind.name).toEqual(sessions)
    }
  })

  it('starts once, and renews no session afterwards', async () => {
    const calls = await Promise.all(
      clients.map(async (client) => {
        await parked(client)
        const { id } = client.phone
        const earlier = (await records.sessionsOf(id)).length
        return {
          client,
          earlier,
          before: client.arrivals('start', id),
          send: () => client.program.start(id, 900),
          isTime: async () => (await records.sessionsOf(id)).length > earlier,
        }
      }),
    )
    for (const { client, earlier, before, outcome } of await callDuringKill(calls)) {
      const { kind, program, phone } = client
      expect(outcome.failure, kind.name).toEqual({ ...unknown, key: null })
      expect(client.arrivals('start', phone.id), kind.name).toBe(before + 1)
      const started = await records.sessionsOf(phone.id)
      expect(started, kind.name).toHaveLength(earlier + 1)
      await (await phone.refresh()).waitUntilReady()
      expect(await program.observe(phone.id), kind.name).toEqual(done(null))
      expect(await records.sessionsOf(phone.id), kind.name).toEqual(started)
    }
  })

  it('leaves money, sessions and devices consistent', async () => {
    const invariants = await openInvariants(await databaseUrl(service.system))
    try {
      expect(await invariants.violations()).toEqual([])
    } finally {
      await invariants.close()
    }
  })
})
