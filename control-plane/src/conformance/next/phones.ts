/** Follows each `next` about a phone's state, its screen, settings, files and recordings. */
import { ApiError, newId } from '@phonerack/shared'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { type AgentDouble } from '../../testing/agent-double.js'
import { createFollower, requestsIn, soon, type Follower } from '../../testing/next/follow.js'
import { sitesOf } from '../../testing/next/sites.js'
import { eventually, type World } from '../../testing/world.js'

export function phoneCases(world: () => World, seen: string[]): void {
  let api: Follower
  let agent: AgentDouble
  let phone: string
  let at: string
  beforeAll(async () => {
    const plane = await world().start({ env: { PHONERACK_RECORDINGS_PER_PROJECT: '3' } })
    agent = await plane.rack(8, { beatMs: 200 })
    api = createFollower(plane, await plane.tenant({ credit: '1000' }), seen)
    phone = await api.newPhone()
    at = `/v1/phones/${phone}`
  }, 60_000)
  beforeEach(() => {
    agent.onCall = () => Promise.resolve()
    agent.onBatch = (_, send) => {
      const value = { resultsJson: Buffer.from('[]'), observationJson: Buffer.alloc(0) }
      send({ $case: 'ended', value })
      return Promise.resolve()
    }
  })
  const db = () => api.plane.app.core.db
  const home = { actions: [{ type: 'home' }], observe: 'none' }
  /** Makes the response to the agent's next call of this name get lost. */
  const loseAnswerOf = (name: string) => {
    agent.onCall = (called) => {
      if (called !== name) return Promise.resolve()
      agent.onCall = () => Promise.resolve()
      throw new Error('the process died')
    }
  }

  it('a phone that does not exist: the list of phones', async () => {
    for (const id of ['nothing', newId('phone')]) {
      const error = await api.refused(404, 'phone_not_found', 'GET', `/v1/phones/${id}`)
      const [list] = await api.follow(error.next)
      expect(list?.json<{ data: { id: string }[] }>().data.map((each) => each.id)).toContain(phone)
    }
  })

  it('a notification that is not shown, or whose action got no response: the list', async () => {
    for (const id of ['ntf_aaaaaaaaaaaa', 'none']) {
      const url = `${at}/notifications/${id}/open`
      await api.follow((await api.refused(404, 'notification_not_found', 'POST', url)).next)
    }
    for (const [name, path, body] of [
      ['openNotification', 'notifications/ntf_bbbbbbbbbbbb/open', undefined],
      ['dismissNotification', 'notifications/ntf_bbbbbbbbbbbb/dismiss', undefined],
      ['setPermissions', 'apps/org.example.app/permissions', { grant: ['android.permission.CAMERA'] }],
    ] as const) {
      loseAnswerOf(name)
      await api.follow(
        (await api.refused(502, 'action_outcome_unknown', 'POST', `${at}/${path}`, body)).next,
        [body],
      )
    }
  })

  it('permissions of an app that is not installed: the apps', async () => {
    agent.onCall = (name) =>
      name === 'setPermissions' ? Promise.reject(new ApiError('app_not_found')) : Promise.resolve()
    const url = `${at}/apps/org.example.none/permissions`
    const body = { grant: ['android.permission.CAMERA'] }
    const error = await api.refused(404, 'app_not_found', 'POST', url, body)
    expect(error.next).toBe(`GET ${at}/apps`)
    await api.follow(error.next)
  })

  it('a cursor that is not valid: the first page', async () => {
    const { next } = await api.refused(400, 'validation_failed', 'GET', '/v1/phones?limit=5&cursor=no')
    expect(next).toContain('cursor')
    await api.done('GET', '/v1/phones?limit=5')
  })

  it('a method that does not exist: a method that the text names', async () => {
    const error = await api.refused(405, 'method_not_allowed', 'PUT', '/v1/phones')
    const methods = [...error.next.matchAll(/\b(GET|POST)\b/g)].map(([method]) => method)
    expect(methods.sort()).toEqual(['GET', 'POST'])
    await api.done('GET', '/v1/phones')
  })

  /** Holds starts of phones until the returned function is called. */
  function holdStarts(): () => void {
    let go = (): void => undefined
    const held = new Promise<void>((resolve) => (go = resolve))
    for (const device of agent.devices.values()) device.onStart = () => held
    return () => {
      for (const device of agent.devices.values()) delete device.onStart
      go()
    }
  }
  const begin = async () => (await api.done('POST', '/v1/phones', { wait: false })).json<{ id: string }>().id

  it('a phone that starts: a wait until it is ready', async () => {
    const release = holdStarts()
    const id = await begin()
    const error = await api.refused(409, 'phone_starting', 'GET', `/v1/phones/${id}/observe`)
    const done = soon(() => Promise.resolve(release()))
    const [answer] = await api.follow(error.next)
    await done
    expect(answer?.json<{ status: string }>().status).toBe('ready')
    await api.done('GET', `/v1/phones/${id}/observe`)
    await api.done('DELETE', `/v1/phones/${id}`)
  })

  it('a parking phone and a parked phone: a wait, and a start', async () => {
    const device = [...agent.devices.values()].find((each) => each.assignment?.phone_id === phone)
    if (!device) throw new Error('the phone has no device')
    let parked = (): void => undefined
    device.onPark = () => new Promise((resolve) => (parked = resolve))
    await api.done('POST', `${at}/park`, { wait: false })
    const parking = await api.refused(409, 'phone_parking', 'GET', `${at}/observe`)
    const done = soon(() => Promise.resolve(parked()))
    const [answer] = await api.follow(parking.next)
    await done
    delete device.onPark
    expect(answer?.json<{ status: string }>().status).toBe('parked')
    const error = await api.refused(409, 'phone_not_running', 'GET', `${at}/observe`)
    await api.follow(error.next)
    await api.until(phone, 'ready')
    await api.done('GET', `${at}/observe`)
  })

  it('a deleted phone: a new phone', async () => {
    const gone = await api.newPhone()
    await api.done('DELETE', `/v1/phones/${gone}`)
    const deleted = await api.refused(409, 'phone_deleted', 'GET', `/v1/phones/${gone}/observe`)
    const [created] = await api.follow(deleted.next)
    const { id } = created?.json<{ id: string }>() ?? { id: '' }
    await api.until(id, 'ready')
    await api.done('DELETE', `/v1/phones/${id}`)
  })

  it('a phone that failed, even during a wait: a new phone', async () => {
    const release = holdStarts()
    const waiting = api.send('POST', '/v1/phones', { name: 'fails' })
    const begun = () => db().phone.findFirst({ where: { name: 'fails' } })
    await eventually(async () => (await begun()) !== null, 30_000)
    const id = (await begun())?.id ?? ''
    await db().phone.update({ where: { id }, data: { status: 'failed' } })
    api.plane.app.core.changes.publish(id)
    const waited = (await waiting).json<{ error: { next: string; details: { phone: string } } }>().error
    expect(waited.details.phone).toBe(id)
    release()
    const failed = await api.refused(409, 'phone_failed', 'GET', `/v1/phones/${id}/observe`)
    for (const next of [failed.next, api.note(waited.next)]) {
      const [created] = await api.follow(next)
      await api.done('DELETE', `/v1/phones/${created?.json<{ id: string }>().id}`)
    }
  })

  it('an Idempotency-Key with another body: a new key', async () => {
    const key = { 'idempotency-key': newId('request') }
    const first = await api.send('POST', '/v1/phones', { name: 'one' }, key)
    expect(first.statusCode).toBeLessThan(300)
    await api.refused(409, 'idempotency_conflict', 'POST', '/v1/phones', { name: 'two' }, key)
    const same = await api.send('POST', '/v1/phones', { name: 'one' }, key)
    expect(same.json()).toMatchObject({ id: first.json<{ id: string }>().id })
    const other = await api.send(
      'POST',
      '/v1/phones',
      { name: 'two' },
      { 'idempotency-key': newId('request') },
    )
    expect(other.statusCode).toBeLessThan(300)
    for (const answer of [first, other]) {
      const { id } = answer.json<{ id: string }>()
      await api.until(id, 'ready')
      await api.done('DELETE', `/v1/phones/${id}`)
    }
  })

  it('a lost batch: the screen', async () => {
    agent.onBatch = (_, send) => {
      send({ $case: 'started', value: { index: 0 } })
      return Promise.reject(new Error('the process died'))
    }
    const answer = await api.done('POST', `${at}/actions`, home)
    const [result] = answer.json<{ results: { error: { code: string; next: string } }[] }>().results
    expect(result?.error.code).toBe('action_outcome_unknown')
    expect(api.note(result?.error.next)).toMatch(/observe/i)
    await api.done('GET', `${at}/observe`)
    agent.onBatch = () => Promise.reject(new Error('the process died'))
    const error = await api.refused(500, 'internal_error', 'POST', `${at}/actions`, home)
    expect(error.next).toMatch(/observe/i)
    await api.done('GET', `${at}/observe`)
  })

  it('a refusal of the agent that names a request: that request, on this phone', async () => {
    const named = sitesOf('host-agent/src').sites.filter(({ sample }) => requestsIn(sample).length > 0)
    expect(named.length).toBeGreaterThan(0)
    for (const { sample } of named) {
      agent.onCall = (name) =>
        name === 'setClipboard'
          ? Promise.reject(new ApiError('provider_error', { next: sample }))
          : Promise.resolve()
      const error = await api.refused(502, 'provider_error', 'PUT', `${at}/clipboard`, { text: 'a' })
      const isHandoff = error.next.endsWith('/handoffs')
      const [answer] = await api.follow(error.next, isHandoff ? [{ message: 'Sign in.' }] : [])
      if (isHandoff) await api.done('DELETE', `${at}/handoffs/${answer?.json<{ id: string }>().id}`)
    }
  })

  it.each([
    ['setTimezone', 'PUT', '/timezone', { timezone: 'Europe/Paris' }],
    ['setLocation', 'PUT', '/location', { lat: 1, lng: 2, timezone_from_location: false }],
    ['setClipboard', 'PUT', '/clipboard', { text: 'a' }],
    ['setLocale', 'PUT', '/locale', { locale: 'en-US' }],
    ['uninstallApp', 'DELETE', '/apps/org.example.app', undefined],
    ['rebootPhone', 'POST', '/reboot', undefined],
  ] as const)('%s whose response was lost: a read of its outcome', async (name, method, path, body) => {
    loseAnswerOf(name)
    const error = await api.refused(502, 'action_outcome_unknown', method, `${at}${path}`, body)
    await api.follow(error.next)
  })

  it('a location whose time zone was not set: that time zone', async () => {
    loseAnswerOf('setTimezone')
    const body = { lat: 48.86, lng: 2.35, timezone_from_location: true }
    const answer = await api.send('PUT', `${at}/location`, body)
    const { error } = answer.json<{ error: { next: string; details: { timezone: string } } }>()
    const [set] = await api.follow(api.note(error.next))
    expect(set?.json()).toMatchObject({ timezone: error.details.timezone })
  })

  it('a directory instead of a file, and the reverse: the matching request', async () => {
    const names = (kind: string) => () =>
      Promise.reject(
        new ApiError('validation_failed', {
          details: { names: kind, validation_stage: 'query', issues: [] },
        }),
      )
    for (const [kind, call, url] of [
      ['file', 'listFiles', '/files?path=/sdcard/a'],
      ['directory', 'readFile', '/files/content?path=/sdcard/a'],
    ] as const) {
      agent.onCall = (name) => (name === call ? names(kind)() : Promise.resolve())
      const error = await api.refused(400, 'validation_failed', 'GET', `${at}${url}`)
      await api.follow(error.next)
    }
  })

  it('a recording of a running phone: its stop, and then its video', async () => {
    const started = await api.done('POST', `${at}/recordings`)
    const { id } = started.json<{ id: string }>()
    const running = await api.refused(409, 'recording_not_ready', 'GET', `${at}/recordings/${id}/video`)
    const second = await api.refused(409, 'recording_in_progress', 'POST', `${at}/recordings`)
    expect(second.next).toBe(running.next)
    await api.follow(running.next)
    agent.recordings.finish(id)
    const ready = async () =>
      (await api.done('GET', `${at}/recordings`))
        .json<{ data: { id: string; status: string }[] }>()
        .data.some((each) => each.id === id && each.status === 'ready')
    await eventually(ready, 30_000)
    await api.done('GET', `${at}/recordings/${id}/video`)
    const again = (await api.done('POST', `${at}/recordings`)).json<{ id: string }>()
    for (const each of [again.id, id]) await api.done('DELETE', `${at}/recordings/${each}`)
    const error = await api.refused(404, 'recording_not_found', 'GET', `${at}/recordings/${id}/video`)
    await api.follow(error.next)
  })

  it('more recordings than the project may keep: the list, and a delete', async () => {
    const ids: string[] = []
    for (let each = 0; each < 3; each += 1) {
      const { id } = (await api.done('POST', `${at}/recordings`)).json<{ id: string }>()
      await api.done('POST', `${at}/recordings/${id}/stop`)
      ids.push(id)
    }
    const error = await api.refused(409, 'recording_limit_reached', 'POST', `${at}/recordings`)
    const [list] = await api.follow(error.next)
    const [first] = list?.json<{ data: { id: string }[] }>().data ?? []
    await api.done('DELETE', `${at}/recordings/${first?.id}`)
    await api.done('POST', `${at}/recordings`)
    for (const each of (await api.done('GET', `${at}/recordings`)).json<{ data: { id: string }[] }>().data)
      await api.done('DELETE', `${at}/recordings/${each.id}`)
  })

  it('a recording of a parked phone: the list until the recording has ended, without a paid start', async () => {
    const { id } = (await api.done('POST', `${at}/recordings`)).json<{ id: string }>()
    // The host does not report the end of the recording yet.
    agent.onCall = (name) =>
      name === 'stopRecording' ? Promise.reject(new Error('the process died')) : Promise.resolve()
    await api.done('POST', `${at}/park`)
    await api.until(phone, 'parked')
    const running = await api.refused(409, 'recording_in_progress', 'DELETE', `${at}/recordings/${id}`)
    const [list] = await api.follow(running.next.split('. ')[0] ?? '')
    expect(list?.json<{ data: { status: string }[] }>().data[0]?.status).toBe('recording')
    const waiting = await api.refused(409, 'recording_not_ready', 'GET', `${at}/recordings/${id}/video`)
    agent.onCall = () => Promise.resolve()
    await eventually(async () => {
      const [all] = await api.follow(waiting.next)
      return all?.json<{ data: { status: string }[] }>().data[0]?.status !== 'recording'
    }, 30_000)
    expect(await api.status(phone)).toBe('parked')
    await api.done('DELETE', `${at}/recordings/${id}`)
    await api.done('POST', `${at}/start`)
    await api.until(phone, 'ready')
  })

  it('a step that the profile guarded leaves to a person: a hand-over', async () => {
    const store = `${at}/apps/com.android.vending`
    const guarded = { 'phonerack-profile': 'guarded' }
    const { next } = await api.refused(409, 'handoff_required', 'DELETE', store, undefined, guarded)
    const [made] = await api.follow(next, [{ message: 'Please remove the app.' }])
    await api.done('DELETE', `${at}/handoffs/${made?.json<{ id: string }>().id}`)
  })

  it('a second hand-over, and a request while a person has the phone: the first hand-over', async () => {
    const make = () => api.done('POST', `${at}/handoffs`, { message: 'Sign in.' })
    const { id } = (await make()).json<{ id: string }>()
    await db().handoff.update({ where: { id }, data: { status: 'taken', takenAt: new Date() } })
    const controlled = await api.refused(409, 'phone_controlled', 'POST', `${at}/actions`, home)
    const done = soon(() => api.done('DELETE', `${at}/handoffs/${id}`))
    const waited = await api.send('GET', controlled.next.slice('GET '.length))
    expect(waited.statusCode).not.toBe(400)
    await done
    await api.done('POST', `${at}/actions`, home)
    const second = (await make()).json<{ id: string }>()
    const error = await api.refused(409, 'handoff_in_progress', 'POST', `${at}/handoffs`, { message: 'a' })
    // The hand-over gets no answer: the wait ends when the hand-over is withdrawn.
    const [wait = '', takeBack = ''] = error.next.match(/(?:GET|DELETE) \/v1[^\s,]+/g) ?? []
    expect(wait).toContain(second.id)
    const waiting = api.send('GET', wait.slice('GET '.length))
    await soon(() => api.follow(takeBack))
    expect([200, 404]).toContain((await waiting).statusCode)
    const { id: third } = (await make()).json<{ id: string }>()
    await api.done('DELETE', `${at}/handoffs/${third}`)
  })
}
