// Every route of /console/api, requested by each kind of user. The expectations are written by hand, independently of
// rules.ts. Requests of operators' routes go to the operator's listener, and all other requests to the public listener.
import { newId } from '@phonerack/shared'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  consoleClient,
  consoleUser,
  operatorDesk,
  type ConsoleClient,
} from '../../../testing/console-client.js'
import { useWorld, type Plane, type Tenant } from '../../../testing/world.js'
import { rules } from './rules.js'

const world = useWorld()
let plane: Plane
let tenant: Tenant
interface Person {
  client: ConsoleClient
  /** At the operator's listener. */
  desk: ConsoleClient
}
const people: Record<string, Person> = {}

type Of = Parameters<typeof consoleUser>[1]
async function person(of: Of): Promise<Person & { userId: string }> {
  const { client, email, userId } = await consoleUser(plane, of)
  return { client, desk: await operatorDesk(plane, email), userId }
}

const names = ['nobody', 'stranger', 'viewer', 'member', 'owner', 'operator'] as const
type Name = (typeof names)[number]

beforeAll(async () => {
  plane = await world.start()
  tenant = await plane.tenant()
  const other = await plane.tenant()
  people['nobody'] = { client: consoleClient(plane), desk: consoleClient(plane, 'operator') }
  people['stranger'] = await person({ role: 'owner', projectId: other.projectId })
  for (const role of ['viewer', 'member', 'owner'] as const)
    people[role] = await person({ role, projectId: tenant.projectId })
  people['operator'] = await person({ role: 'operator' })
})

/** People who may send a request: everybody, users, or roles of the project. */
const all: readonly Name[] = names
const users: readonly Name[] = ['stranger', 'viewer', 'member', 'owner', 'operator']
const readers: readonly Name[] = ['viewer', 'member', 'owner', 'operator']
const writers: readonly Name[] = ['member', 'owner', 'operator']
const owners: readonly Name[] = ['owner', 'operator']
const operators: readonly Name[] = ['operator']

