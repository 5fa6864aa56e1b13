/** Steps over HTTP: their content, who may read them, and the omitted texts and pictures. */
import { ObserveMode } from '@phonerack/proto'
import { newId, type Observation } from '@phonerack/shared'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { errorOf, startApi, type TestApi } from '../../testing/api.js'
import { call, connectMcp, listen } from '../../testing/mcp-client.js'
import { changeProject } from '../../testing/operator.js'
import {
  answering,
  element,
  pictureData as data,
  pictured,
  screenOf,
  snapshot,
} from '../../testing/step-screens.js'
import { eventually } from '../../testing/world.js'
import { Prisma } from '../../gen/prisma/client.js'
import { type StepJson } from './types.js'
import { pack, unpack } from './pack.js'

let api: TestApi
let id: string
beforeAll(async () => {
  api = await startApi({ devices: 3 })
  id = await api.readyPhone()
})
afterAll(() => api.close())

const actOn = (actions: object[], observe: string, phone: string) =>
  api.request('POST', `/v1/phones/${phone}/actions`, {
    payload: { actions, observe },
    headers: { 'user-agent': 'agent/1.0' },
  })
const act = (actions: object[], observe = 'ui', phone = id) => actOn(actions, observe, phone)
async function steps(query = '', phone = id): Promise<StepJson[]> {
  const answer = await api.request('GET', `/v1/phones/${phone}/steps${query}`)
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json<{ data: StepJson[] }>().data
}
const newestOf = async (phone: string): Promise<StepJson> => {
  const [step] = await steps('?limit=1', phone)
  if (!step) throw new Error('there is no step')
  return step
}
const newest = () => newestOf(id)
const settings = (change: object) => changeProject(api.plane.app.core, api.tenant.projectId, change)

beforeEach(() => {
  api.agent.onBatch = answering(screenOf([element(1, { text: 'Home' })]))
})

