// Presets, scopes and limited keys at every endpoint. Runs with real Postgres and broker.
import { beforeAll, describe, expect, it } from 'vitest'
import { errorOf } from '../../testing/api.js'
import { endpoints, namesPhone, requestOf, type Endpoint } from '../../testing/endpoints.js'
import { createBody, useWorld, type Plane, type Tenant } from '../../testing/world.js'
import { createKey } from '../../testing/operator.js'
import { type Preset } from '../../base/core/caller.js'

const world = useWorld()
let plane: Plane
let tenant: Tenant
let ahead = 0
const clock = { now: () => new Date(Date.now() + ahead) }
let built: Endpoint[]
const phones: string[] = []

beforeAll(async () => {
  plane = await world.start({
    clock,
    env: { PHONERACK_ACTIVITY_ACCURACY: '1', PHONERACK_LIFECYCLE_PER_MINUTE: '1000000' },
  })
  await plane.rack(3, { beatMs: 200 })
  tenant = await plane.tenant()
  const service = plane.app.services.phones
  for (const name of ['one', 'two', 'three']) {
    const body = createBody({ name, idleTimeout: 3600, maxDuration: 3600, metadata: { team: 'a' } })
    phones.push((await service.create(tenant.caller, body, null)).phone.id)
  }
  const never = new AbortController().signal
  for (const id of phones) await service.wait(id, ({ status }) => status === 'ready', 20_000, never)
  const { paths } = (await plane.server.inject({ url: '/openapi.json' })).json<{
    paths: Record<string, object>
  }>()
  built = endpoints.filter(({ method, path }) => method.toLowerCase() in (paths[path] ?? {}))
  const described = Object.values(paths).flatMap((methods) => Object.keys(methods))
  // The specification describes every endpoint.
  expect(described).toHaveLength(built.length)
  expect(built.length).toBeGreaterThanOrEqual(40)
})

const keyOf = async (preset: Preset, limitedTo?: string[]): Promise<string> => {
  const phonesOf = limitedTo ? { phones: limitedTo } : {}
  const input = { project: tenant.projectId, preset, expires: 'never' as const, ...phonesOf }
  return (await createKey(plane.app.core, input)).key
}
function ask(key: string | null, { headers, ...request }: ReturnType<typeof requestOf>) {
  const authorization = key === null ? {} : { authorization: `Bearer ${key}` }
  return plane.server.inject({ ...request, headers: { ...headers, ...authorization } })
}
const get = (key: string, url: string) => ask(key, { method: 'GET', url, headers: {} })
const nobody = 'ph_aaaaaaaaaaaa'

describe('every endpoint', () => {
  it('needs a key, except the two endpoints of the setup [18.1]', async () => {
    for (const endpoint of built) {
      const response = await ask(null, requestOf(endpoint, nobody))
      if (endpoint.scope === null) expect([201, 404], endpoint.path).toContain(response.statusCode)
      else errorOf(response, 401, 'invalid_api_key')
    }
  })

  it.each([
    ['agent', ['phones:read', 'phones:control', 'phones:create']],
    ['admin', ['phones:read', 'phones:control', 'phones:create', 'phones:delete']],
    ['read-only', ['phones:read']],
  ] as const)(
    'accepts the scopes of the preset %s, and names the missing one [18.17, 18.20, 23.10, 26.1, 28.1, 29.1, 35.2]',
    async (preset, scopes) => {
      const key = await keyOf(preset)
      for (const endpoint of built.filter(({ scope }) => scope !== null)) {
        const { method, path, scope } = endpoint
        const mayUse = (scopes as readonly (string | null)[]).includes(scope)
        // Creates are sent with an unknown field, so that they are refused after the key's checks.
        const makes = method === 'POST' && !path.includes('{')
        const broken = { ...endpoint, body: { colour: 'red' } }
        const response = await ask(key, requestOf(makes && mayUse ? broken : endpoint, nobody))
        if (mayUse) expect(response.statusCode, `${method} ${path}`).not.toBe(403)
        else {
          const { details } = errorOf(response, 403, 'insufficient_scope')
          expect(details, `${method} ${path}`).toEqual({ required: scope })
        }
      }
    },
  )
})

