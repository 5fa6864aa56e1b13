// Profiles of keys at every endpoint, for the operator, and over MCP. Runs with real Postgres and broker.
import { consoleUser } from '../../testing/console-client.js'
import { Metadata, status } from '@grpc/grpc-js'
import { hashSecret } from '@phonerack/shared'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Profile } from '../../base/core/caller.js'
import { completeBatch } from '../../testing/agent-double/screen.js'
import { type Batch } from '../../testing/agent-double/types.js'
import { errorOf, startApi, type TestApi } from '../../testing/api.js'
import { endpoints, requestOf, type Endpoint } from '../../testing/endpoints.js'
import { call, connectMcp, eras, errorIn, listen, post } from '../../testing/mcp-client.js'
import { createKey } from '../../testing/operator.js'

let api: TestApi
let built: Endpoint[]
let phone: string
beforeAll(async () => {
  api = await startApi({ devices: 1, env: { PHONERACK_ACTIVITY_ACCURACY: '1' } })
  phone = await api.readyPhone()
  const { paths } = (await api.request('GET', '/openapi.json')).json<{ paths: Record<string, object> }>()
  built = endpoints.filter(
    ({ method, path, scope }) => scope !== null && method.toLowerCase() in (paths[path] ?? {}),
  )
})
afterAll(() => api.close())

const keyWith = async (profile: Profile): Promise<string> => {
  const input = { project: api.tenant.projectId, preset: 'admin', expires: 'never' } as const
  return (await createKey(api.plane.app.core, { ...input, profile })).key
}
const ask = (endpoint: Endpoint, key: string, asked?: string) => {
  const { method, url, headers, ...rest } = requestOf(endpoint, 'ph_aaaaaaaaaaaa')
  const narrowing = asked === undefined ? {} : { 'phonerack-profile': asked }
  return api.request(method, url, { key, headers: { ...headers, ...narrowing }, ...rest })
}

describe('read-only', () => {
  it.each([
    ['by the profile of the key', 'read-only', undefined],
    ['by the header', 'full', 'read-only'],
    ['below a header that names more', 'read-only', 'full'],
  ] as const)('%s refuses every change, and no read [40.41]', async (_, own, asked) => {
    const key = await keyWith(own)
    const changes = built.filter(({ scope }) => scope !== 'phones:read')
    expect(changes.length).toBeGreaterThan(20)
    for (const endpoint of built) {
      const { method, path, scope } = endpoint
      const response = await ask(endpoint, key, asked)
      if (scope === 'phones:read') expect(response.statusCode, `${method} ${path}`).not.toBe(403)
      else
        expect(errorOf(response, 403, 'insufficient_scope').details, `${method} ${path}`).toEqual({
          required: scope,
          profile: 'read-only',
        })
    }
  })

  it('does not keep a phone awake', async () => {
    const seen = async () =>
      (await api.plane.app.core.db.phone.findUniqueOrThrow({ where: { id: phone } })).lastActiveAt
    const key = await keyWith('full')
    const reads = (asked: string) =>
      api.request('GET', `/v1/phones/${phone}`, { key, headers: { 'phonerack-profile': asked } })
    const before = await seen()
    await new Promise((resolve) => setTimeout(resolve, 1100))
    expect((await reads('read-only')).statusCode).toBe(200)
    expect(await seen()).toEqual(before)
    expect((await reads('full')).statusCode).toBe(200)
    expect(await seen()).not.toEqual(before)
  })
})

describe('the header', () => {
  it('with an unknown value is refused on every endpoint, after the key [40.44]', async () => {
    const key = await keyWith('full')
    for (const endpoint of built) {
      const { details } = errorOf(await ask(endpoint, key, 'root'), 400, 'validation_failed')
      expect(details).toMatchObject({
        validation_stage: 'headers',
        issues: [{ path: ['Phonerack-Profile'] }],
      })
    }
    const [first] = built
    if (!first) throw new Error('no endpoint')
    errorOf(await ask(first, `prk_${'a'.repeat(43)}`, 'root'), 401, 'invalid_api_key')
  })

  it('changes only its own request', async () => {
    const key = await keyWith('full')
    const rename = (headers: object) =>
      api.request('PATCH', `/v1/phones/${phone}`, { key, payload: { name: 'a' }, headers: { ...headers } })
    expect((await rename({ 'phonerack-profile': 'read-only' })).statusCode).toBe(403)
    expect((await rename({})).statusCode).toBe(200)
  })

  it('is described for exactly the operations that need a key', async () => {
    const { paths } = (await api.request('GET', '/openapi.json')).json<{
      paths: Record<string, Record<string, { parameters?: { name: string }[]; security?: unknown[] }>>
    }>()
    for (const [path, methods] of Object.entries(paths))
      for (const { parameters = [] } of Object.values(methods))
        expect(
          parameters.some(({ name }) => name === 'Phonerack-Profile'),
          path,
        ).toBe(!path.startsWith('/v1/setup'))
  })
})

