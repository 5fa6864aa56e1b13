// A phone in the console: its live view for users, who have no key, its sessions and its steps.
import { hashSecret } from '@phonerack/shared'
import { beforeAll, describe, expect, it } from 'vitest'
import { readLink } from '../../../phone-io/live/standing.js'
import { closings } from '../../../phone-io/live/page/wire.js'
import { consoleUser, type ConsoleClient } from '../../../testing/console-client.js'
import { openLive } from '../../../testing/live-client.js'
import { readyPhone } from '../../../testing/ready-phone.js'
import { eventually, useWorld, type Plane, type Tenant } from '../../../testing/world.js'

const world = useWorld()
let plane: Plane
let tenant: Tenant
let phoneId: string
let at: string
beforeAll(async () => {
  plane = await world.start()
  await plane.server.listen({ host: '127.0.0.1', port: 0 })
  const agent = await plane.rack(3, { beatMs: 200 })
  agent.onWatch = (call) => void call.on('error', () => undefined)
  tenant = await plane.tenant({ credit: '1000' })
  phoneId = await readyPhone(plane, tenant)
  at = `/projects/${tenant.projectId}/phones/${phoneId}`
})

const member = (role: 'viewer' | 'member' | 'owner') =>
  consoleUser(plane, { role, projectId: tenant.projectId })

async function newLink(client: ConsoleClient): Promise<string> {
  const { status, body } = await client.ask('POST', `${at}/live`, { body: {} })
  expect(status).toBe(201)
  return new URL(String(body['url'])).hash.slice(1)
}
const linkOf = (token: string) => readLink(plane.app.core.db, hashSecret(token), new Date())
const view = (token: string) => openLive(plane.server, new URL(plane.config.http.baseUrl).origin, token)

describe('a live view of a user', () => {
  it('controls the phone for members, and only shows it to viewers', async () => {
    for (const [role, control] of [
      ['viewer', false],
      ['member', true],
      ['owner', true],
    ] as const) {
      const { client, userId } = await member(role)
      const token = await newLink(client)
      expect(await linkOf(token)).toMatchObject({
        control,
        creatorId: userId,
        keyHash: null,
        isRevoked: false,
      })
      const opened = view(token)
      expect(await opened.opened()).toMatchObject({ control })
      opened.close()
    }
  })

  it('ends with a sign-out', async () => {
    const { client } = await member('member')
    const token = await newLink(client)
    const opened = view(token)
    await opened.opened()
    await client.ask('POST', '/auth/sign-out', { body: {} })
    expect(await linkOf(token)).toBeNull()
    expect((await opened.closed()).code).toBe(closings.unknown.code)
  })

  it('ends when the user is removed, or may no longer control the phone', async () => {
    const { client: owner } = await member('owner')
    const { client, userId } = await member('member')
    const token = await newLink(client)
    const path = `/projects/${tenant.projectId}/members/${userId}`
    await owner.ask('PATCH', path, { body: { role: 'viewer' } })
    expect(await linkOf(token)).toMatchObject({ isRevoked: true })
    const watching = await newLink(client)
    expect(await linkOf(watching)).toMatchObject({ isRevoked: false, control: false })
    await owner.ask('DELETE', path)
    expect(await linkOf(watching)).toMatchObject({ isRevoked: true })
  })

  it('replaces the oldest of a sign-in, so that links do not add up', async () => {
    const { client } = await member('member')
    const tokens = []
    for (let count = 0; count < 7; count += 1) tokens.push(await newLink(client))
    const links = await Promise.all(tokens.map(linkOf))
    expect(links.map((link) => link !== null)).toEqual([false, false, true, true, true, true, true])
  })
})

it('a phone of another project is not found, by any of its routes', async () => {
  const other = await plane.tenant()
  const { client } = await consoleUser(plane, { role: 'owner', projectId: other.projectId })
  const path = `/projects/${other.projectId}/phones/${phoneId}`
  for (const [method, below] of [
    ['GET', ''],
    ['POST', '/live'],
    ['GET', '/sessions'],
    ['GET', '/steps'],
    ['GET', '/steps/stp_aaaaaaaaaaaa'],
    ['GET', '/steps/stp_aaaaaaaaaaaa/picture'],
    ['POST', '/start'],
    ['POST', '/park'],
    ['DELETE', ''],
  ] as const) {
    const { status } = await client.ask(method, `${path}${below}`, method === 'POST' ? { body: {} } : {})
    expect([below, status]).toEqual([below, 404])
  }
})

it('lists what an agent did, and the sessions of the phone', async () => {
  const { client } = await member('viewer')
  const sent = await plane.server.inject({
    method: 'POST',
    url: `/v1/phones/${phoneId}/actions`,
    headers: { authorization: `Bearer ${tenant.key}` },
    payload: { actions: [{ type: 'home' }], observe: 'none' },
  })
  expect(sent.statusCode).toBe(200)
  const { body } = await client.ask('GET', `${at}/steps`)
  const [step] = body['data'] as { id: string; status: string; actions: object[] }[]
  expect(step).toMatchObject({ status: 'succeeded', actions: [{ type: 'home' }], before: null })
  expect((await client.ask('GET', `${at}/steps/${step?.id}`)).body).toMatchObject({ id: step?.id })
  expect((await client.ask('GET', `${at}/sessions`)).body['data']).toEqual([
    expect.objectContaining({ ended_at: null, cost_usd: null }),
  ])
  expect((await client.ask('GET', at)).body).toMatchObject({ id: phoneId, status: 'ready' })
  const activity = `/projects/${tenant.projectId}/activity`
  const entry = { phone_id: phoneId, route: '/v1/phones/:id/actions', status: 200 }
  await eventually(async () => {
    const { body: page } = await client.ask('GET', activity)
    return (page['data'] as object[]).some((each) => JSON.stringify(each).includes(entry.route))
  })
  const { body: page } = await client.ask('GET', activity)
  expect(page['data']).toContainEqual(expect.objectContaining(entry))
})
