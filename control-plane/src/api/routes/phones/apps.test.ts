/** Endpoints of installed apps: fields, limits at their edges, responses. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { errorOf, expectConventions, startApi, type TestApi } from '../../../testing/api.js'

let api: TestApi
let base: string
let readOnly: string
beforeAll(async () => {
  api = await startApi({ devices: 1 })
  base = `/v1/phones/${await api.readyPhone()}/apps`
  readOnly = await api.keyOf('read-only')
})
beforeEach(() => {
  api.agent.held.apps = ['com.android.settings', 'org.example.shop']
})
afterAll(() => api.close())

const longest = `a.${'b'.repeat(253)}`

describe('installed apps', () => {
  it('are listed, including system apps', async () => {
    const response = await api.request('GET', base, { key: readOnly })
    expectConventions(response)
    expect(response.json()).toEqual({
      data: [
        {
          package: 'com.android.settings',
          label: 'com.android.settings',
          version_name: '1',
          version_code: 1,
          system: true,
        },
        {
          package: 'org.example.shop',
          label: 'org.example.shop',
          version_name: '1',
          version_code: 1,
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

  it('are identified by a package of at least two parts', async () => {
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

  it('need phones:control and a ready phone to be uninstalled', async () => {
    const key = readOnly
    errorOf(await api.request('DELETE', `${base}/org.example.shop`, { key }), 403, 'insufficient_scope')
    const parked = `/v1/phones/${await api.placePhone('parked')}/apps`
    errorOf(await api.request('GET', parked), 409, 'phone_not_running')
    errorOf(await api.request('DELETE', `${parked}/org.example.shop`), 409, 'phone_not_running')
    expect(api.agent.held.apps).toContain('org.example.shop')
  })

  it('return action_outcome_unknown when the uninstall is not confirmed', async () => {
    api.agent.onAnswer = (call, bytes) => {
      if (call !== 'uninstallApp') return bytes
      api.agent.onAnswer = (_, sent) => sent
      throw new Error('lost')
    }
    const error = errorOf(
      await api.request('DELETE', `${base}/org.example.shop`),
      502,
      'action_outcome_unknown',
    )
    expect([error.retryable, error.next]).toEqual([false, `GET ${base}`])
  })
})