describe('guarded', () => {
  const act = (key: string, actions: object[], headers: object = {}) =>
    api.request('POST', `/v1/phones/${phone}/actions`, { key, payload: { actions }, headers: { ...headers } })
  const home = { type: 'home' }
  const store = { type: 'open_app', package: 'com.android.vending' }
  const next = () => `POST /v1/phones/${phone}/handoffs`
  /** The double refuses each `open_app` of a guarded batch, as the agent does. */
  const refusing: Batch = (request, send) => {
    const actions = JSON.parse(request.actionsJson.toString()) as { type: string }[]
    const at = actions.findIndex(({ type }) => type === 'open_app')
    const error = {
      code: 'handoff_required',
      message: 'Left to a person.',
      retryable: false,
      next: next(),
      details: { reason: 'store', package: 'com.android.vending' },
    }
    const results = actions
      .slice(0, at < 0 ? undefined : at + 1)
      .map(({ type }, index) => ({
        index,
        type,
        ok: index !== at,
        ms: 1,
        ...(index === at ? { error } : {}),
      }))
    const resultsJson = Buffer.from(JSON.stringify(results))
    send({ $case: 'ended', value: { observationJson: Buffer.alloc(0), resultsJson } })
    return Promise.resolve()
  }
  beforeAll(() => {
    api.agent.onGuardedBatch = refusing
  })

  it('reaches the agent as a guarded batch, by the key or by the header, and only then [23.50, 40.50]', async () => {
    const [full, guarded] = [await keyWith('full'), await keyWith('guarded')]
    const narrowing = { 'phonerack-profile': 'guarded' }
    for (const response of [
      await act(guarded, [store]),
      await act(guarded, [store], { 'phonerack-profile': 'full' }),
      await act(full, [store], narrowing),
    ]) {
      const { message, ...error } = errorOf(response, 409, 'handoff_required')
      expect(error).toMatchObject({
        retryable: false,
        next: next(),
        details: { reason: 'store', package: 'com.android.vending' },
      })
      expect(message).toBe('Left to a person.')
    }
    expect((await act(full, [store])).json()).toMatchObject({ completed: 1 })
    errorOf(await act(guarded, [store], { 'phonerack-profile': 'read-only' }), 403, 'insufficient_scope')
  })

  it('gets only live links that watch, so that a member who is signed in takes over', async () => {
    const [full, guarded] = [await keyWith('full'), await keyWith('guarded')]
    const { db } = api.plane.app.core
    const live = (key: string, payload: object, headers: object = {}) =>
      api.request('POST', `/v1/phones/${phone}/live`, { key, payload, headers: { ...headers } })
    const controlOf = async (response: Awaited<ReturnType<typeof live>>) => {
      expect(response.statusCode).toBe(201)
      const token = new URL(response.json<{ url: string }>().url).hash.slice(1)
      return (await db.liveLink.findUniqueOrThrow({ where: { tokenHash: hashSecret(token) } })).control
    }
    const narrowing = { 'phonerack-profile': 'guarded' }
    expect(await controlOf(await live(guarded, {}))).toBe(false)
    expect(await controlOf(await live(full, {}, narrowing))).toBe(false)
    expect(await controlOf(await live(full, {}))).toBe(true)
    for (const refused of [
      await live(guarded, { control: true }),
      await live(full, { control: true }, narrowing),
    ])
      expect(errorOf(refused, 409, 'handoff_required')).toMatchObject({
        next: next(),
        details: { reason: 'live_control' },
      })
    const handoff = await api.request('POST', `/v1/phones/${phone}/handoffs`, {
      key: guarded,
      payload: { message: 'Please pay.' },
    })
    const { id, url } = handoff.json<{ id: string; url: string }>()
    expect(new URL(url).pathname).toBe(`/console/projects/${api.tenant.projectId}/phones/${phone}`)
    expect(await db.liveLink.count({ where: { handoffId: id } })).toBe(0)
    const member = await consoleUser(api.plane, { role: 'member', projectId: api.tenant.projectId })
    const control = `/projects/${api.tenant.projectId}/phones/${phone}/control`
    expect((await member.client.ask('POST', control, { body: {} })).body).toMatchObject({
      control: { id, status: 'taken' },
    })
    await member.client.ask('POST', `${control}/${id}/end`, { body: { note: '' } })
  })

  it('answers 200 with the entry when an earlier action ran [40.51]', async () => {
    const response = await act(await keyWith('guarded'), [home, store, home])
    expect(response.statusCode).toBe(200)
    expect(response.json()).toMatchObject({
      completed: 1,
      results: [{ ok: true }, { ok: false, error: { code: 'handoff_required', next: next() } }],
    })
    expect((await act(await keyWith('guarded'), [home])).json()).toMatchObject({ completed: 1 })
  })

  it('is refused by an agent that does not know guarded batches, and nothing runs', async () => {
    const ran: unknown[] = []
    api.agent.onBatch = (...call) => {
      ran.push(call)
      return completeBatch(...call)
    }
    const unknown = Object.assign(new Error('unknown'), {
      code: status.UNIMPLEMENTED,
      details: 'unknown',
      metadata: new Metadata(),
    })
    api.agent.onGuardedBatch = () => Promise.reject(unknown)
    errorOf(await act(await keyWith('guarded'), [home]), 422, 'feature_unavailable')
    expect(ran).toEqual([])
    api.agent.onGuardedBatch = refusing
  })

  it('neither installs nor uninstalls a listed app, and its next request works [40.53]', async () => {
    const key = await keyWith('guarded')
    const apps = `/v1/phones/${phone}/apps`
    for (const response of [
      await api.request('DELETE', `${apps}/com.paypal.android.p2pmobile`, { key }),
      await api.request('POST', apps, { key, payload: { package: 'com.paypal.android.p2pmobile' } }),
    ])
      expect(errorOf(response, 409, 'handoff_required')).toMatchObject({
        next: next(),
        details: { reason: 'wallet', package: 'com.paypal.android.p2pmobile' },
      })
    const other = await api.request('POST', apps, { key, payload: { package: 'com.example.none' } })
    errorOf(other, 422, 'app_not_available')
    const handoff = await api.request('POST', `/v1/phones/${phone}/handoffs`, {
      key,
      payload: { message: 'Please pay.' },
    })
    expect(handoff.statusCode).toBe(201)
    const { id } = handoff.json<{ id: string }>()
    await api.request('DELETE', `/v1/phones/${phone}/handoffs/${id}`, { key })
  })

  it('refuses changes of files in the folder of a listed app', async () => {
    const key = await keyWith('guarded')
    const files = (path: string) => `/v1/phones/${phone}/files?path=${encodeURIComponent(path)}`
    const folder = '/sdcard/android/data/com.paypal.android.p2pmobile/files/a'
    const headers = { 'content-type': 'application/octet-stream' }
    for (const response of [
      await api.request('PUT', files(folder), { key, headers, payload: Buffer.from('a') }),
      await api.request('DELETE', files(folder), { key }),
    ])
      expect(errorOf(response, 409, 'handoff_required')).toMatchObject({
        next: next(),
        details: { reason: 'wallet', package: 'com.paypal.android.p2pmobile' },
      })
    const own = files('/sdcard/Download/a')
    const written = await api.request('PUT', own, { key, headers, payload: Buffer.from('a') })
    expect(written.statusCode).toBe(201)
  })

  it('has a decision for each request that changes something on a phone', () => {
    /** How the guard is kept, or why the request cannot do work that is left to a person. */
    const decided: Record<string, string> = {
      'POST /v1/phones/{id}/actions': 'the agent refuses steps; a script of a replay sends them here',
      'POST /v1/phones/{id}/shell': 'refused',
      'POST /v1/phones/{id}/apps': 'refused for listed apps, by package and by upload',
      'DELETE /v1/phones/{id}/apps/{package}': 'refused for listed apps',
      'POST /v1/phones/{id}/apps/{package}/permissions': 'refused for listed apps',
      'POST /v1/phones/{id}/notifications/{nid}/open': 'refused for notifications of listed apps',
      'POST /v1/phones/{id}/notifications/{nid}/dismiss': 'refused for notifications of listed apps',
      'PUT /v1/phones/{id}/files': 'refused in folders of listed apps',
      'DELETE /v1/phones/{id}/files': 'refused in folders of listed apps',
      'POST /v1/phones/{id}/live': 'watches only',
      'POST /v1/phones/{id}/handoffs': 'a member who is signed in takes over',
      'GET /v1/phones/{id}/handoffs/{hid}': 'reads',
      'DELETE /v1/phones/{id}/handoffs/{hid}': 'ends what the key asked for',
      'GET /v1/phones/{id}/clipboard': 'reads',
      'PUT /v1/phones/{id}/clipboard': 'enters no field: paste keys and holds of a guarded field are refused',
      'PUT /v1/phones/{id}/location': 'a setting',
      'DELETE /v1/phones/{id}/location': 'a setting',
      'PUT /v1/phones/{id}/locale': 'a setting',
      'PUT /v1/phones/{id}/timezone': 'a setting',
      'PATCH /v1/phones/{id}': 'a name',
      'POST /v1/phones/{id}/start': 'the life of the phone',
      'POST /v1/phones/{id}/park': 'the life of the phone',
      'POST /v1/phones/{id}/heartbeat': 'the life of the phone',
      'POST /v1/phones/{id}/reboot': 'the life of the phone',
      'DELETE /v1/phones/{id}': 'the life of the phone',
      'POST /v1/phones/{id}/reset': 'the life of the phone',
      'POST /v1/phones/{id}/recordings': 'reads the screen',
      'POST /v1/phones/{id}/recordings/{rid}/stop': 'reads the screen',
      'DELETE /v1/phones/{id}/recordings/{rid}': 'deletes a video',
    }
    const changes = built
      .filter(({ path, scope }) => scope !== 'phones:read' && path.startsWith('/v1/phones/{id}'))
      .map(({ method, path }) => `${method} ${path}`)
    expect(changes.toSorted()).toEqual(Object.keys(decided).toSorted())
  })

  it.each(eras)(
    'binds tools in revision %s, with the tool for the hand-over as next [40.52]',
    async (era) => {
      const client = await connectMcp(await listening(), await keyWith('guarded'), era)
      const refused = await call(client, 'act', { phone_id: phone, actions: [store] })
      expect(errorIn(refused)).toMatchObject({
        code: 'handoff_required',
        next: `hand_off {"phone_id":"${phone}"}`,
      })
      const later = await call(client, 'act', { phone_id: phone, actions: [home, store] })
      expect(errorIn(later)).toMatchObject({
        code: 'handoff_required',
        next: `hand_off {"phone_id":"${phone}"}`,
      })
      await client.close()
    },
  )

  it('narrows a tool call by the header', async () => {
    const message = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'act', arguments: { phone_id: phone, actions: [store] } },
    }
    const narrowing = { 'phonerack-profile': 'guarded' }
    const refused = await post(await listening(), await keyWith('full'), message, narrowing)
    expect(await refused.text()).toContain('handoff_required')
  })
})

