// Settings and files of a phone over real gRPC and mutual TLS: which calls are repeated, which are not, and
// what a lost response means.
import { ApiError } from '@phonerack/shared'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type AgentDouble } from '../../testing/agent-double.js'
import { readyPhone } from '../../testing/ready-phone.js'
import { useWorld, type Plane, type Tenant } from '../../testing/world.js'

const world = useWorld()
let plane: Plane
let agent: AgentDouble
let tenant: Tenant
let phoneId: string
const context = { requestId: 'req_aaaaaaaaaaaa', signal: new AbortController().signal }

beforeAll(async () => {
  plane = await world.start()
  agent = await plane.rack(1)
  tenant = await plane.tenant()
  phoneId = await readyPhone(plane, tenant)
})
beforeEach(() => {
  agent.onCall = () => Promise.resolve()
  agent.log.length = 0
})

const refusalOf = async (work: Promise<unknown>): Promise<ApiError> => {
  const error: unknown = await work.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (!(error instanceof ApiError)) throw new Error(`no ApiError: ${String(error)}`)
  return error
}
const settings = () => plane.app.services.settings
const files = () => plane.app.services.files
/** Ends the agent's connection during this call, once. */
const loseAnswerOf = (name: string) => {
  agent.onCall = (called) => {
    if (called !== name) return Promise.resolve()
    agent.onCall = () => Promise.resolve()
    throw new Error('the process died')
  }
}

describe('a read', () => {
  it('is repeated when its response was lost', async () => {
    agent.held.clipboard = 'held'
    loseAnswerOf('getClipboard')
    expect(await settings().clipboard(tenant.caller, phoneId, context)).toBe('held')
    expect(agent.log).toEqual(['getClipboard', 'getClipboard'])
  })

  it('returns the default location until one is set', async () => {
    expect(await settings().location(tenant.caller, phoneId, context)).toEqual({ lat: 40.7128, lng: -74.006 })
  })
})

describe('a write', () => {
  it('is never repeated when its response was lost, and its outcome is unknown [22.29]', async () => {
    loseAnswerOf('setClipboard')
    const error = await refusalOf(settings().setClipboard(tenant.caller, phoneId, 'x', context))
    expect(error).toMatchObject({
      code: 'action_outcome_unknown',
      retryable: false,
      next: `GET /v1/phones/${phoneId}/clipboard`,
    })
    expect(agent.log).toEqual(['setClipboard'])
  })

  it('is sent once, for each kind, and names the request that shows its outcome [35.3]', async () => {
    const { packages } = plane.app.services
    const at: [typeof tenant.caller, string] = [tenant.caller, phoneId]
    const home = { location: { lat: 1, lng: 2 }, withTimezone: false }
    const file = '/sdcard/dir/a.txt'
    agent.held.files = ['a.txt']
    for (const [name, work, next] of [
      ['setClipboard', () => settings().setClipboard(...at, 'x', context), 'clipboard'],
      ['setLocation', () => settings().setLocation(...at, home, context), 'location'],
      ['setLocation', () => settings().resetLocation(...at, context), 'location'],
      ['setLocale', () => settings().setLocale(...at, 'de', context), 'locale'],
      ['setTimezone', () => settings().setTimezone(...at, 'UTC', context), 'timezone'],
      [
        'writeFile',
        () => files().write(...at, file, Buffer.from('x'), context),
        'files?path=%2Fsdcard%2Fdir',
      ],
      ['deleteFile', () => files().delete(...at, file, context), 'files?path=%2Fsdcard%2Fdir'],
      ['uninstallApp', () => packages.uninstall(...at, 'org.example.shop', context), 'apps'],
    ] as const) {
      // Answer one request in between, since a host that lost five responses in a row is not called for a
      // moment.
      await settings().clipboard(...at, context)
      agent.log.length = 0
      loseAnswerOf(name)
      expect(await refusalOf(work()), name).toMatchObject({
        code: 'action_outcome_unknown',
        status: 502,
        retryable: false,
        next: `GET /v1/phones/${phoneId}/${next}`,
      })
      expect(agent.log.filter((line) => line !== 'listFiles')).toEqual([name])
    }
  })

  it("passes on the agent's own error", async () => {
    agent.onCall = () =>
      Promise.reject(new ApiError('feature_unavailable', { details: { feature: 'clipboard' } }))
    const error = await refusalOf(settings().setClipboard(tenant.caller, phoneId, 'x', context))
    expect(error).toMatchObject({ code: 'feature_unavailable', details: { feature: 'clipboard' } })
  })
})

