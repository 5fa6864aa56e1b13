// Responses of requests that need no device, for a phone in each status: lists, reads, changes, starts,
// parks, heartbeats and deletes. Runs over HTTP with real Postgres.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { phonePageSchema, phoneSchema, sessionPageSchema, type PhoneJson } from '../api/routes/schemas.js'
import { errorOf, expectConventions } from '../testing/api.js'
import { useWorld, type Plane, type Tenant } from '../testing/world.js'
import { phoneStatuses, type PhoneStatus } from '../base/core/statuses.js'

const world = useWorld()
let plane: Plane
let tenant: Tenant
beforeAll(async () => {
  // No job runs, so no phone changes its status.
  plane = await world.start({ env: { PHONERACK_JOBS: 'off', PHONERACK_LIFECYCLE_PER_MINUTE: '1000000' } })
})

const created = Date.parse('2026-01-02T03:04:05.006Z')
const at = new Date(created)
const running: readonly PhoneStatus[] = ['creating', 'starting', 'ready']
let rounds = 0
let ids: Record<PhoneStatus, string>

/**
 * Creates a project with a phone in each status, in the order of `phoneStatuses`. Running phones have a
 * session.
 */
beforeEach(async () => {
  tenant = await plane.tenant()
  rounds += 1
  const suffix = (status: string) =>
    `${status}${'abcdefghijklmnopqrstuvwxyz'[rounds % 26]}`.padEnd(12, 'a').slice(0, 12)
  const idOf = (status: PhoneStatus) => `ph_${suffix(status)}`
  ids = Object.fromEntries(phoneStatuses.map((status) => [status, idOf(status)])) as typeof ids
  const { db } = plane.app.core
  await db.phone.createMany({
    data: phoneStatuses.map((status, index) => ({
      id: ids[status],
      projectId: tenant.projectId,
      keyId: 'k',
      name: status,
      status,
      createdAt: new Date(created + index),
      metadata: { kind: status, all: 'yes' },
      ...(status === 'ready' ? { lastActiveAt: new Date() } : {}),
      ...(status === 'failed'
        ? { failureCode: 'capacity_unavailable', failureMessage: 'No device was found.', failureAt: at }
        : {}),
    })),
  })
  const open = { projectId: tenant.projectId, startedAt: new Date(), idleTimeout: 120, maxDuration: 900 }
  await db.session.createMany({
    data: running.map((status) => ({
      id: `ses_${suffix(status)}`,
      phoneId: ids[status],
      ...open,
      reservedMicros: 900_000n,
      readyAt: status === 'ready' ? new Date() : null,
    })),
  })
  await db.project.update({
    where: { id: tenant.projectId },
    data: { reservedMicros: BigInt(running.length) * 900_000n },
  })
})

