// A member takes a phone over from agents in the console, and gives it back with a note.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { expireHandoffs } from '../../../phone-io/handoffs/expiry.js'
import { handoffSchema } from '../phones/handoffs.js'
import { errorOf } from '../../../testing/api.js'
import { consoleUser, type ConsoleClient } from '../../../testing/console-client.js'
import { readyPhone } from '../../../testing/ready-phone.js'
import { eventually, useWorld, type Plane, type Tenant } from '../../../testing/world.js'

const world = useWorld()
let plane: Plane
let tenant: Tenant
let phoneId: string
let at: string
let member: { client: ConsoleClient; userId: string }
let viewer: ConsoleClient
beforeAll(async () => {
  plane = await world.start({ env: { PHONERACK_ACTIVITY_ACCURACY: '1' } })
  const agent = await plane.rack(1, { beatMs: 200 })
  agent.onBatch = (_request, send) => {
    const value = { resultsJson: Buffer.from('[]'), observationJson: Buffer.alloc(0) }
    send({ $case: 'ended', value })
    return Promise.resolve()
  }
  tenant = await plane.tenant({ credit: '1000' })
  phoneId = await readyPhone(plane, tenant)
  at = `/projects/${tenant.projectId}/phones/${phoneId}`
  viewer = (await consoleUser(plane, { role: 'viewer', projectId: tenant.projectId })).client
})
beforeEach(async () => {
  member = await consoleUser(plane, { role: 'member', projectId: tenant.projectId })
})

interface Control {
  id: string
  status: string
  message: string | null
  by: string | null
}

const v1 = (method: 'GET' | 'POST' | 'DELETE', path: string, payload?: object) =>
  plane.server.inject({
    method,
    url: `/v1/phones/${phoneId}${path}`,
    headers: { authorization: `Bearer ${tenant.key}` },
    ...(payload ? { payload } : {}),
  })
const batch = () => v1('POST', '/actions', { actions: [{ type: 'home' }], observe: 'none' })
const seen = async (client: ConsoleClient) =>
  (await client.ask('GET', `${at}/control`)).body['control'] as Control | null
async function takeOver(client: ConsoleClient): Promise<Control> {
  const { status, body } = await client.ask('POST', `${at}/control`, { body: {} })
  expect([status, body]).toEqual([200, { control: expect.anything() as unknown }])
  return body['control'] as Control
}
const giveBack = (client: ConsoleClient, id: string, note: string) =>
  client.ask('POST', `${at}/control/${id}/end`, { body: { note } })
const codeOf = ({ body }: { body: Record<string, unknown> }) => (body['error'] as { code: string }).code