describe('a feature that the phone lacks', () => {
  it('is named in the error of each request that needs it, and nothing else is sent to the phone [35.6]', async () => {
    const at: [typeof tenant.caller, string] = [tenant.caller, phoneId]
    const home = { location: { lat: 1, lng: 2 }, withTimezone: true }
    for (const [feature, work] of [
      ['device_info', () => settings().deviceInfo(...at, context)],
      ['clipboard', () => settings().clipboard(...at, context)],
      ['clipboard', () => settings().setClipboard(...at, 'x', context)],
      ['location', () => settings().location(...at, context)],
      ['location', () => settings().setLocation(...at, home, context)],
      ['location', () => settings().resetLocation(...at, context)],
      ['locale', () => settings().locale(...at, context)],
      ['locale', () => settings().setLocale(...at, 'de', context)],
      ['timezone', () => settings().timezone(...at, context)],
      ['timezone', () => settings().setTimezone(...at, 'UTC', context)],
      ['files', () => files().list(...at, '/sdcard', context)],
      ['apps', () => plane.app.services.packages.list(...at, context)],
    ] as const) {
      agent.log.length = 0
      agent.onCall = () => Promise.reject(new ApiError('feature_unavailable', { details: { feature } }))
      expect(await refusalOf(work()), feature).toMatchObject({
        code: 'feature_unavailable',
        status: 422,
        retryable: false,
        details: { feature },
      })
      expect(agent.log).toHaveLength(1)
    }
  })
})

describe('a location', () => {
  const vienna = { lat: 48.2082, lng: 16.3738 }
  const set = (withTimezone = true) =>
    settings().setLocation(tenant.caller, phoneId, { location: vienna, withTimezone }, context)

  it('sets its time zone', async () => {
    expect(await set()).toBe('Europe/Vienna')
    expect(agent.log).toEqual(['setLocation', 'setTimezone'])
    expect(await settings().location(tenant.caller, phoneId, context)).toEqual(vienna)
  })

  it('leaves the time zone unchanged when requested, or when the phone has none [35.18]', async () => {
    expect(await set(false)).toBeNull()
    expect(agent.log).toEqual(['setLocation'])
    agent.onCall = (name) =>
      name === 'setTimezone' ? Promise.reject(new ApiError('feature_unavailable')) : Promise.resolve()
    expect(await set()).toBeNull()
  })

  it('is reported as set when its time zone fails [35.19]', async () => {
    loseAnswerOf('setTimezone')
    expect(await refusalOf(set())).toMatchObject({
      code: 'action_outcome_unknown',
      next: `PUT /v1/phones/${phoneId}/timezone {"timezone":"Europe/Vienna"}`,
      details: { location_set: true, timezone: 'Europe/Vienna' },
    })
    loseAnswerOf('setTimezone')
    expect(await refusalOf(settings().resetLocation(tenant.caller, phoneId, context))).toMatchObject({
      details: { location_reset: true, timezone: 'America/New_York' },
    })
  })
})

describe('an unconfirmed delete', () => {
  const remove = () => files().delete(tenant.caller, phoneId, '/sdcard/dir/a.txt', context)

  it('is verified by one read, and succeeds when the file is gone [34.23]', async () => {
    agent.held.files = ['b.txt']
    loseAnswerOf('deleteFile')
    await remove()
    expect(agent.log).toEqual(['deleteFile', 'listFiles'])
  })

  it('stays unknown when the file still exists [34.24]', async () => {
    agent.held.files = ['a.txt']
    loseAnswerOf('deleteFile')
    expect(await refusalOf(remove())).toMatchObject({
      code: 'action_outcome_unknown',
      next: `GET /v1/phones/${phoneId}/files?path=%2Fsdcard%2Fdir`,
    })
    expect(agent.log).toEqual(['deleteFile', 'listFiles'])
  })

  it('returns file_not_found for a path that never existed [34.25]', async () => {
    agent.onCall = () =>
      Promise.reject(new ApiError('file_not_found', { details: { path: '/sdcard/dir/a.txt' } }))
    expect((await refusalOf(remove())).code).toBe('file_not_found')
    expect(agent.log).toEqual(['deleteFile'])
  })
})

describe('a directory instead of a file, or a file instead of a directory', () => {
  it.each([
    ['file', 'files/content?path=%2Fsdcard%2Fx'],
    ['directory', 'files?path=%2Fsdcard%2Fx'],
  ])('%s gets the matching request', async (names, request) => {
    agent.onCall = () =>
      Promise.reject(
        new ApiError('validation_failed', {
          details: { names, issues: [{ path: ['path'], message: 'no' }] },
        }),
      )
    const error = await refusalOf(files().list(tenant.caller, phoneId, '/sdcard/x', context))
    expect(error).toMatchObject({
      code: 'validation_failed',
      next: `GET /v1/phones/${phoneId}/${request}`,
      details: { issues: [{ path: ['path'], message: 'no' }] },
    })
    expect(error.details).not.toHaveProperty('names')
  })
})

describe('apps', () => {
  const packages = () => plane.app.services.packages

  it('are listed again when the response is lost', async () => {
    agent.held.apps = ['org.example.shop']
    loseAnswerOf('listApps')
    expect(await packages().list(tenant.caller, phoneId, context)).toEqual([
      {
        package: 'org.example.shop',
        label: 'org.example.shop',
        versionName: '1',
        versionCode: 1,
        system: false,
      },
    ])
    expect(agent.log).toEqual(['listApps', 'listApps'])
  })

  it('are uninstalled once, with or without a response', async () => {
    agent.held.apps = ['org.example.shop']
    loseAnswerOf('uninstallApp')
    expect(
      await refusalOf(packages().uninstall(tenant.caller, phoneId, 'org.example.shop', context)),
    ).toMatchObject({
      code: 'action_outcome_unknown',
      retryable: false,
      next: `GET /v1/phones/${phoneId}/apps`,
    })
    expect(agent.log).toEqual(['uninstallApp'])
  })
})
