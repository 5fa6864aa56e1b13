// Every write of an operator leaves one audit entry, in the transaction of the change, without a secret.
import { type FastifyInstance } from 'fastify'
import { newId } from '@phonerack/shared'
import { beforeAll, expect, it } from 'vitest'
import { buildOperatorServer } from '../../api/server/operator-server.js'
import { forget } from '../jobs/reconcile.js'
import { makeApk } from '../../testing/apk.js'
import { useWorld, type Plane } from '../../testing/world.js'

const world = useWorld()
let plane: Plane
let ahead = 0
const clock = { now: () => new Date(Date.now() + ahead) }
beforeAll(async () => {
  plane = await world.start({ clock })
})

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'
interface Answer {
  status: number
  requestId: string
  text: string
  body: Record<string, unknown>
}
async function call(method: Method, path: string, payload?: object | Buffer): Promise<Answer> {
  const answer = await plane.operator.inject({
    method,
    url: `/operator/v1${path}`,
    headers: { authorization: `Bearer ${plane.operatorToken}` },
    ...(payload ? { payload } : {}),
  })
  return {
    status: answer.statusCode,
    requestId: String(answer.headers['x-request-id']),
    text: answer.body,
    body: answer.json(),
  }
}
const entriesOf = (requestId: string) => plane.app.core.db.auditEntry.findMany({ where: { requestId } })

/**
 * Returns the writes of a server's `/operator/v1`, as `METHOD /path`, parsed from the tree that the server
 * prints. Other writes belong to the console.
 */
function writesOf(server: FastifyInstance): string[] {
  const parts: string[] = []
  const found: string[] = []
  for (const line of server.printRoutes({ commonPrefix: false }).split('\n')) {
    const [, branch = '', path = '', methods = ''] = /^([^/]*)(\/\S*)(?: \(([A-Z, ]+)\))?$/.exec(line) ?? []
    // The tree indents by four characters per level.
    parts.splice(branch.length / 4 - 1, Infinity, path)
    for (const method of methods.split(', '))
      if (['POST', 'PUT', 'PATCH', 'DELETE'].includes(method)) found.push(`${method} ${parts.join('')}`)
  }
  return found.filter((route) => route.includes(' /operator/v1/')).sort()
}

interface Example {
  /** Prepares the data that the request needs, and sends the request. */
  send: () => Promise<Answer>
  action: string
}

const project = async () => String((await call('POST', '/projects', { name: 'Audited' })).body['id'])
const host = async () => {
  const id = newId('host')
  await plane.app.core.db.host.create({ data: { id, name: 'h', country: 'US', natsPublicKey: id } })
  return id
}
const device = async (state: string) => {
  const { db } = plane.app.core
  const hostId = await host()
  const id = newId('device')
  await db.device.create({ data: { id, hostId, serial: id, state, link: 'unenrolled', fencingNumber: 3n } })
  return id
}
const code = async () =>
  (await plane.app.services.setup.create({ client: null, address: '127.0.0.1' })).userCode
const file = async () => {
  const apk = makeApk({ package: `com.audit.a${Math.floor(Math.random() * 1e9)}` })
  return call('POST', '/library/files', apk)
}
const app = async () => call('POST', '/library/apps', { files: [(await file()).body['file']] })