describe('a batch', () => {
  it('is a step when its answer arrives, with its results, sender, times and both screens [43.1]', async () => {
    const first = screenOf([element(1, { text: 'Before' })])
    const second = screenOf([element(1, { text: 'After' })])
    api.agent.onBatch = answering(first)
    await act([{ type: 'home' }])
    api.agent.onBatch = answering(second)
    const answer = await act([{ type: 'back' }, { type: 'home' }])
    const step = await newest()
    expect(step).toMatchObject({
      object: 'step',
      phone: id,
      request_id: answer.headers['x-request-id'],
      status: 'succeeded',
      by: { via: 'api', client: 'agent/1.0' },
      observe: 'ui',
      actions: [{ type: 'back' }, { type: 'home' }],
      results: [{ index: 0, type: 'back', ok: true }, { index: 1 }],
      completed: 2,
      text_kept: false,
      before: first,
      after: second,
      picture: null,
      error: null,
    })
    expect(answer.json()).toMatchObject({ observation: second })
    expect(step.id).toMatch(/^stp_[a-z2-7]{12}$/)
    expect(step.session).toMatch(/^ses_/)
    expect(Date.parse(step.ended_at ?? '') - Date.parse(step.started_at)).toBe(step.duration_ms)
    expect(Date.parse(step.expires_at) - Date.parse(step.started_at)).toBe(7 * 86_400_000)
    const one = await api.request('GET', `/v1/phones/${id}/steps/${step.id}`)
    expect(one.json()).toEqual(step)
  })

  it('begins with the screen that the client read last [43.2]', async () => {
    const seen = (await api.request('GET', `/v1/phones/${id}/observe`)).json<Observation>()
    await act([{ type: 'home' }], 'none')
    expect((await newest()).before).toMatchObject({ snapshot_id: seen.snapshot_id, app: { package: 'x' } })
  })

  it('contains its failure, with the error [43.3]', async () => {
    const error = { code: 'wait_timeout', message: 'x', retryable: true, next: null, details: {} } as const
    api.agent.onBatch = answering(screenOf([]), (result) =>
      result.index === 0 ? { ...result, ok: false, error } : result,
    )
    await act([{ type: 'home' }])
    expect(await newest()).toMatchObject({ status: 'failed', completed: 0, results: [{ ok: false, error }] })
  })

  it('is unknown when its stream is lost after the first action [43.4]', async () => {
    api.agent.onBatch = (_, send) => {
      send({ $case: 'started', value: { index: 0 } })
      return Promise.reject(new Error('lost'))
    }
    const answer = await act([{ type: 'home' }])
    expect(answer.json()).toMatchObject({ results: [{ error: { code: 'action_outcome_unknown' } }] })
    expect(await newest()).toMatchObject({
      status: 'unknown',
      results: [{ error: { code: 'action_outcome_unknown' } }],
    })
  })

  it('is unknown when no result is known, with its error [43.5]', async () => {
    api.agent.onBatch = () => Promise.reject(new Error('lost'))
    expect((await act([{ type: 'home' }])).statusCode).toBe(500)
    expect(await newest()).toMatchObject({
      status: 'unknown',
      results: [],
      error: { code: 'internal_error' },
    })
  })

  it('does not become a step when it is refused [43.6]', async () => {
    const before = await newest()
    api.agent.onBatch = answering(null, (result) => ({
      ...result,
      ok: false,
      error: { code: 'handoff_required', message: 'x', retryable: false, next: null, details: {} },
    }))
    expect((await act([{ type: 'home' }])).statusCode).toBe(409)
    await eventually(async () => (await newest()).id === before.id)
    const parked = await api.placePhone('parked')
    expect((await act([{ type: 'home' }], 'none', parked)).statusCode).toBe(409)
    expect(await steps('', parked)).toEqual([])
  })

  it('lets its screen be replaced when it is refused after its beginning was written', async () => {
    const { db, clock } = api.plane.app.core
    const { sessionId } = await db.stepScreen.findFirstOrThrow({ where: { phoneId: id } })
    const of = { phoneId: id, id: snapshot() }
    await db.stepScreen.create({
      data: {
        ...of,
        projectId: api.tenant.projectId,
        sessionId,
        at: clock.now(),
        bytes: 1,
        body: new Uint8Array(pack('{}')),
        jsonBytes: 2,
      },
    })
    const refusal = answering(null, (result) => ({
      ...result,
      ok: false,
      error: { code: 'handoff_required', message: 'x', retryable: false, next: null, details: {} },
    }))
    let wasUsed: boolean | undefined
    api.agent.onBatch = async (request, send) => {
      await eventually(async () => {
        wasUsed = (await db.stepScreen.findFirst({ where: of }))?.isUsed
        return wasUsed === true
      })
      await refusal(request, send)
    }
    expect((await act([{ type: 'home' }])).statusCode).toBe(409)
    expect(wasUsed).toBe(true)
    await eventually(async () => (await db.stepScreen.findFirst({ where: of }))?.isUsed === false)
  })

  it('without an outcome is running, and unknown once it can no longer run [43.7]', async () => {
    const { db } = api.plane.app.core
    await act([{ type: 'home' }])
    const { id: step } = await newest()
    await db.$executeRaw`update steps set status = 'running', ended_at = null, outcome = null where id = ${step}`
    expect(await newest()).toMatchObject({ id: step, status: 'running', ended_at: null, results: [] })
    await db.$executeRaw`update steps set started_at = started_at - interval '400 seconds' where id = ${step}`
    const lost = (await steps()).find((each) => each.id === step)
    expect(lost).toMatchObject({ status: 'unknown', duration_ms: null })
    await db.$executeRaw`delete from steps where id = ${step}`
  })

  it('over MCP names MCP as its way, and has elements although its answer has only text [43.8]', async () => {
    const screen = screenOf([element(1, { text: 'Wi-Fi', state: ['clickable'] })])
    const { elements, ...textScreen } = screen
    const bounds = Buffer.from(Int32Array.from([...(elements[0]?.bounds ?? []), 0]).buffer)
    api.agent.onBatch = answering(textScreen, undefined, bounds)
    const client = await connectMcp(await listen(api.app), api.key, '2025-06-18')
    const acted = await call(client, 'act', { phone_id: id, actions: [{ type: 'home' }] })
    await client.close()
    expect(acted.structured['observation']).not.toHaveProperty('elements')
    expect(acted.text).toContain('[1] TextView "Wi-Fi"')
    expect(await newest()).toMatchObject({ by: { via: 'mcp' }, observe: 'text', after: screen })
  })

  it('does not become a step in a project without steps, within a second [43.9]', async () => {
    const { step } = api.plane.app.core.db
    await settings({ steps: false })
    await eventually(async () => {
      const before = await step.count()
      await act([{ type: 'home' }])
      return (await step.count()) === before
    })
    await settings({ steps: true })
    await eventually(async () => {
      const before = await step.count()
      await act([{ type: 'home' }])
      return (await step.count()) > before
    })
  })
})

