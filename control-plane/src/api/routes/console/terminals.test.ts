// A member limits the key of a terminal and chooses how long it lasts; lists of keys show how each key begins.
import { beforeAll, expect, it } from 'vitest'
import { consoleUser, type ConsoleClient } from '../../../testing/console-client.js'
import { useWorld, type Plane, type Tenant } from '../../../testing/world.js'
import { readyPhone } from '../../../testing/ready-phone.js'

const world = useWorld()
let plane: Plane
let tenant: Tenant
let member: ConsoleClient
beforeAll(async () => {
  plane = await world.start()
  await plane.rack(1, { beatMs: 200 })
  tenant = await plane.tenant({ credit: '1000' })
  member = (await consoleUser(plane, { role: 'member', projectId: tenant.projectId })).client
})

interface ListedKey {
  name: string
  prefix: string | null
  preset: string
  profile: string
  phones: string[]
  created_at: string
  expires_at: string | null
}
const keys = async () => {
  const { body } = await member.ask('GET', `/projects/${tenant.projectId}/keys`)
  return body['data'] as ListedKey[]
}

/** A terminal asks for a key; a member allows it. */
async function allow(rights: object) {
  const begun = await plane.server.inject({ method: 'POST', url: '/v1/setup', payload: { client: 'laptop' } })
  const { setup_token: token, user_code: code } = begun.json<Record<string, string>>()
  const path = `/projects/${tenant.projectId}/terminals/allow`
  const { status } = await member.ask('POST', path, { body: { user_code: code, ...rights } })
  const collect = () =>
    plane.server.inject({ method: 'POST', url: '/v1/setup/token', payload: { setup_token: token } })
  return { status, collect }
}

it('a terminal gets the rights, phones and lifetime that the member chose', async () => {
  const phoneId = await readyPhone(plane, tenant)
  const rights = { preset: 'agent', profile: 'guarded', expires: '30d', phones: [phoneId] }
  const { status, collect } = await allow(rights)
  expect(status).toBe(200)
  const { api_key: key = '' } = (await collect()).json<Record<string, string>>()
  const made = (await keys()).find(({ name }) => name.startsWith('laptop'))
  expect(made).toMatchObject({ preset: 'agent', profile: 'guarded', phones: [phoneId] })
  const lasts = Date.parse(made?.expires_at ?? '') - Date.parse(made?.created_at ?? '')
  expect(lasts).toBe(30 * 86_400_000)
  // The list shows only the first characters of the key.
  expect(key.startsWith('prk_')).toBe(true)
  expect(made?.prefix).toBe(key.slice(0, 10))
})

it('a terminal gets no key that is limited to a phone of another project', async () => {
  const other = await plane.tenant()
  const { status, collect } = await allow({ phones: [other.projectId] })
  expect(status).toBe(400)
  expect((await collect()).json()).toMatchObject({ status: 'pending' })
})