/** One request for each write. A new route fails the test below until this list has a request for it. */
const examples: Record<string, Example> = {
  'POST /operator/v1/hosts/join-tokens': {
    action: 'host.join_token',
    send: () => call('POST', '/hosts/join-tokens'),
  },
  'POST /operator/v1/devices/:ref/enroll': {
    action: 'device.enroll',
    send: async () => call('POST', `/devices/${await device('unenrolled')}/enroll`, { erase: true }),
  },
  'POST /operator/v1/devices/:ref/release': {
    action: 'device.release',
    send: async () => call('POST', `/devices/${await device('quarantined')}/release`),
  },
  'PATCH /operator/v1/hosts/:ref': {
    action: 'host.change',
    send: async () => call('PATCH', `/hosts/${await host()}`, { labels: { room: 'a' } }),
  },
  'POST /operator/v1/hosts/:ref/rejoin': {
    action: 'host.rejoin_token',
    send: async () => call('POST', `/hosts/${await host()}/rejoin`),
  },
  'DELETE /operator/v1/hosts/:ref': {
    action: 'host.remove',
    send: async () => {
      const id = await host()
      await call('POST', `/hosts/${id}/retire`)
      return call('DELETE', `/hosts/${id}`)
    },
  },
  'DELETE /operator/v1/devices/:ref': {
    action: 'device.remove',
    send: async () => {
      const id = await device('unenrolled')
      await plane.app.core.db.device.update({ where: { id }, data: { link: 'absent' } })
      return call('DELETE', `/devices/${id}`)
    },
  },
  'POST /operator/v1/hosts/:ref/drain': {
    action: 'host.drain',
    send: async () => call('POST', `/hosts/${await host()}/drain`, { deadline_seconds: 60 }),
  },
  'POST /operator/v1/hosts/:ref/undrain': {
    action: 'host.undrain',
    send: async () => call('POST', `/hosts/${await host()}/undrain`),
  },
  'POST /operator/v1/hosts/:ref/retire': {
    action: 'host.retire',
    send: async () => call('POST', `/hosts/${await host()}/retire`),
  },
  'POST /operator/v1/devices/:ref/move': {
    action: 'device.move',
    send: async () => {
      const { hostId, serial } = await plane.app.core.db.device.findUniqueOrThrow({
        where: { id: await device('unenrolled') },
      })
      const place = { host: hostId, serial, unproven: true }
      return call('POST', `/devices/${await device('quarantined')}/move`, place)
    },
  },
  'POST /operator/v1/devices/:ref/drain': {
    action: 'device.drain',
    send: async () => call('POST', `/devices/${await device('free')}/drain`),
  },
  'POST /operator/v1/devices/:ref/undrain': {
    action: 'device.undrain',
    send: async () => call('POST', `/devices/${await device('free')}/undrain`),
  },
  'POST /operator/v1/devices/:ref/maintenance': {
    action: 'device.maintenance',
    send: async () => call('POST', `/devices/${await device('free')}/maintenance`, { note: 'new cable' }),
  },
  'DELETE /operator/v1/devices/:ref/maintenance': {
    action: 'device.maintenance_end',
    send: async () => call('DELETE', `/devices/${await device('free')}/maintenance`),
  },
  'DELETE /operator/v1/phones/:id': {
    action: 'phone.delete',
    send: async () => {
      const id = newId('phone')
      const [projectId, createdAt] = [await project(), new Date()]
      await plane.app.core.db.phone.create({
        data: { id, projectId, keyId: 'k', name: 'p', status: 'failed', createdAt },
      })
      return call('DELETE', `/phones/${id}`, { reason: 'abandoned' })
    },
  },
  'POST /operator/v1/projects': {
    action: 'project.create',
    send: () => call('POST', '/projects', { name: 'Shop', credit_usd: '5' }),
  },
  'PATCH /operator/v1/projects/:id': {
    action: 'project.change',
    send: async () => call('PATCH', `/projects/${await project()}`, { credit_usd: '12.5', frozen: true }),
  },
  'POST /operator/v1/keys': {
    action: 'key.create',
    send: async () => call('POST', '/keys', { project: await project(), preset: 'agent' }),
  },
  'DELETE /operator/v1/keys/:id': {
    action: 'key.revoke',
    send: async () => {
      const made = await call('POST', '/keys', { project: await project() })
      return call('DELETE', `/keys/${String(made.body['id'])}`)
    },
  },
  'POST /operator/v1/service/pause': { action: 'service.pause', send: () => call('POST', '/service/pause') },
  'POST /operator/v1/service/resume': {
    action: 'service.resume',
    send: () => call('POST', '/service/resume'),
  },
  'POST /operator/v1/service/restored': {
    action: 'service.restored',
    send: () => call('POST', '/service/restored'),
  },
  'POST /operator/v1/invitations': { action: 'invitation.create', send: () => call('POST', '/invitations') },
  'DELETE /operator/v1/invitations/:id': {
    action: 'invitation.withdraw',
    send: async () => {
      const made = await call('POST', '/invitations')
      return call('DELETE', `/invitations/${String(made.body['id'])}`)
    },
  },
  'DELETE /operator/v1/users/:id': {
    action: 'user.delete',
    send: async () => {
      const id = newId('user')
      await plane.app.core.db.user.create({ data: { id, name: 'Ann', email: `${id}@example.com` } })
      return call('DELETE', `/users/${id}`)
    },
  },
  'POST /operator/v1/resets': {
    action: 'password.reset_link',
    send: async () => {
      const email = `${newId('user')}@example.com`
      await plane.app.core.db.user.create({ data: { id: newId('user'), name: 'Ann', email } })
      return call('POST', '/resets', { email })
    },
  },
  'POST /operator/v1/operator-tokens': {
    action: 'operator_token.create',
    send: () => call('POST', '/operator-tokens', { name: 'Ann' }),
  },
  'DELETE /operator/v1/operator-tokens/:id': {
    action: 'operator_token.revoke',
    send: async () => {
      const made = await call('POST', '/operator-tokens', { name: 'Ann' })
      return call('DELETE', `/operator-tokens/${String(made.body['id'])}`)
    },
  },
  'POST /operator/v1/library/files': { action: 'library.file', send: file },
  'POST /operator/v1/library/apps': { action: 'library.add', send: app },
  'DELETE /operator/v1/library/apps/:package': {
    action: 'library.remove',
    send: async () => call('DELETE', `/library/apps/${String((await app()).body['package'])}`),
  },
  'POST /operator/v1/setups/approve': {
    action: 'setup.approve',
    send: async () => call('POST', '/setups/approve', { user_code: await code(), project: await project() }),
  },
  'POST /operator/v1/setups/deny': {
    action: 'setup.deny',
    send: async () => call('POST', '/setups/deny', { user_code: await code() }),
  },
}