describe('an operator', () => {
  const operator = (method: 'POST' | 'GET', url: string, payload?: object) =>
    api.plane.operator.inject({
      method,
      url: `/operator/v1${url}`,
      ...(payload ? { payload } : {}),
      headers: { authorization: `Bearer ${api.plane.operatorToken}` },
    })

  it('creates a key with a profile, full by default, and sees it in the list and the audit', async () => {
    const project = api.tenant.projectId
    const made = (await operator('POST', '/keys', { project, profile: 'read-only' })).json<{ id: string }>()
    expect(made).toMatchObject({ profile: 'read-only', preset: 'agent' })
    expect((await operator('POST', '/keys', { project })).json()).toMatchObject({ profile: 'full' })
    errorOf(await operator('POST', '/keys', { project, profile: 'none' }), 400, 'validation_failed')
    const list = (await operator('GET', `/keys?project=${project}`)).json<{ data: { id: string }[] }>()
    expect(list.data.find(({ id }) => id === made.id)).toMatchObject({ profile: 'read-only' })
    const audit = await api.plane.app.core.db.auditEntry.findFirst({ where: { target: made.id } })
    expect(audit?.after).toMatchObject({ profile: 'read-only' })
  })

  it('cannot store another profile, even directly in the database', async () => {
    const { db } = api.plane.app.core
    await expect(
      db.apiKey.updateMany({ where: { projectId: api.tenant.projectId }, data: { profile: 'none' } }),
    ).rejects.toThrow(/api_keys_profile/)
  })
})