async function ask(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, body?: object) {
  const response = await plane.server.inject({
    method,
    url,
    headers: {
      authorization: `Bearer ${tenant.key}`,
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    ...(body ? { payload: JSON.stringify(body) } : {}),
  })
  expectConventions(response)
  return response
}
const urlOf = (status: PhoneStatus) => `/v1/phones/${ids[status]}`
const phoneIn = (response: Awaited<ReturnType<typeof ask>>): PhoneJson => {
  expect(response.statusCode, response.body).toBeLessThan(300)
  return phoneSchema.strict().parse(response.json())
}
const listed = async (query: string): Promise<string[]> => {
  const response = await ask('GET', `/v1/phones${query}`)
  expect(response.statusCode, response.body).toBe(200)
  return phonePageSchema
    .strict()
    .parse(response.json())
    .data.map(({ name }) => name)
}

describe('the list of phones', () => {
  it('has every status but failed and deleted, newest first, and filters by each status [7.1, 7.2]', async () => {
    const usual = phoneStatuses.filter((status) => status !== 'failed' && status !== 'deleted')
    expect(await listed('')).toEqual([...usual].reverse())
    for (const status of phoneStatuses) expect(await listed(`?status=${status}`), status).toEqual([status])
  })

  it('matches one whole pair of metadata, together with a status and pages [7.3]', async () => {
    expect(await listed('?metadata[kind]=parked')).toEqual(['parked'])
    expect(await listed('?metadata[all]=yes')).toHaveLength(6)
    expect(await listed('?metadata[all]=yes&status=failed')).toEqual(['failed'])
    for (const none of ['kind]=park', 'kind]=Parked', 'Kind]=parked', 'all]=', 'kind]=%25'])
      expect(await listed(`?metadata[${none}`), none).toEqual([])
    const first = await ask('GET', '/v1/phones?metadata[all]=yes&limit=4')
    const { data, next_cursor: next } = phonePageSchema.parse(first.json())
    const rest = await listed(`?metadata[all]=yes&cursor=${next}`)
    expect([...data.map(({ name }) => name), ...rest]).toEqual(await listed(''))
  })
})

describe('a phone', () => {
  it('can be read in every status: with its session while it runs, with its failure when it failed [3.4, 3.11, 4.1]', async () => {
    for (const status of phoneStatuses) {
      const phone = phoneIn(await ask('GET', urlOf(status)))
      expect([phone.id, phone.object, phone.status]).toEqual([ids[status], 'phone', status])
      expect(phone.session !== null, status).toBe(running.includes(status))
      expect(phone.failure, status).toEqual(
        status === 'failed'
          ? { code: 'capacity_unavailable', message: 'No device was found.', at: '2026-01-02T03:04:05.006Z' }
          : null,
      )
    }
  })

  it('counts as running while it has a session, and toward the limit unless failed or deleted [4.2, 6.20, 14.3]', async () => {
    expect((await ask('GET', '/v1/account')).json()).toMatchObject({ running: 3, phones: 6 })
  })

  it('parks at last_active_at plus idle_timeout when ready, otherwise at the deadline [3.18]', async () => {
    const ready = phoneIn(await ask('GET', urlOf('ready')))
    expect(ready.session).toMatchObject({ idle_timeout: 120, max_duration: 900, park_reason: 'idle' })
    expect(Date.parse(ready.session?.parks_at ?? '')).toBe(Date.parse(ready.last_active_at ?? '') + 120_000)
    for (const status of ['creating', 'starting'] as const) {
      const { session, last_active_at: active } = phoneIn(await ask('GET', urlOf(status)))
      expect([active, session?.ready_at, session?.park_reason]).toEqual([null, null, 'max_duration'])
      expect(Date.parse(session?.parks_at ?? '')).toBe(Date.parse(session?.started_at ?? '') + 900_000)
    }
  })

  it('is waited for only while it can still become ready [4.28]', async () => {
    const waits = async (status: PhoneStatus, what: 'ready' | 'parked') => {
      const began = performance.now()
      const phone = phoneIn(await ask('GET', `${urlOf(status)}?wait=${what}&timeout=1`))
      expect(phone.status).toBe(status)
      return performance.now() - began >= 950
    }
    const slow = async (what: 'ready' | 'parked') => {
      const waited = await Promise.all(phoneStatuses.map((status) => waits(status, what)))
      return phoneStatuses.filter((_, index) => waited[index])
    }
    // An immediate response may be slow on a busy machine, so only the statuses that must wait are
    // asserted.
    expect(await slow('ready')).toEqual(expect.arrayContaining(['creating', 'starting']))
    expect(await slow('parked')).toEqual(
      expect.arrayContaining(['creating', 'starting', 'ready', 'parking', 'unavailable']),
    )
  })

  it('changes name and metadata in every status but deleted; omitted fields stay [9.1, 9.3, 22.22]', async () => {
    for (const status of phoneStatuses) {
      if (status === 'deleted') {
        const error = errorOf(await ask('PATCH', urlOf(status), { name: 'x' }), 409, 'phone_deleted')
        expect([error.retryable, error.next]).toEqual([false, 'Create a new phone: POST /v1/phones'])
        continue
      }
      const before = phoneIn(await ask('GET', urlOf(status)))
      const { name, metadata } = phoneIn(await ask('PATCH', urlOf(status)))
      expect([name, metadata]).toEqual([status, before.metadata])
      const named = phoneIn(await ask('PATCH', urlOf(status), { name: '  Ünïcode 📱 ' }))
      expect([named.name, named.metadata]).toEqual(['Ünïcode 📱', before.metadata])
      const replaced = phoneIn(await ask('PATCH', urlOf(status), { metadata: { other: '1' } }))
      expect([replaced.name, replaced.metadata, replaced.status]).toEqual([
        named.name,
        { other: '1' },
        status,
      ])
      expect(phoneIn(await ask('PATCH', urlOf(status), { metadata: {} })).metadata).toEqual({})
    }
  })

  it('accepts the same names and metadata as a create, and is unchanged otherwise [9.2, 9.4]', async () => {
    const long = 'a'.repeat(81)
    const pairs = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`k${index}`, 'v']))
    for (const [field, body] of [
      ['name', { name: '' }],
      ['name', { name: ' \t ' }],
      ['name', { name: long }],
      ['name', { name: null }],
      ['metadata', { name: 'x', metadata: pairs }],
      ['metadata', { metadata: { '-a': 'v' } }],
      ['metadata', { metadata: { a: 'v'.repeat(257) } }],
      ['status', { status: 'ready' }],
    ] as const) {
      const { details } = errorOf(await ask('PATCH', urlOf('parked'), body), 400, 'validation_failed')
      expect(details.issues?.map(({ path }) => path[0])).toEqual([field])
    }
    expect(phoneIn(await ask('GET', urlOf('parked')))).toMatchObject({
      name: 'parked',
      metadata: { kind: 'parked', all: 'yes' },
    })
    expect(phoneIn(await ask('PATCH', urlOf('parked'), { name: ` ${long.slice(1)} ` })).name).toHaveLength(80)
  })

  it('lists its sessions in every status [3.20, 11.1]', async () => {
    for (const status of phoneStatuses) {
      const response = await ask('GET', `${urlOf(status)}/sessions`)
      const { data, next_cursor: next } = sessionPageSchema.strict().parse(response.json())
      expect([data.length, next], status).toEqual([running.includes(status) ? 1 : 0, null])
      for (const session of data) {
        const { ended_at: ended, end_reason: reason, billed_seconds: billed, cost_usd: cost } = session
        expect([ended, reason, billed, cost, session.reserved_usd]).toEqual([
          null,
          null,
          null,
          null,
          '0.900000',
        ])
      }
    }
  })

  it.each([
    ['start', { parking: 'phone_parking', failed: 'phone_failed', deleted: 'phone_deleted' }],
    ['park', { unavailable: 'phone_not_running', failed: 'phone_failed', deleted: 'phone_deleted' }],
    [
      'heartbeat',
      {
        parking: 'phone_parking',
        parked: 'phone_not_running',
        unavailable: 'phone_not_running',
        failed: 'phone_failed',
        deleted: 'phone_deleted',
      },
    ],
  ] as [string, Partial<Record<PhoneStatus, string>>][])(
    'refuses a %s in the statuses that do not allow it, with a next request [10.7, 23.22]',
    async (verb, refusals) => {
      for (const status of phoneStatuses) {
        const response = await ask(
          'POST',
          `${urlOf(status)}/${verb}`,
          verb === 'heartbeat' ? {} : { wait: false },
        )
        const code = refusals[status]
        if (code === undefined) {
          // The start finds no device: the phone is unreachable, and nothing was done.
          if (response.statusCode === 503) errorOf(response, 503, 'phone_unavailable')
          else phoneIn(response)
          continue
        }
        const error = errorOf(response, 409, code)
        expect(error.details).toMatchObject({ phone: ids[status], status })
        expect(error.retryable).toBe(code === 'phone_parking')
        expect(error.next).toMatch(/(GET|POST) \/v1\/phones/)
      }
    },
  )

  it('is deleted from every status, even twice; its sessions stay listed and end as deleted [3.24, 3.31, 3.34, 4.8, 4.22, 10.2]', async () => {
    for (const status of phoneStatuses) {
      for (let times = 0; times < 2; times += 1) {
        const phone = phoneIn(await ask('DELETE', urlOf(status)))
        expect([phone.status, phone.session], status).toEqual(['deleted', null])
      }
      const { data } = sessionPageSchema.parse((await ask('GET', `${urlOf(status)}/sessions`)).json())
      // A client that deletes the phone is charged at least a minute, whether the phone was ready or not.
      const charged = { end_reason: 'deleted', billed_seconds: 60, cost_usd: '0.060000' }
      expect(data, status).toMatchObject(running.includes(status) ? [charged] : [])
    }
    expect((await ask('GET', '/v1/account')).json()).toMatchObject({
      running: 0,
      phones: 0,
      reserved_usd: '0.000000',
      balance_usd: '99.820000',
      spent_this_month_usd: '0.180000',
    })
    expect(await listed('')).toEqual([])
    expect(await listed('?status=deleted')).toHaveLength(phoneStatuses.length)
  })
})