describe('a key limited to phones', () => {
  it('cannot use other phones: phone_not_allowed within its project, phone_not_found otherwise [18.24, 23.11]', async () => {
    const key = await keyOf('admin', phones.slice(0, 1))
    const stranger = await plane.tenant()
    const foreign = await plane.app.core.db.phone.create({
      data: {
        id: 'ph_bbbbbbbbbbbb',
        projectId: stranger.projectId,
        keyId: 'k',
        name: 'n',
        status: 'parked',
        createdAt: clock.now(),
      },
    })
    for (const endpoint of built.filter(namesPhone)) {
      const refused = await ask(key, requestOf(endpoint, phones[1] ?? ''))
      expect(errorOf(refused, 403, 'phone_not_allowed').details).toEqual({ phone: phones[1] })
      for (const id of [foreign.id, nobody])
        errorOf(await ask(key, requestOf(endpoint, id)), 404, 'phone_not_found')
    }
    const left = await plane.app.core.db.phone.findMany({ where: { id: { in: phones } } })
    expect(left.map(({ status }) => status)).toEqual(['ready', 'ready', 'ready'])
  })

  it('lists its phones on one page, with any limit and cursor [18.22, 19.6]', async () => {
    const key = await keyOf('read-only', phones.slice(0, 2))
    const newestFirst = [phones[1], phones[0]]
    for (const query of ['', '?limit=1', '?limit=1&cursor=nonsense', '?status=ready', '?metadata[team]=a']) {
      const page = (await get(key, `/v1/phones${query}`)).json<{
        data: { id: string }[]
        next_cursor: string | null
      }>()
      expect([page.data.map(({ id }) => id), page.next_cursor], query).toEqual([newestFirst, null])
    }
    for (const query of ['?status=parked', '?metadata[team]=b', '?status=deleted'])
      expect((await get(key, `/v1/phones${query}`)).json(), query).toEqual({ data: [], next_cursor: null })
  })

  it("counts its phones in the account, with the project's money [14.6, 18.23]", async () => {
    const whole = (await get(tenant.key, '/v1/account')).json<Record<string, unknown>>()
    const limited = (await get(await keyOf('agent', phones.slice(0, 2)), '/v1/account')).json<object>()
    expect(whole).toMatchObject({ running: 3, phones: 3, reserved_usd: '10.800000' })
    expect(limited).toEqual({ ...whole, running: 2, phones: 2 })
  })

  it('never creates, with any preset [6.15, 18.27]', async () => {
    for (const preset of ['agent', 'admin', 'read-only'] as const) {
      const refused = await ask(await keyOf(preset, phones), {
        method: 'POST',
        url: '/v1/phones',
        headers: {},
      })
      expect(errorOf(refused, 403, 'insufficient_scope').details).toEqual({ required: 'phones:create' })
    }
  })
})

describe('activity', () => {
  const seen = async () => {
    const phone = await plane.app.core.db.phone.findUniqueOrThrow({ where: { id: phones[0] ?? '' } })
    return phone.lastActiveAt?.getTime() ?? 0
  }
  const reads = () =>
    built.filter((endpoint) => endpoint.scope === 'phones:read' && namesPhone(endpoint)).map(requestFor)
  const requestFor = (endpoint: Endpoint) => requestOf(endpoint, phones[0] ?? '')

  it('is not recorded for a Read-only key [18.18, 28.4]', async () => {
    const key = await keyOf('read-only')
    const before = await seen()
    for (const request of reads()) {
      ahead += 1100
      expect((await ask(key, request)).statusCode, request.url).not.toBe(403)
      expect(await seen(), request.url).toBe(before)
    }
  })

  it('is recorded for every other valid request that names the phone, except a poll of a parked phone [3.9, 8.6, 18.19, 28.3]', async () => {
    const key = await keyOf('agent')
    for (const request of reads()) {
      ahead += 1100
      const before = await seen()
      await ask(key, request)
      expect(await seen(), request.url).toBeGreaterThan(before)
    }
    ahead += 1100
    const before = await seen()
    const url = `/v1/phones/${phones[0]}`
    expect((await get(key, `${url}?wait=parked&timeout=1`)).statusCode).toBe(200)
    for (const refused of [`${url}?wait=nothing`, `${url}/observe?format=xml`])
      expect((await get(key, refused)).statusCode).toBe(400)
    expect((await get(await keyOf('agent', phones.slice(1)), url)).statusCode).toBe(403)
    expect(await seen()).toBe(before)
  })
})
