// Keys as in the chapter "Authentication" of the contract: their form, their expiry, and their number. Runs
// with real Postgres, a real broker and two replicas.
import { hashSecret } from '@phonerack/shared'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { errorOf } from '../../testing/api.js'
import { useWorld, type Plane, type Tenant } from '../../testing/world.js'

const day = 86_400_000
const world = useWorld()
let plane: Plane
let replica: Plane
let tenant: Tenant
let ahead = 0
const clock = { now: () => new Date(Date.now() + ahead) }
beforeAll(async () => {
  plane = await world.start({ clock })
  replica = await world.start({ clock, beside: plane })
})
beforeEach(async () => {
  ahead = 0
  tenant = await plane.tenant()
})

interface Made {
  id: string
  key: string
  expires_at: string | null
}
async function operator(
  method: 'POST' | 'PATCH' | 'DELETE' | 'GET',
  path: string,
  payload?: object,
  on = plane,
) {
  const headers = { authorization: `Bearer ${plane.operatorToken}` }
  const url = `/operator/v1${path}`
  return on.operator.inject({ method, url, headers, ...(payload ? { payload } : {}) })
}
async function make(change: object = {}): Promise<Made> {
  const response = await operator('POST', '/keys', { project: tenant.projectId, ...change })
  expect(response.statusCode, response.body).toBe(201)
  return response.json<Made>()
}
const account = (key: string, on = plane) =>
  on.server.inject({ url: '/v1/account', headers: { authorization: `Bearer ${key}` } })

describe('a key', () => {
  it('is prk_ and 43 characters, and belongs to one project [18.2]', async () => {
    const other = await plane.tenant()
    await operator('PATCH', `/projects/${other.projectId}`, { credit_usd: '7' })
    const { key } = await make()
    expect(key).toMatch(/^prk_[A-Za-z0-9_-]{43}$/)
    expect((await account(key)).json()).toEqual((await account(tenant.key)).json())
    expect((await account(key)).json()).not.toEqual((await account(other.key)).json())
    const named = await plane.server.inject({
      method: 'POST',
      url: '/v1/phones',
      payload: { project: other.projectId },
      headers: { authorization: `Bearer ${key}` },
    })
    errorOf(named, 400, 'validation_failed')
  })

  it('is shown once, and only its hash is stored [18.12]', async () => {
    const { key, id } = await make({ name: 'mine' })
    expect((await account(key)).statusCode).toBe(200)
    const list = await operator('GET', `/keys?project=${tenant.projectId}`)
    expect(list.body).toContain(id)
    expect(list.body).not.toContain(key.slice(4))
    const { db } = plane.app.core
    const tables = await db.$queryRaw<
      { name: string }[]
    >`select table_name as name from information_schema.tables where table_schema = 'public'`
    const holds = async (text: string) => {
      const found: string[] = []
      for (const { name } of tables) {
        const rows = await db.$queryRawUnsafe<object[]>(
          `select 1 from "${name}" t where strpos(t::text, $1) > 0 limit 1`,
          text,
        )
        if (rows.length > 0) found.push(name)
      }
      return found
    }
    expect(await holds(key.slice(4))).toEqual([])
    expect(await holds(hashSecret(key))).toEqual(['api_keys'])
  })

  it('cannot be created through the public API [18.16]', async () => {
    for (const url of ['/v1/keys', '/v1/api-keys', '/v1/account/keys']) {
      const headers = { authorization: `Bearer ${tenant.key}` }
      errorOf(await plane.server.inject({ method: 'POST', url, headers, payload: {} }), 404, 'not_found')
    }
    const path = { method: 'POST', url: '/operator/v1/keys', payload: { project: tenant.projectId } } as const
    for (const headers of [{}, { authorization: `Bearer ${tenant.key}` }])
      errorOf(await plane.operator.inject({ ...path, headers }), 401, 'unauthorized')
  })
})