describe('over MCP', () => {
  const park = (id: string) => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'park_phone', arguments: { phone_id: id } },
  })

  it.each(eras)('the profile of the key binds the tools in revision %s [40.40]', async (era) => {
    const client = await connectMcp(await listening(), await keyWith('read-only'), era)
    const refused = await call(client, 'park_phone', { phone_id: phone })
    expect(errorIn(refused)).toMatchObject({
      code: 'insufficient_scope',
      details: { required: 'phones:control', profile: 'read-only' },
    })
    expect((await call(client, 'get_phone', { phone_id: phone })).isError).toBeFalsy()
    await client.close()
  })

  it('the header narrows the tools of its request, and an unknown value is refused [40.42]', async () => {
    const key = await keyWith('full')
    const url = await listening()
    const refused = await post(url, key, park(phone), { 'phonerack-profile': 'read-only' })
    expect(await refused.text()).toContain('insufficient_scope')
    const unknown = await post(url, key, park(phone), { 'phonerack-profile': 'root' })
    expect(unknown.status).toBe(400)
    const row = await api.plane.app.core.db.phone.findUniqueOrThrow({ where: { id: phone } })
    expect(row.status).toBe('ready')
    const allowed = await post(url, key, park(phone), { 'phonerack-profile': 'full' })
    expect(await allowed.text()).not.toContain('insufficient_scope')
  })
})

let address: Promise<string> | undefined
/** The server listens once, since it cannot listen twice. */
const listening = (): Promise<string> => (address ??= listen(api.app))