const expected: Readonly<Record<string, readonly Name[]>> = {
  'GET /session': all,
  'POST /auth/sign-in/email': all,
  'POST /auth/sign-out': users,
  'GET /auth/passkey/generate-authenticate-options': all,
  'POST /auth/passkey/verify-authentication': all,
  'GET /auth/passkey/generate-register-options': users,
  'POST /auth/passkey/verify-registration': users,
  'POST /auth/providers/:provider': all,
  'POST /auth/providers/:provider/callback': all,
  'POST /sign-ups': all,
  'POST /invitations/look': all,
  'POST /invitations/passkey': all,
  'POST /invitations/accept': all,
  'POST /resets': all,
  'POST /resets/accept': all,
  'POST /me/password': users,
  'GET /me/sessions': users,
  'DELETE /me/sessions/:session': users,
  'GET /me/passkeys': users,
  'DELETE /me/passkeys/:passkey': users,
  'GET /me/accounts': users,
  'POST /me/accounts/:provider': users,
  'DELETE /me/accounts/:account': users,
  'POST /terminals/look': users,
  'POST /terminals/deny': users,
  'POST /projects/:project/terminals/allow': writers,
  'POST /connectors/look': users,
  'POST /connectors/deny': users,
  'POST /projects/:project/connectors': writers,
  'POST /projects': users,
  'GET /spending': users,
  'GET /phones': users,
  'GET /handoffs': users,
  'GET /changes': users,
  'GET /projects/:project': readers,
  'GET /projects/:project/keys': readers,
  'POST /projects/:project/keys': writers,
  'DELETE /projects/:project/keys/:key': writers,
  'GET /projects/:project/webhooks': readers,
  'POST /projects/:project/webhooks': writers,
  'PATCH /projects/:project/webhooks/:webhook': writers,
  'PUT /projects/:project/webhooks/:webhook/enabled': writers,
  'DELETE /projects/:project/webhooks/:webhook': writers,
  'POST /projects/:project/webhooks/:webhook/rotate': writers,
  'POST /projects/:project/webhooks/:webhook/test': writers,
  'GET /projects/:project/webhooks/:webhook/deliveries': readers,
  'POST /projects/:project/webhooks/:webhook/deliveries/:delivery/retry': writers,
  'GET /projects/:project/phones': readers,
  'POST /projects/:project/phones': writers,
  'GET /projects/:project/changes': readers,
  'GET /projects/:project/phones/:phone': readers,
  'POST /projects/:project/phones/:phone/live': readers,
  'GET /projects/:project/phones/:phone/thumbnail': readers,
  'GET /projects/:project/phones/:phone/sessions': readers,
  'GET /projects/:project/phones/:phone/steps': readers,
  'GET /projects/:project/phones/:phone/steps/:step': readers,
  'GET /projects/:project/phones/:phone/steps/:step/picture': readers,
  'GET /projects/:project/phones/:phone/control': readers,
  'POST /projects/:project/phones/:phone/control': writers,
  'POST /projects/:project/phones/:phone/control/:handoff/end': writers,
  'GET /projects/:project/phones/:phone/screen': readers,
  'GET /projects/:project/phones/:phone/installs': readers,
  'POST /projects/:project/phones/:phone/installs': writers,
  'GET /projects/:project/phones/:phone/recordings': readers,
  'POST /projects/:project/phones/:phone/recordings': writers,
  'POST /projects/:project/phones/:phone/recordings/:recording/stop': writers,
  'DELETE /projects/:project/phones/:phone/recordings/:recording': writers,
  'GET /projects/:project/phones/:phone/recordings/:recording/video': readers,
  'GET /projects/:project/phones/:phone/files': readers,
  'GET /projects/:project/phones/:phone/files/content': readers,
  'PUT /projects/:project/phones/:phone/files': writers,
  'DELETE /projects/:project/phones/:phone/files': writers,
  'GET /projects/:project/phones/:phone/clipboard': writers,
  'PUT /projects/:project/phones/:phone/clipboard': writers,
  'GET /projects/:project/phones/:phone/location': readers,
  'PUT /projects/:project/phones/:phone/location': writers,
  'DELETE /projects/:project/phones/:phone/location': writers,
  'GET /projects/:project/phones/:phone/logs': readers,
  'POST /projects/:project/uploads': writers,
  'GET /projects/:project/uploads/:upload': readers,
  'POST /projects/:project/phones/:phone/start': writers,
  'POST /projects/:project/phones/:phone/park': writers,
  'DELETE /projects/:project/phones/:phone': writers,
  'GET /projects/:project/activity': readers,
  'GET /projects/:project/events': readers,
  'GET /projects/:project/usage': readers,
  'GET /projects/:project/limits': readers,
  'GET /projects/:project/ledger': readers,
  'POST /projects/:project/checkouts': owners,
  'GET /projects/:project/checkouts/:checkout': readers,
  'GET /projects/:project/checkouts/:checkout/receipt': owners,
  'GET /projects/:project/members': readers,
  'PATCH /projects/:project/members/:user': owners,
  'DELETE /projects/:project/members/:user': owners,
  'POST /projects/:project/invitations': owners,
  'DELETE /projects/:project/invitations/:invitation': owners,
  'GET /operator/hosts': operators,
  'POST /operator/hosts/join-tokens': operators,
  'POST /operator/hosts/:host/drain': operators,
  'POST /operator/hosts/:host/undrain': operators,
  'POST /operator/hosts/:host/retire': operators,
  'GET /operator/devices': operators,
  'POST /operator/devices/:device/enroll': operators,
  'POST /operator/devices/:device/release': operators,
  'POST /operator/devices/:device/drain': operators,
  'POST /operator/devices/:device/undrain': operators,
  'POST /operator/devices/:device/maintenance': operators,
  'DELETE /operator/devices/:device/maintenance': operators,
  'GET /operator/library/apps': operators,
  'POST /operator/library/files': operators,
  'POST /operator/library/apps': operators,
  'DELETE /operator/library/apps/:package': operators,
  'GET /operator/projects': operators,
  'PATCH /operator/projects/:project': operators,
  'GET /operator/audit': operators,
  'GET /operator/invitations': operators,
  'DELETE /operator/invitations/:invitation': operators,
  'GET /operator/system': operators,
  'POST /operator/service/pause': operators,
  'POST /operator/service/resume': operators,
}

/** Routes that need a sign-in within the last minutes. */
const recent = [
  'GET /auth/passkey/generate-register-options',
  'POST /auth/passkey/verify-registration',
  'POST /me/password',
  'DELETE /me/passkeys/:passkey',
  'POST /me/accounts/:provider',
  'DELETE /me/accounts/:account',
  'POST /projects/:project/terminals/allow',
  'POST /projects/:project/connectors',
  'POST /projects/:project/keys',
  'POST /projects/:project/webhooks',
  'PATCH /projects/:project/webhooks/:webhook',
  'POST /projects/:project/webhooks/:webhook/rotate',
  'POST /projects/:project/checkouts',
  'PATCH /projects/:project/members/:user',
  'DELETE /projects/:project/members/:user',
  'POST /projects/:project/invitations',
  'POST /operator/hosts/join-tokens',
  'POST /operator/hosts/:host/retire',
  'POST /operator/devices/:device/enroll',
  'POST /operator/devices/:device/release',
  'POST /operator/library/apps',
  'DELETE /operator/library/apps/:package',
  'PATCH /operator/projects/:project',
  'POST /operator/service/pause',
]