describe('the life of a key', () => {
  it.each([
    [{}, 90],
    [{ expires: '30d' }, 30],
    [{ expires: '90d' }, 90],
    [{ expires: '1y' }, 365],
  ])('created with %j lasts %i days [18.4, 18.13, 23.4]', async (change, days) => {
    const { key, expires_at: expiresAt } = await make(change)
    const end = new Date(expiresAt ?? '').getTime()
    expect(Math.abs(end - clock.now().getTime() - days * day)).toBeLessThan(10_000)
    ahead = end - Date.now() - 60_000
    for (const on of [plane, replica]) expect((await account(key, on)).statusCode).toBe(200)
    ahead += 60_000
    for (const on of [plane, replica]) errorOf(await account(key, on), 401, 'key_expired')
  })

  it('never expires when created with never, and refuses other values [18.14]', async () => {
    const { key, expires_at: expiresAt } = await make({ expires: 'never' })
    expect(expiresAt).toBeNull()
    ahead = 50 * 365 * day
    expect((await account(key)).statusCode).toBe(200)
    for (const expires of ['', '31d', 90, null])
      errorOf(
        await operator('POST', '/keys', { project: tenant.projectId, expires }),
        400,
        'validation_failed',
      )
  })
})

describe('a revoked key', () => {
  const used = async (key: string) => {
    for (const on of [plane, replica]) expect((await account(key, on)).statusCode).toBe(200)
  }
  const second = () => new Promise((resolve) => setTimeout(resolve, 1000))

  it('is refused on every replica for requests that begin a second after the revocation or later [18.5]', async () => {
    const made = await Promise.all(['agent', 'admin', 'read-only'].map((preset) => make({ preset })))
    for (const { key } of made) await used(key)
    for (const [at, { id }] of made.entries())
      expect((await operator('DELETE', `/keys/${id}`, undefined, at % 2 ? replica : plane)).statusCode).toBe(
        200,
      )
    await second()
    for (const { key } of made)
      for (const on of [plane, replica]) errorOf(await account(key, on), 401, 'key_revoked')
  })

  it("is refused within that second even without the broker's notification [18.6]", async () => {
    const { id, key } = await make()
    await used(key)
    await plane.app.core.db.apiKey.update({ where: { id }, data: { revokedAt: clock.now() } })
    await second()
    for (const on of [plane, replica]) errorOf(await account(key, on), 401, 'key_revoked')
  })

  it('stays revoked, even when it is revoked again or has expired [18.7, 23.5]', async () => {
    const { id, key } = await make({ expires: '30d' })
    const first = (await operator('DELETE', `/keys/${id}`)).json<{ revoked_at: string }>()
    expect((await operator('DELETE', `/keys/${id}`)).json()).toEqual(first)
    await second()
    errorOf(await account(key), 401, 'key_revoked')
    ahead = 31 * day
    errorOf(await account(key), 401, 'key_revoked')
  })
})

describe('active keys', () => {
  it('are limited to exactly 50 per project across replicas; revoked and expired ones do not count [18.10, 20.19]', async () => {
    const short = await make({ expires: '30d' })
    // The tenant already has one key.
    const answers = await Promise.all(
      Array.from({ length: 52 }, (_, at) =>
        operator('POST', '/keys', { project: tenant.projectId }, at % 2 ? replica : plane),
      ),
    )
    const made = answers.filter(({ statusCode }) => statusCode === 201)
    expect(made).toHaveLength(48)
    for (const refused of answers.filter(({ statusCode }) => statusCode !== 201))
      expect(errorOf(refused, 409, 'key_limit').details).toEqual({ limit: 50 })
    const again = () => operator('POST', '/keys', { project: tenant.projectId })
    await operator('DELETE', `/keys/${made[0]?.json<Made>().id ?? ''}`)
    expect((await again()).statusCode).toBe(201)
    expect((await again()).statusCode).toBe(409)
    ahead = new Date(short.expires_at ?? '').getTime() - Date.now() + 1000
    expect((await again()).statusCode).toBe(201)
    expect((await again()).statusCode).toBe(409)
    const elsewhere = await plane.tenant()
    expect((await operator('POST', '/keys', { project: elsewhere.projectId })).statusCode).toBe(201)
  })
})

