// Queries of the lists that no page sends: text that Postgres cannot store, too long, twice, or of another kind.
import { beforeAll, expect, it } from 'vitest'
import { consoleUser, operatorDesk, type ConsoleClient } from '../../testing/console-client.js'
import { readyPhone } from '../../testing/ready-phone.js'
import { useWorld, type Tenant } from '../../testing/world.js'

const world = useWorld()
let client: ConsoleClient
let desk: ConsoleClient
let tenant: Tenant
let phoneId = ''
let webhookId = ''
beforeAll(async () => {
  const plane = await world.start()
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
  ['/phones', ['status', 'cursor', 'key', 'metadata']],
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
