/** Endpoints of logs, crashes, notifications and permissions: fields, limits at their edges, responses. */
import { mostNotifications } from '@phonerack/shared'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { doubleNotification, shownNotification } from '../../../testing/agent-double/reports.js'
import { errorOf, expectConventions, startApi, type TestApi } from '../../../testing/api.js'

let api: TestApi
let base: string
let readOnly: string
beforeAll(async () => {
  api = await startApi({ devices: 3 })
  base = `/v1/phones/${await api.readyPhone()}`
  readOnly = await api.keyOf('read-only')
})
afterAll(() => api.close())

interface Listed {
  data: Record<string, unknown>[]
  next_cursor: string | null
}

describe('logs', () => {
  it('are listed newest first, to keys that only read [42.1]', async () => {
    const response = await api.request('GET', `${base}/logs`, { key: readOnly })
    expectConventions(response)
    const { data, next_cursor: cursor } = response.json<Listed>()
    expect(cursor).toBeNull()
    expect(data).toHaveLength(5)
    expect(data[0]).toEqual({
      at: '2026-11-21T12:49:30.086Z',
      level: 'info',
      tag: 'Double',
      pid: 1000,
      package: null,
      message: 'line 0',
    })
    expect(data[1]).toMatchObject({ package: 'org.example.app' })
  })

  it('are divided into pages by cursors of this phone only [42.4]', async () => {
    const seen: unknown[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const query: string = cursor === '' ? '?limit=2' : `?limit=2&cursor=${encodeURIComponent(cursor)}`
      const page: Listed = (await api.request('GET', `${base}/logs${query}`)).json<Listed>()
      seen.push(...page.data.map(({ message }) => message))
      cursor = page.next_cursor
    }
    expect(seen).toEqual(['line 0', 'line 1', 'line 2', 'line 3', 'line 4'])
    const first = (await api.request('GET', `${base}/logs?limit=2`)).json<Listed>().next_cursor ?? ''
    const other = `/v1/phones/${await api.readyPhone()}`
    for (const path of [`${other}/logs`, `${base}/crashes`]) {
      const response = await api.request('GET', `${path}?cursor=${encodeURIComponent(first)}`)
      expect(errorOf(response, 400, 'validation_failed').details['issues']).toMatchObject([
        { path: ['cursor'] },
      ])
    }
  })

  it('are filtered by values at their edges [42.3]', async () => {
    for (const good of [
      ...['limit=1', 'limit=1000', 'level=fatal', 'level=verbose', 'package=org.example.app'],
      ...['since=2026-11-21T12:00:00Z', 'since=2026-11-21T12:00:00.123%2B02:00'],
    ])
      expect((await api.request('GET', `${base}/logs?${good}`)).statusCode, good).toBe(200)
    for (const [bad, name] of [
      ...([
        ['limit=0', 'limit'],
        ['limit=1001', 'limit'],
        ['limit=x', 'limit'],
      ] as const),
      ...([
        ['level=loud', 'level'],
        ['level=', 'level'],
        ['package=nodots', 'package'],
      ] as const),
      ...([
        ['since=yesterday', 'since'],
        ['since=2026-13-01T00:00:00Z', 'since'],
      ] as const),
      ...([
        ['cursor=no', 'cursor'],
        ['limit=1&limit=2', 'limit'],
      ] as const),
    ]) {
      const error = errorOf(await api.request('GET', `${base}/logs?${bad}`), 400, 'validation_failed')
      expect(error.details['issues'], bad).toMatchObject([{ path: [name] }])
    }
  })

  it('are refused like other reads while the phone is not ready [42.14]', async () => {
    const parked = await api.readyPhone()
    await api.request('POST', `/v1/phones/${parked}/park`)
    for (const path of ['logs', 'crashes', 'notifications']) {
      const error = errorOf(
        await api.request('GET', `/v1/phones/${parked}/${path}`),
        409,
        'phone_not_running',
      )
      expect(error.next).toBe(`POST /v1/phones/${parked}/start`)
    }
    await api.request('DELETE', `/v1/phones/${parked}`, { key: await api.keyOf('admin') })
  })
})

it('crashes are listed with their stacks [42.16]', async () => {
  const response = await api.request('GET', `${base}/crashes`, { key: readOnly })
  expectConventions(response)
  const { data, next_cursor: cursor } = response.json<Listed>()
  expect(data).toEqual([
    {
      at: '2026-11-21T12:49:30.086Z',
      kind: 'anr',
      package: 'org.example.app',
      process: 'org.example.app',
      pid: null,
      exception: null,
      reason: 'did not respond',
      stack: '"main"',
      truncated: false,
    },
  ])
  const second = await api.request('GET', `${base}/crashes?cursor=${encodeURIComponent(cursor ?? '')}`)
  expect(second.json<Listed>().next_cursor).toBeNull()
  for (const bad of ['limit=0', 'limit=51', 'package=x', 'cursor=no'])
    errorOf(await api.request('GET', `${base}/crashes?${bad}`), 400, 'validation_failed')
})