describe('phones of a key', () => {
  it('are 1 to 20 of the project, and limit the key even after they are deleted [18.21, 20.20]', async () => {
    const { db } = plane.app.core
    const ids = Array.from({ length: 21 }, (_, at) => `ph_limit${String.fromCharCode(97 + at)}aaaaaa`)
    await db.phone.createMany({
      data: ids.map((id) => ({
        id,
        projectId: tenant.projectId,
        keyId: 'k',
        name: id,
        status: 'parked',
        createdAt: clock.now(),
      })),
    })
    const stranger = await plane.tenant()
    const asked = (project: string, phones: string[]) => operator('POST', '/keys', { project, phones })
    for (const phones of [[], ids, ['ph_zzzzzzzzzzzz'], ['nonsense']])
      errorOf(await asked(tenant.projectId, phones), 400, 'validation_failed')
    errorOf(await asked(stranger.projectId, ids.slice(0, 1)), 400, 'validation_failed')
    for (const count of [1, 20]) {
      const { key } = (await asked(tenant.projectId, ids.slice(0, count))).json<Made>()
      expect((await account(key)).json()).toMatchObject({ phones: count, running: 0 })
    }
    const { key } = (await asked(tenant.projectId, ids.slice(0, 1))).json<Made>()
    await db.phone.update({ where: { id: ids[0] ?? '' }, data: { status: 'deleted' } })
    expect((await account(key)).json()).toMatchObject({ phones: 0 })
    const other = await plane.server.inject({
      url: `/v1/phones/${ids[1]}`,
      headers: { authorization: `Bearer ${key}` },
    })
    errorOf(other, 403, 'phone_not_allowed')
  })
})

describe('a key that is limited to phones', () => {
  const ids = (key: string) =>
    plane.server
      .inject({ url: '/v1/phones', headers: { authorization: `Bearer ${key}` } })
      .then((response) => response.json<{ data: { id: string }[] }>().data.map(({ id }) => id))
  async function limited(): Promise<Made> {
    for (const id of ['ph_limitedaaaaa', 'ph_otheraaaaaaa'])
      await plane.app.core.db.phone.upsert({
        where: { id },
        create: {
          id,
          projectId: tenant.projectId,
          keyId: 'k',
          name: id,
          status: 'parked',
          createdAt: new Date(),
        },
        update: { projectId: tenant.projectId },
      })
    return make({ phones: ['ph_limitedaaaaa'] })
  }

  it('is never created with an empty list, or made unlimited, even directly in the database', async () => {
    const empty = await operator('POST', '/keys', { project: tenant.projectId, phones: [] })
    errorOf(empty, 400, 'validation_failed')
    const { id, key } = await limited()
    const { db } = plane.app.core
    const free = await make()
    const attempts: (() => Promise<unknown>)[] = [
      () => db.apiKeyPhone.deleteMany({ where: { keyId: id } }),
      () => db.apiKey.update({ where: { id }, data: { isLimited: false } }),
      () => db.apiKey.update({ where: { id: free.id }, data: { isLimited: true } }),
      () => db.apiKeyPhone.create({ data: { keyId: free.id, phoneId: 'ph_limitedaaaaa' } }),
      () => db.apiKeyPhone.updateMany({ where: { keyId: id }, data: { keyId: free.id } }),
      () =>
        db.apiKey.create({
          data: {
            id: 'key_empty',
            projectId: tenant.projectId,
            name: 'n',
            preset: 'agent',
            secretHash: 'x',
            isLimited: true,
          },
        }),
    ]
    for (const attempt of attempts) await expect(attempt()).rejects.toThrow()
    expect(await ids(key)).toEqual(['ph_limitedaaaaa'])
    expect((await ids(free.key)).sort()).toEqual(['ph_limitedaaaaa', 'ph_otheraaaaaaa'])
  })

  it('sees no phone if its list is empty in spite of that', async () => {
    const { id, key } = await limited()
    await plane.app.core.db.$transaction([
      plane.app.core.db.$executeRaw`set local session_replication_role = replica`,
      plane.app.core.db.apiKeyPhone.deleteMany({ where: { keyId: id } }),
    ])
    expect(await ids(key)).toEqual([])
    const create = await plane.server.inject({
      method: 'POST',
      url: '/v1/phones',
      headers: { authorization: `Bearer ${key}` },
    })
    errorOf(create, 403, 'insufficient_scope')
  })
})