/** A path with IDs of objects that do not exist, in an existing project. */
const pathOf = (route: string): string =>
  (route.split(' ')[1] ?? '')
    .replace(':project', tenant.projectId)
    .replace(':phone', newId('phone'))
    .replace(':key', newId('key'))
    .replace(':step', newId('step'))
    .replace(':webhook', newId('webhook'))
    .replace(':delivery', newId('delivery'))
    .replace(':checkout', newId('checkout'))
    .replace(':user', newId('user'))
    .replace(':host', newId('host'))
    .replace(':device', newId('device'))
    .replace(/:\w+/, newId('invitation'))

interface ErrorBody {
  code?: string
  details?: { reason?: string; required?: string }
}

const isOfOperators = (route: string): boolean => route.includes(' /operator/')

/** Whether the gate accepted the request. The handler may still refuse an object that does not exist. */
async function outcomeOf(route: string, name: string): Promise<string> {
  const [method = ''] = route.split(' ')
  const sender = people[name]
  if (!sender) throw new Error(name)
  const own = isOfOperators(route) ? sender.desk : sender.client
  // Signing out must not end the test's session.
  const client = route.endsWith('/sign-out') ? { ...own, cookies: new Map(own.cookies) } : own
  const { status, body } = await client.ask(method, pathOf(route), method === 'GET' ? {} : { body: { x: 1 } })
  const { code, details } = (body['error'] ?? {}) as ErrorBody
  if (code === 'unauthorized' && details?.reason === 'signed_out') return 'signed out'
  if (code === 'unauthorized' && details?.reason === 'recent_sign_in') return 'not recent'
  if (code === 'insufficient_scope') return `needs ${details?.required}`
  if (code === 'not_found' && JSON.stringify(body).includes('There is no such project')) return 'hidden'
  expect(status, JSON.stringify(body)).toBeLessThan(500)
  return 'let through'
}

it('has an expectation for each rule, and a rule for each expectation', () => {
  expect(Object.keys(rules).sort()).toEqual(Object.keys(expected).sort())
  expect(
    Object.entries(rules)
      .filter(([, rule]) => rule.isRecent)
      .map(([route]) => route),
  ).toEqual(recent)
})

describe.each(names)('%s', (name) => {
  it.each(Object.keys(expected).filter((route) => !route.endsWith('/sign-out')))(
    'sends %s',
    async (route) => {
      const outcome = await outcomeOf(route, name)
      if (expected[route]?.includes(name)) return expect(outcome).toBe('let through')
      if (name === 'nobody') return expect(outcome).toBe('signed out')
      if (isOfOperators(route)) return expect(outcome).toBe('needs operator')
      if (name === 'stranger') return expect(outcome).toBe('hidden')
      expect(outcome).toBe(expected[route] === owners ? 'needs owner' : 'needs member')
    },
  )
})

it('needs a recent sign-in for exactly the routes that say so', async () => {
  const { userId, ...late } = await person({ role: 'operator' })
  people['late'] = late
  const hourAgo = new Date(Date.now() - 3_600_000)
  await plane.app.core.db.userSession.updateMany({ where: { userId }, data: { createdAt: hourAgo } })
  for (const route of Object.keys(expected).filter((each) => !each.endsWith('/sign-out')))
    expect([route, await outcomeOf(route, 'late')]).toEqual([
      route,
      recent.includes(route) ? 'not recent' : 'let through',
    ])
})

it('refuses to start with a route that has no rule', async () => {
  const { addConsoleGate } = await import('./gate.js')
  const { default: fastify } = await import('fastify')
  const app = fastify()
  // The gate reads these objects only for a request.
  const { core } = plane.app
  addConsoleGate(app, { core, config: plane.config.console } as Parameters<typeof addConsoleGate>[1])
  expect(() => app.get('/console/api/forgotten', () => ({}))).toThrow(/GET \/forgotten has no rule/)
  await expect(app.ready()).rejects.toThrow(/has a rule, and no route/)
})