describe('typed text', () => {
  const typed = 'hunter2 & Co.'
  const field = { type: 'EditText', state: ['clickable', 'editable'] }

  it('is masked in actions, fields, other elements, text and errors [43.10]', async () => {
    const screen = screenOf([
      element(1, { ...field, text: typed }),
      element(2, { ...field, text: 'Name', state: ['editable', 'hint'] }),
      element(3, { text: `You typed HUNTER2 & Co. "now"` }),
      element(4, { ...field, text: '4111 1111', state: ['editable'] }),
      element(5, { text: 'Home', desc: typed }),
      element(6, { ...field, text: 'dots', state: ['password'] }),
    ])
    api.agent.onBatch = answering(screen, (result) =>
      result.index === 1
        ? {
            ...result,
            ok: false,
            error: {
              code: 'target_not_found',
              message: `no ${typed}`,
              retryable: false,
              next: null,
              details: { target: { text: typed }, candidates: [{ ref: 1, text: typed }] },
            },
          }
        : result,
    )
    await act([
      { type: 'type', text: typed, target: { text: 'Name' } },
      { type: 'tap', target: { text: typed } },
    ])
    const step = await newest()
    const { db } = api.plane.app.core
    const stored = await db.$queryRaw<{ body: Uint8Array }[]>`select body from step_screens
      union all select request from steps union all select outcome from steps where outcome is not null`
    for (const { body } of stored)
      expect(unpack(body).toString('utf8').toLowerCase()).not.toContain('hunter2')
    expect(step.actions).toMatchObject([
      { type: 'type', text: '[redacted]', target: { text: 'Name' } },
      { type: 'tap', target: { text: '[redacted]' } },
    ])
    const after = step.after as Observation
    expect(after.elements.map(({ text }) => text)).toEqual([
      ...['[redacted]', 'Name', 'You typed [redacted] "now"', '[redacted]', 'Home', '[redacted]'],
    ])
    expect(after.text.split('\n').slice(3)).toEqual([
      '[1] EditText "[redacted]" clickable editable (50,30)',
      '[2] EditText "Name" editable hint (50,50)',
      '[3] TextView "You typed [redacted] \\"now\\"" (50,70)',
      '[4] EditText "[redacted]" editable (50,90)',
      '[5] TextView "Home" (50,110)',
      '[6] EditText "[redacted]" password (50,130)',
    ])
    expect(JSON.stringify(step)).not.toMatch(/hunter2/i)
    // A later screen shows the text too.
    api.agent.onBatch = answering(screenOf([element(1, { text: `Hello ${typed}!` })]))
    await act([{ type: 'home' }])
    expect((await newest()).after).toMatchObject({ elements: [{ text: 'Hello [redacted]!' }] })
  })

  it('is kept once the project asks for it [43.19]', async () => {
    await settings({ steps_text: true })
    await eventually(async () => {
      api.agent.onBatch = answering(screenOf([element(1, { ...field, text: typed })]))
      await act([{ type: 'type', text: typed }])
      return (await newest()).text_kept
    })
    expect(await newest()).toMatchObject({
      actions: [{ text: typed }],
      after: { elements: [{ text: typed }] },
    })
    await settings({ steps_text: false })
    await eventually(async () => {
      await act([{ type: 'home' }])
      return !(await newest()).text_kept
    })
  })
})

