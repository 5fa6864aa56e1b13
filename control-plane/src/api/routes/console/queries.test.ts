// Queries of the lists that no page sends: text that Postgres cannot store, too long, twice, or of another kind.
import { beforeAll, expect, it } from 'vitest'
import { consoleUser, operatorDesk, type ConsoleClient } from '../../../testing/console-client.js'
import { readyPhone } from '../../../testing/ready-phone.js'
import { useWorld, type Plane, type Tenant } from '../../../testing/world.js'

const world = useWorld()
let plane: Plane
let client: ConsoleClient
let desk: ConsoleClient
let tenant: Tenant
let phoneId = ''
let webhookId = ''
beforeAll(async () => {
  plane = await world.start()
  await plane.rack(1, { beatMs: 200 })
  tenant = await plane.tenant({ credit: '1000' })
  phoneId = await readyPhone(plane, tenant)
  const user = await consoleUser(plane, { role: 'operator' })
  client = user.client
  desk = await operatorDesk(plane, user.email)
  const made = await client.ask('POST', `/projects/${tenant.projectId}/webhooks`, {
    body: { url: 'https://receiver.invalid/' },
  })
  webhookId = String(made.body['id'])
})

const long = 'x'.repeat(10_000)
const hostile = (name: string): string[] => [
  ...['%00', 'a%00=b', '%ff', long, `${long}=${long}`, `a&${name}=b`, '-1', '9'.repeat(30)],
  ...['%F0%9F%98%80', "'%20or%201=1--", '__proto__', '%E2%80%AE', ''],
]

/** Sends each hostile value of each parameter. */
async function ask(reader: ConsoleClient, path: string, names: readonly string[]): Promise<void> {
  for (const name of names)
    for (const value of hostile(name)) {
      const { status, body } = await reader.ask('GET', `${path}?${name}=${value}`)
      expect([200, 400, 404], JSON.stringify([name, value.slice(0, 40), body])).toContain(status)
    }
}

it.each([
  ['/phones', ['status', 'cursor', 'key', 'metadata', 'search']],
  ['/activity', ['before', 'by', 'phone', 'refused']],
  ['/events', ['type', 'phone', 'cursor']],
  ['/ledger', ['before']],
  ['/webhooks/WEBHOOK/deliveries', ['cursor']],
  ['/phones/PHONE/sessions', ['cursor']],
  ['/phones/PHONE/steps', ['cursor']],
  ['/phones/PHONE/logs', ['level', 'cursor']],
  ['/phones/PHONE/files', ['path']],
  ['/phones/PHONE/files/content', ['path']],
  ['/phones/PHONE/thumbnail', ['x']],
])('%s is refused or answered, and never fails', async (path, names) => {
  const below = path.replace('PHONE', phoneId).replace('WEBHOOK', webhookId)
  await ask(client, `/projects/${tenant.projectId}${below}`, names)
})

it('the audit log is refused or answered, and never fails', () =>
  ask(desk, '/operator/audit', ['before', 'target']))

it('the phones of all projects are refused or answered, and never fail', () =>
  ask(client, '/phones', ['status', 'project', 'cursor']))

it('hand-overs of a project are refused or answered, and never fail', () =>
  ask(client, '/handoffs', ['project']))

it('finds a phone by a part of its name in any case, and by its ID', async () => {
  const { phones } = plane.app.services
  await phones.update(tenant.caller, phoneId, { name: 'Check-out 50%_a' })
  const find = async (search: string) => {
    const path = `/projects/${tenant.projectId}/phones?${new URLSearchParams({ search }).toString()}`
    const { data } = (await client.ask('GET', path)).body as { data: { id: string }[] }
    return data.map(({ id }) => id)
  }
  for (const search of ['check', 'OUT 50%_', phoneId]) expect(await find(search)).toEqual([phoneId])
  // No character of the search is a wildcard.
  for (const search of ['check%a', '5_%', 'ph_', phoneId.slice(0, -1)]) expect(await find(search)).toEqual([])
})

it('the root leads a browser to the console, and describes the service to a program', async () => {
  const get = (accept?: string) =>
    plane.server.inject({ url: '/', headers: accept === undefined ? {} : { accept } })
  const browser = await get('text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8')
  expect([browser.statusCode, browser.headers.location, browser.headers.vary]).toEqual([
    ...[302, '/console', 'accept'],
  ])
  for (const accept of [undefined, '*/*', 'application/json', 'application/json, text/html'])
    expect((await get(accept)).json()).toMatchObject({ api: '/v1' })
})
