/** Endpoints of installed apps: fields, limits at their edges, answers. */
import { ApiError } from '@phonerack/shared'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { errorOf, expectConventions, testApi, type TestApi } from '../../testing/api.js'

let api: TestApi
let base: string
beforeEach(async () => {
  api = await testApi()
  base = `/v1/phones/${api.services.phone('ready').id}/apps`
  for (const [name, system] of [
    ['com.android.settings', true],
    ['org.example.shop', false],
  ] as const)
    api.services.installed.set(name, {
      package: name,
      label: 'Ünique',
      versionName: '1.0',
      versionCode: 12,
      system,
    })
})
afterEach(() => api.app.close())

const longest = `a.${'b'.repeat(253)}`

describe('installed apps', () => {
  it('are listed, those of the system too', async () => {
    const response = await api.request('GET', base, { key: api.services.key('read-only') })
    expectConventions(response)
    expect(response.json()).toEqual({
      data: [
        {
          package: 'com.android.settings',
          label: 'Ünique',
          version_name: '1.0',
          version_code: 12,
          system: true,
        },
        {
          package: 'org.example.shop',
          label: 'Ünique',
          version_name: '1.0',
          version_code: 12,
          system: false,
        },
      ],
    })
  })

  it('are uninstalled once', async () => {
    const response = await api.request('DELETE', `${base}/org.example.shop`)
    expectConventions(response)
    expect(response.json()).toEqual({ package: 'org.example.shop', uninstalled: true })
    const error = errorOf(await api.request('DELETE', `${base}/org.example.shop`), 404, 'app_not_found')
    expect(error.details).toEqual({ package: 'org.example.shop' })
  })

  it('are named by a package of two parts or more', async () => {
    errorOf(await api.request('DELETE', `${base}/${longest}`), 404, 'app_not_found')
    for (const bad of [
      'nodots',
      '1a.b',
      'a.1b',
      'a..b',
      'a.b%20c',
      "a.b';id",
      `${longest}b`,
      'a.b-c',
      'ä.b',
    ]) {
      const error = errorOf(
        await api.request('DELETE', `${base}/${encodeURI(bad)}`),
        400,
        'validation_failed',
      )
      expect(error.details['issues']).toMatchObject([{ path: ['package'] }])
    }
  })

  it('need phones:control to be uninstalled, and a phone that is ready', async () => {
    const key = api.services.key('read-only')
    errorOf(await api.request('DELETE', `${base}/org.example.shop`, { key }), 403, 'insufficient_scope')
    const parked = `/v1/phones/${api.services.phone('parked').id}/apps`
    errorOf(await api.request('GET', parked), 409, 'phone_not_running')
    errorOf(await api.request('DELETE', `${parked}/org.example.shop`), 409, 'phone_not_running')
    expect(api.services.installed.has('org.example.shop')).toBe(true)
  })

  it('that nobody confirmed to be gone are said so', async () => {
    api.services.failures.set('uninstallApp', new ApiError('action_outcome_unknown', { next: `GET ${base}` }))
    const error = errorOf(
      await api.request('DELETE', `${base}/org.example.shop`),
      502,
      'action_outcome_unknown',
    )
    expect([error.retryable, error.next]).toEqual([false, `GET ${base}`])
  })
})