describe('pictures', () => {
  /** Returns a phone on which nothing was typed. */
  let id: string
  beforeAll(async () => {
    id = await api.readyPhone()
  })
  const act = (actions: object[], observe: string) => actOn(actions, observe, id)
  const newest = () => newestOf(id)

  it('are kept when a batch asks for a picture, and the answer does not contain the screen twice [43.20]', async () => {
    api.agent.onBatch = answering(pictured([element(1, { text: 'Home' })]))
    const answer = await act([{ type: 'home' }], 'both')
    expect(answer.json()).toMatchObject({ observation: { screenshot: { data } } })
    const step = await newest()
    expect(step.picture).toEqual({ format: 'jpeg', width: 72, height: 144, scale: 0.72, size_bytes: 9 })
    expect(step.after).not.toHaveProperty('screenshot')
    const picture = await api.request('GET', `/v1/phones/${id}/steps/${step.id}/screenshot`)
    expect([picture.statusCode, picture.headers['content-type'], picture.body]).toEqual([
      ...[200, 'image/jpeg', 'a picture'],
    ])
  })

  it('are not kept of a screen with a filled field, or without known elements [43.21]', async () => {
    api.agent.onBatch = answering(pictured([element(1, { text: 'secret', state: ['editable'] })]))
    await act([{ type: 'home' }], 'both')
    expect((await newest()).picture).toBeNull()
    const { screenshot } = pictured([])
    api.agent.onBatch = answering({ taken_at: new Date().toISOString(), screenshot })
    await act([{ type: 'home' }], 'screenshot')
    const step = await newest()
    expect(step).toMatchObject({ picture: null, after: null })
    const missing = await api.request('GET', `/v1/phones/${id}/steps/${step.id}/screenshot`)
    expect(errorOf(missing, 404, 'step_not_found')).toMatchObject({
      message: 'The step has no picture.',
      next: `GET /v1/phones/${id}/steps/${step.id}`,
    })
  })

  it('are taken with every batch where the project asks for it, and answers have the requested mode [43.23]', async () => {
    await settings({ steps_pictures: 'every' })
    let mode = ObserveMode.OBSERVE_MODE_UNSPECIFIED
    const whole = pictured([element(1, { text: 'Home' })])
    const send = answering(whole)
    api.agent.onBatch = (request, ...rest) => {
      mode = request.observe
      return send(request, ...rest)
    }
    await eventually(async () => {
      await act([{ type: 'home' }], 'none')
      return mode === ObserveMode.OBSERVE_MODE_BOTH
    })
    expect((await act([{ type: 'home' }], 'none')).json()).toEqual({
      results: [expect.objectContaining({ ok: true })],
      completed: 1,
    })
    expect((await newest()).picture).not.toBeNull()
    const { screenshot, ...screen } = whole
    const seen = async (observe: string) => (await act([{ type: 'home' }], observe)).json<object>()
    expect(await seen('ui')).toMatchObject({ observation: screen })
    expect(await seen('ui')).not.toHaveProperty('observation.screenshot')
    expect(await seen('text')).not.toHaveProperty('observation.elements')
    expect(await seen('screenshot')).toMatchObject({ observation: { screenshot } })
    expect(await seen('screenshot')).not.toHaveProperty('observation.elements')
    expect(await seen('both')).toMatchObject({ observation: whole })
    await settings({ steps_pictures: 'asked' })
  })
})