it('covers every write of the operator API', () => {
  expect(writesOf(plane.operator)).toEqual(Object.keys(examples).sort())
})

it.each(Object.entries(examples))('%s leaves one entry without a secret', async (_, { send, action }) => {
  const answer = await send()
  expect(answer.status, answer.text).toBeLessThan(300)
  const [entry, ...more] = await entriesOf(answer.requestId)
  expect(more).toEqual([])
  expect(entry).toMatchObject({ action, tokenName: 'configured', address: '127.0.0.1' })
  expect(entry?.tokenId).toMatch(/^opt_/)
  expect(entry?.before !== null || entry.after !== null).toBe(true)
  const listed = await call('GET', '/audit?limit=100')
  const text = JSON.stringify(listed.body)
  expect(text).toContain(answer.requestId)
  expect(text).not.toMatch(/pr[a-z]_[A-Za-z0-9_-]{43}/)
})

it('shows the values before and after', async () => {
  const id = await project()
  const { requestId } = await call('PATCH', `/projects/${id}`, { credit_usd: '12.5', max_phones: 3 })
  const [entry] = await entriesOf(requestId)
  expect(entry).toMatchObject({
    target: id,
    before: { balance_usd: '0.000000', max_phones: 100 },
    after: { balance_usd: '12.500000', max_phones: 3 },
  })
})

it('has no entry of a refused or rolled back request', async () => {
  const before = await plane.app.core.db.auditEntry.count()
  expect((await call('PATCH', '/projects/proj_aaaaaaaaaaaa', { frozen: true })).status).toBe(404)
  expect((await call('POST', '/keys', { project: 'proj_none' })).status).toBe(404)
  expect((await call('POST', '/projects', { name: 'x', credit_usd: '-1' })).status).toBe(400)
  expect((await call('POST', '/service/pause', { until: 'tomorrow' })).status).toBe(400)
  expect(await plane.app.core.db.auditEntry.count()).toBe(before)
  expect(await plane.app.core.db.project.count({ where: { name: 'x' } })).toBe(0)
})

it('is read in pages, newest first, and refuses an invalid page', async () => {
  for (let each = 0; each < 3; each++) await project()
  const first = await call('GET', '/audit?limit=2')
  const data = first.body['data'] as { id: string }[]
  expect(data).toHaveLength(2)
  const second = await call('GET', `/audit?limit=100&before=${String(first.body['next_before'])}`)
  const all = await call('GET', '/audit?limit=100')
  expect([...data, ...(second.body['data'] as { id: string }[])].slice(0, 100)).toEqual(
    (all.body['data'] as unknown[]).slice(0, 100),
  )
  for (const wrong of ['limit=0', 'limit=101', 'limit=x', 'before=x', 'limit=1&limit=2'])
    expect((await call('GET', `/audit?${wrong}`)).status, wrong).toBe(400)
})

it('cannot be changed, and is kept for a year', async () => {
  const { db } = plane.app.core
  await project()
  await expect(db.auditEntry.updateMany({ data: { tokenName: 'somebody else' } })).rejects.toThrow(
    /append-only/,
  )
  const before = await db.auditEntry.count()
  ahead = 364 * 86_400_000
  await forget(plane.app.core)
  expect(await db.auditEntry.count()).toBe(before)
  ahead = 366 * 86_400_000
  await forget(plane.app.core)
  expect(await db.auditEntry.count()).toBe(0)
  ahead = 0
})

it('is required of every route: a write without it prevents the start', async () => {
  const { log } = plane.app.core
  const gate = plane.app.operatorGate
  const forgetful = async (server: FastifyInstance): Promise<void> => {
    await Promise.resolve()
    server.post('/operator/v1/forgotten', () => ({}))
  }
  await expect(buildOperatorServer({ config: {}, log, gate, plugins: [forgetful] })).rejects.toThrow(
    /not audited/,
  )
})