describe('notifications', () => {
  it('are listed [42.19]', async () => {
    const response = await api.request('GET', `${base}/notifications`, { key: readOnly })
    expectConventions(response)
    expect(response.json()).toEqual({
      data: [
        {
          id: doubleNotification,
          package: 'org.example.app',
          title: 'Title',
          text: 'Text',
          posted_at: '2026-11-21T12:49:30.086Z',
          dismissible: true,
        },
      ],
    })
  })

  it('are opened and dismissed by keys that control [42.35]', async () => {
    const at = `${base}/notifications/${doubleNotification}`
    const opened = await api.request('POST', `${at}/open`)
    expectConventions(opened)
    expect(opened.json()).toEqual({ id: doubleNotification, opened: true })
    const dismissed = await api.request('POST', `${at}/dismiss`)
    expect(dismissed.json()).toEqual({ id: doubleNotification, dismissed: true })
    for (const verb of ['open', 'dismiss']) {
      errorOf(await api.request('POST', `${at}/${verb}`, { key: readOnly }), 403, 'insufficient_scope')
      errorOf(await api.request('POST', `${at}/${verb}`, { body: { x: 1 } }), 400, 'validation_failed')
    }
  })

  it('are not found when the phone does not show them [23.45, 42.28]', async () => {
    for (const id of ['ntf_aaaaaaaaaaaa', 'ntf_1', 'x'])
      for (const verb of ['open', 'dismiss']) {
        const response = await api.request('POST', `${base}/notifications/${id}/${verb}`)
        const error = errorOf(response, 404, 'notification_not_found')
        expect(error.details).toEqual({ notification: id })
        expect(error.next).toBe(`GET ${base}/notifications`)
      }
  })
})

describe('notifications for guarded requests', () => {
  const headers = { 'phonerack-profile': 'guarded' }
  const path = `${doubleNotification}/open`
  const open = (more: object = { headers }) => api.request('POST', `${base}/notifications/${path}`, more)
  const bank = { ...shownNotification, id: 'ntf_cccccccccccc', package: 'com.venmo' }
  afterEach(() => {
    api.agent.held.notifications = [shownNotification]
  })

  it('are refused when the notification of an app that is left to a person has the same texts [42.26]', async () => {
    for (const change of [{}, { title: ' Title', text: 'Text\nand more' }, { title: 'Text', text: 'Title' }])
      for (const order of [0, 1]) {
        const listed = [shownNotification, { ...bank, ...change }]
        api.agent.held.notifications = order === 0 ? listed : listed.toReversed()
        const error = errorOf(await open(), 409, 'handoff_required')
        expect(error.details).toEqual({ reason: 'wallet', package: 'com.venmo' })
        expect(error.next).toBe(`POST ${base}/handoffs`)
        expect((await open({})).statusCode).toBe(200)
      }
  })

  it('are sent when its texts differ, or the app is not left to a person', async () => {
    api.agent.held.notifications = [{ ...bank, text: 'Other' }, shownNotification]
    expect((await open()).statusCode).toBe(200)
    api.agent.held.notifications = [{ ...bank, package: 'org.example.other' }, shownNotification]
    expect((await open()).statusCode).toBe(200)
  })

  it('are refused when the list may be incomplete', async () => {
    const many = Array.from({ length: mostNotifications - 1 }, (_, index) => ({
      ...bank,
      package: 'org.example.other',
      title: `Title ${index}`,
    }))
    api.agent.held.notifications = [...many, shownNotification]
    expect(errorOf(await open(), 409, 'handoff_required').details).toEqual({ package: 'org.example.app' })
    api.agent.held.notifications = [...many.slice(1), shownNotification]
    expect((await open()).statusCode).toBe(200)
  })
})

describe('permissions', () => {
  const camera = 'android.permission.CAMERA'
  const contacts = 'android.permission.READ_CONTACTS'
  const set = (body: object, name = 'org.example.app', key?: string) =>
    api.request('POST', `${base}/apps/${name}/permissions`, { body, ...(key ? { key } : {}) })

  it('are granted and revoked [42.32]', async () => {
    const response = await set({ grant: [camera], revoke: [contacts] })
    expectConventions(response)
    expect(response.json()).toEqual({
      package: 'org.example.app',
      permissions: [
        { name: camera, granted: true },
        { name: contacts, granted: false },
      ],
    })
    errorOf(await set({ grant: [camera] }, 'org.example.app', readOnly), 403, 'insufficient_scope')
  })

  it('are checked before the phone is asked', async () => {
    const many = Array.from({ length: 51 }, (_, index) => `android.permission.P${index}`)
    for (const bad of [
      ...[{}, { grant: [] }, { grant: [camera], revoke: [camera] }, { grant: many }, { grant: ['x'] }],
      ...[{ grant: [`${camera};id`] }, { grant: camera }, { grant: [camera], other: 1 }, { grant: [1] }],
    ])
      errorOf(await set(bad), 400, 'validation_failed')
    expect((await set({ grant: many.slice(1) })).statusCode).toBe(200)
    errorOf(await set({ grant: [camera] }, 'nodots'), 400, 'validation_failed')
  })

  it('are refused to guarded requests for apps that are left to a person [42.34]', async () => {
    const path = `${base}/apps/com.android.vending/permissions`
    const headers = { 'phonerack-profile': 'guarded' }
    const error = errorOf(
      await api.request('POST', path, { headers, body: { grant: [camera] } }),
      409,
      'handoff_required',
    )
    expect(error.details).toEqual({ reason: 'store', package: 'com.android.vending' })
    expect((await set({ grant: [camera] }, 'com.android.vending')).statusCode).toBe(200)
  })
})