describe('reading', () => {
  it('lists steps newest first, in pages, of one session, and optionally without screens [43.24]', async () => {
    const phone = await api.readyPhone()
    for (const type of ['home', 'back', 'recents']) await act([{ type }], 'ui', phone)
    const types = (data: StepJson[]) => data.map(({ actions: [action] }) => (action as { type: string }).type)
    expect(types(await steps('', phone))).toEqual(['recents', 'back', 'home'])
    const first = await api.request('GET', `/v1/phones/${phone}/steps?limit=2&observations=text`)
    const page = first.json<{ data: StepJson[]; next_cursor: string }>()
    expect(types(page.data)).toEqual(['recents', 'back'])
    expect(page.data[0]?.after).toHaveProperty('text')
    expect(page.data[0]?.after).not.toHaveProperty('elements')
    const rest = await steps(`?limit=2&cursor=${page.next_cursor}&observations=none`, phone)
    expect(types(rest)).toEqual(['home'])
    expect(rest[0]?.after).toBeNull()
    const session = page.data[0]?.session ?? ''
    expect(types(await steps(`?session=${session}`, phone))).toHaveLength(3)
    expect(await steps('?session=ses_aaaaaaaaaaaa', phone)).toEqual([])
    errorOf(await api.request('GET', `/v1/phones/${phone}/steps?session=x`), 400, 'validation_failed')
    errorOf(
      await api.request('GET', `/v1/phones/${id}/steps?cursor=${page.next_cursor}`),
      400,
      'validation_failed',
    )
    // The steps stay after the phone is deleted.
    await api.request('DELETE', `/v1/phones/${phone}`, { key: await api.keyOf('admin') })
    expect(types(await steps('', phone))).toEqual(['recents', 'back', 'home'])
  })

  /**
   * Inserts `count` steps of another phone, with a screen after each.
   * @returns the phone
   */
  async function placed(
    count: number,
    screenFields: Partial<Prisma.StepScreenCreateInput>,
    stepFields: Partial<Prisma.StepCreateInput> = {},
  ): Promise<string> {
    const phone = await api.placePhone('parked')
    const { db } = api.plane.app.core
    const row = (await db.step.findFirst({ where: { phoneId: id, afterId: { not: null } } })) ?? null
    const screen = await db.stepScreen.findFirst({ where: { phoneId: id } })
    if (!row || !screen) throw new Error('there is no step')
    for (let each = 0; each < count; each += 1) {
      const screenId = snapshot()
      await db.stepScreen.create({ data: { ...screen, ...screenFields, id: screenId, phoneId: phone } })
      await db.step.create({
        data: {
          ...row,
          phoneId: phone,
          id: newId('step'),
          beforeId: null,
          afterId: screenId,
          picture: Prisma.DbNull,
          pictureId: null,
          ...stepFields,
        },
      })
    }
    return phone
  }
  /** Returns the numbers of the steps on each page. */
  async function pagesOf(phone: string, query: string): Promise<number[]> {
    const lengths: number[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const from: string = cursor === '' ? '' : `&cursor=${cursor}`
      const answer = await api.request('GET', `/v1/phones/${phone}/steps?${query}${from}`)
      expect(answer.statusCode, answer.body).toBe(200)
      const page = answer.json<{ data: StepJson[]; next_cursor: string | null }>()
      lengths.push(page.data.length)
      cursor = page.next_cursor
    }
    return lengths
  }

  it('ends a page early when its screens are large [43.25]', async () => {
    const phone = await placed(5, { jsonBytes: 1_500_000 })
    expect(await pagesOf(phone, 'limit=20')).toEqual([2, 2, 1])
  })

  it('does not read screens for a page without them', async () => {
    // The screen cannot be inflated, so a read would fail.
    const phone = await placed(5, { jsonBytes: 1_500_000, body: new Uint8Array([7]) })
    expect(await pagesOf(phone, 'limit=20&observations=none')).toEqual([5])
    const [step] = await steps('?limit=1&observations=none', phone)
    const one = await api.request('GET', `/v1/phones/${phone}/steps/${step?.id}?observations=none`)
    expect(one.json()).toEqual(step)
  })

  it('ends a page early when its actions are large, although they are stored in few bytes', async () => {
    const actions = [{ type: 'type', text: 'a'.repeat(190_000) }]
    const request = new Uint8Array(pack(JSON.stringify({ actions, observe: 'none' })))
    expect(request.length).toBeLessThan(2000)
    const phone = await placed(50, {}, { request })
    expect(await pagesOf(phone, 'limit=100&observations=none')).toEqual([21, 21, 8])
  })

  it('refuses other phones and unknown steps [23.46, 43.26]', async () => {
    const limited = await api.keyOf('agent', [await api.placePhone('parked')])
    for (const path of ['', '/export', '/stp_aaaaaaaaaaaa', '/stp_aaaaaaaaaaaa/screenshot']) {
      const url = `/v1/phones/${id}/steps${path}`
      errorOf(await api.request('GET', url, { key: limited }), 403, 'phone_not_allowed')
      errorOf(await api.request('GET', url.replace(id, 'ph_aaaaaaaaaaaa')), 404, 'phone_not_found')
    }
    for (const path of ['stp_aaaaaaaaaaaa', 'x', 'stp_aaaaaaaaaaaa/screenshot'])
      errorOf(await api.request('GET', `/v1/phones/${id}/steps/${path}`), 404, 'step_not_found')
    // A step of another phone of the same project.
    const { id: step } = await newest()
    const other = await api.placePhone('parked')
    errorOf(await api.request('GET', `/v1/phones/${other}/steps/${step}`), 404, 'step_not_found')
    errorOf(await api.request('GET', `/v1/phones/${other}/steps/export`), 404, 'step_not_found')
  })
})

it('writes a batch whose screen has the snapshot of the screen before it', async () => {
  // Hosts choose the IDs of snapshots.
  const seen = (await api.request('GET', `/v1/phones/${id}/observe`)).json<Observation>()
  api.agent.onBatch = answering({ ...screenOf([]), snapshot_id: seen.snapshot_id })
  await act([{ type: 'home' }])
  const step = await newest()
  expect(step).toMatchObject({ status: 'succeeded', after: { snapshot_id: seen.snapshot_id } })
  // A batch that runs longer is written twice.
  api.agent.onBatch = async (request, send) => {
    await new Promise((resolve) => setTimeout(resolve, 60))
    await answering(screenOf([element(1, { text: 'Later' })]))(request, send)
  }
  await act([{ type: 'back' }])
  expect(await newest()).toMatchObject({ status: 'succeeded', after: { elements: [{ text: 'Later' }] } })
})
