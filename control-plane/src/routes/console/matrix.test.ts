// Every route of /console/api, as everybody who may or may not use it. The expectations are written by hand, apart from rules.ts.
import { newId } from '@phonerack/shared'
import { beforeAll, describe, expect, it } from 'vitest'
import { consoleClient, consoleUser, type ConsoleClient } from '../../testing/console-client.js'
import { useWorld, type Plane, type Tenant } from '../../testing/world.js'
import { rules } from './rules.js'

const world = useWorld()
let plane: Plane
let tenant: Tenant
const people: Record<string, { client: ConsoleClient; userId: string | null }> = {}

const names = ['nobody', 'stranger', 'viewer', 'member', 'owner', 'operator'] as const
type Name = (typeof names)[number]

beforeAll(async () => {
  plane = await world.start()
  tenant = await plane.tenant()
  const other = await plane.tenant()
  people['nobody'] = { client: consoleClient(plane), userId: null }
  people['stranger'] = await consoleUser(plane, { role: 'owner', projectId: other.projectId })
  for (const role of ['viewer', 'member', 'owner'] as const)
    people[role] = await consoleUser(plane, { role, projectId: tenant.projectId })
  people['operator'] = await consoleUser(plane, { role: 'operator' })
})

/** People who may send a request: everybody, users, or roles of the project. */
const all: readonly Name[] = names
const users: readonly Name[] = ['stranger', 'viewer', 'member', 'owner', 'operator']
const readers: readonly Name[] = ['viewer', 'member', 'owner', 'operator']
const writers: readonly Name[] = ['member', 'owner', 'operator']
const owners: readonly Name[] = ['owner', 'operator']

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
  'POST /projects': users,
  'GET /projects/:project': readers,
  'GET /projects/:project/keys': readers,
  'POST /projects/:project/keys': writers,
  'DELETE /projects/:project/keys/:key': writers,
  'GET /projects/:project/phones': readers,
  'POST /projects/:project/phones': writers,
  'GET /projects/:project/changes': readers,
  'GET /projects/:project/phones/:phone': readers,
  'POST /projects/:project/phones/:phone/live': readers,
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
  'GET /projects/:project/usage': readers,
  'GET /projects/:project/members': readers,
  'PATCH /projects/:project/members/:user': owners,
  'DELETE /projects/:project/members/:user': owners,
  'POST /projects/:project/invitations': owners,
  'DELETE /projects/:project/invitations/:invitation': owners,
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
  'POST /projects/:project/keys',
  'PATCH /projects/:project/members/:user',
  'DELETE /projects/:project/members/:user',
  'POST /projects/:project/invitations',
]

/** A path with objects that do not exist, in the project that does. */
const pathOf = (route: string): string =>
  (route.split(' ')[1] ?? '')
    .replace(':project', tenant.projectId)
    .replace(':phone', newId('phone'))
    .replace(':key', newId('key'))
    .replace(':step', newId('step'))
    .replace(':user', newId('user'))
    .replace(/:\w+/, newId('invitation'))

interface ErrorBody {
  code?: string
  details?: { reason?: string; required?: string }
}

/** Whether the gate let the request through; its handler may still refuse what does not exist. */
async function outcomeOf(route: string, name: string): Promise<string> {
  const [method = ''] = route.split(' ')
  const person = people[name]
  if (!person) throw new Error(name)
  // Signing out must not end the test's session.
  const client = route.endsWith('/sign-out')
    ? { ...person.client, cookies: new Map(person.client.cookies) }
    : person.client
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
      if (name === 'stranger') return expect(outcome).toBe('hidden')
      expect(outcome).toBe(expected[route] === owners ? 'needs owner' : 'needs member')
    },
  )
})

it('needs a recent sign-in for exactly the routes that say so', async () => {
  const { client, userId } = await consoleUser(plane, { role: 'owner', projectId: tenant.projectId })
  people['late'] = { client, userId }
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
  // The gate reads its parts only when a request comes.
  addConsoleGate(app, { core: plane.app.core } as Parameters<typeof addConsoleGate>[1])
  expect(() => app.get('/console/api/forgotten', () => ({}))).toThrow(/GET \/forgotten has no rule/)
  await expect(app.ready()).rejects.toThrow(/has a rule, and no route/)
})