describe('a take-over', () => {
  it('keeps agents away until the member gives the phone back, with a note [27.6]', async () => {
    expect(await seen(viewer)).toBeNull()
    const { id, ...taken } = await takeOver(member.client)
    expect(taken).toMatchObject({ status: 'taken', message: null, by: 'Ann Example', is_you: true })
    expect(await seen(viewer)).toMatchObject({ id, by: 'Ann Example', is_you: false })

    const refused = errorOf(await batch(), 409, 'phone_controlled')
    expect(refused).toMatchObject({
      retryable: true,
      next: `GET /v1/phones/${phoneId}/handoffs/${id}?wait=done`,
    })
    const waiting = v1('GET', `/handoffs/${id}?wait=done`)
    errorOf(await v1('DELETE', `/handoffs/${id}`), 409, 'phone_controlled')
    errorOf(await v1('POST', '/handoffs', { message: 'Help' }), 409, 'handoff_in_progress')
    expect(codeOf(await member.client.ask('POST', `${at}/control`, { body: {} }))).toBe('handoff_in_progress')
    expect(codeOf(await giveBack(viewer, id, ''))).toBe('insufficient_scope')
    expect(codeOf(await giveBack(member.client, id, '👋'.repeat(501)))).toBe('validation_failed')

    expect((await giveBack(member.client, id, ' The pop-up is gone. ')).status).toBe(200)
    expect(handoffSchema.parse((await waiting).json())).toMatchObject({
      status: 'done',
      note: 'The pop-up is gone.',
      message: 'A member of the project took the phone over.',
    })
    expect(await seen(viewer)).toBeNull()
    expect((await batch()).statusCode).toBe(200)
    expect(codeOf(await giveBack(member.client, id, ''))).toBe('handoff_not_found')
    // The texts of a hand-over can be deleted once it has ended.
    expect((await v1('DELETE', `/handoffs/${id}`)).statusCode).toBe(200)
  })

  it('writes the events of a hand-over', async () => {
    const { id } = await takeOver(member.client)
    await giveBack(member.client, id, '')
    await eventually(async () => {
      const events = await plane.app.core.db.event.findMany({
        where: { phoneId },
        orderBy: { number: 'asc' },
      })
      const own = events.filter(({ data }) => JSON.stringify(data).includes(id)).map(({ type }) => type)
      return own.join() === 'handoff.taken,handoff.done'
    })
  })

  it('is in the activity of the project, with the user and without the note', async () => {
    const { id } = await takeOver(member.client)
    await giveBack(member.client, id, 'a secret')
    const find = () =>
      plane.app.core.db.activity.findMany({ where: { keyId: member.userId }, orderBy: { id: 'asc' } })
    await eventually(async () => (await find()).length === 2)
    const base = '/console/api/projects/:project/phones/:phone/control'
    expect(await find()).toMatchObject([
      { route: base, phoneId, status: 200, summary: {} },
      { route: `${base}/:handoff/end`, phoneId, status: 200, summary: { note: '[redacted]' } },
    ])
  })

  it('accepts the request of an agent, which a viewer cannot read', async () => {
    const asked = (await v1('POST', '/handoffs', { message: 'Sign in to <b>the bank</b>.' })).json<{
      id: string
    }>()
    expect(await seen(viewer)).toMatchObject({ id: asked.id, status: 'open', message: null })
    expect(await seen(member.client)).toMatchObject({
      status: 'open',
      message: 'Sign in to <b>the bank</b>.',
    })
    expect(await takeOver(member.client)).toMatchObject({ id: asked.id, status: 'taken' })
    errorOf(await batch(), 409, 'phone_controlled')
    await giveBack(member.client, asked.id, 'I am in.')
    const done = handoffSchema.parse((await v1('GET', `/handoffs/${asked.id}`)).json())
    expect(done).toMatchObject({ status: 'done', note: 'I am in.' })
  })

  it('succeeds for one of two members who try it together', async () => {
    const other = await consoleUser(plane, { role: 'member', projectId: tenant.projectId })
    const answers = await Promise.all(
      [member.client, other.client].map((client) => client.ask('POST', `${at}/control`, { body: {} })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    // Any member gives the phone back.
    const control = await seen(viewer)
    expect((await giveBack(other.client, control?.id ?? '', '')).status).toBe(200)
  })
})

describe('the list of requests and take-overs', () => {
  interface Listed extends Control {
    phone: { id: string; name: string }
    project_id: string
  }
  const list = async (client: ConsoleClient, query = '') =>
    (await client.ask('GET', `/handoffs${query}`)).body['data'] as Listed[]

  it('has what is in progress in the projects of the user, with the message for members', async () => {
    expect(await list(member.client)).toEqual([])
    const { id } = (await v1('POST', '/handoffs', { message: 'Sign in.' })).json<{ id: string }>()
    const { name } = await plane.app.core.db.phone.findUniqueOrThrow({ where: { id: phoneId } })
    const common = { id, project_id: tenant.projectId, phone: { id: phoneId, name } }
    expect(await list(member.client)).toMatchObject([{ ...common, status: 'open', message: 'Sign in.' }])
    expect(await list(viewer)).toMatchObject([{ ...common, status: 'open', message: null }])

    await takeOver(member.client)
    expect(await list(viewer)).toMatchObject([{ ...common, status: 'taken' }])
    await giveBack(member.client, id, '')
    expect(await list(member.client)).toEqual([])
    const own = await takeOver(member.client)
    expect(await list(viewer)).toMatchObject([{ id: own.id, by: 'Ann Example', is_you: false }])
    expect(await list(member.client)).toMatchObject([{ id: own.id, is_you: true }])
    await giveBack(member.client, own.id, '')
  })

  it('has those of another project for an operator who looks at it, and for no other user', async () => {
    const { id } = await takeOver(member.client)
    const query = `?project=${tenant.projectId}`
    const operator = await consoleUser(plane, { role: 'operator' })
    const other = await plane.tenant()
    const stranger = await consoleUser(plane, { role: 'owner', projectId: other.projectId })
    expect(await list(operator.client)).toEqual([])
    expect(await list(operator.client, query)).toMatchObject([{ id }])
    expect(await list(stranger.client, query)).toEqual([])
    expect(await list(stranger.client)).toEqual([])
    await giveBack(member.client, id, '')
  })
})

describe('a take-over that nobody ends is over', () => {
  const isOver = async (id: string) => {
    expect((await batch()).statusCode).toBe(200)
    expect(await seen(viewer)).toBeNull()
    expect((await v1('GET', `/handoffs/${id}`)).json<{ status: string }>().status).toBe('expired')
    await expireHandoffs(plane.app.core)
    const { status } = await plane.app.core.db.handoff.findUniqueOrThrow({ where: { id } })
    expect(status).toBe('expired')
  }

  it('when the member signs out', async () => {
    const { id } = await takeOver(member.client)
    await member.client.ask('POST', '/auth/sign-out', { body: {} })
    await isOver(id)
  })

  it('when the member is removed', async () => {
    const { id } = await takeOver(member.client)
    await plane.app.core.db.member.deleteMany({ where: { userId: member.userId } })
    await isOver(id)
  })

  it('after its time', async () => {
    const { id } = await takeOver(member.client)
    const expiresAt = new Date(plane.app.core.clock.now().getTime() + 50)
    await plane.app.core.db.handoff.update({ where: { id }, data: { expiresAt } })
    await eventually(async () => (await seen(viewer)) === null)
    await isOver(id)
  })
})
