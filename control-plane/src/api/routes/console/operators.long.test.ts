// The operators' pages: where they answer, in whose name they act, and what they refuse.
import { newId } from '@phonerack/shared'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  consoleClient,
  consoleUser,
  cookieHeader,
  operatorDesk,
  testPassword,
  type ConsoleClient,
} from '../../../testing/console-client.js'
import { makeApk } from '../../../testing/apk.js'
import { createBody, eventually, useWorld, type Plane } from '../../../testing/world.js'
import { rules } from './rules.js'

const world = useWorld()
let plane: Plane
/** An operator at the operator's listener, and at the public listener. */
let desk: ConsoleClient
let outside: ConsoleClient
let email: string
let userId: string

beforeAll(async () => {
  plane = await world.start()
  ;({ client: outside, email, userId } = await consoleUser(plane, { role: 'operator' }))
  desk = await operatorDesk(plane, email)
})

const ofOperators = Object.keys(rules).filter((route) => route.includes(' /operator/'))
const dataOf = (body: Record<string, unknown>) => body['data'] as Record<string, unknown>[]
const lastAudit = () => plane.app.core.db.auditEntry.findFirstOrThrow({ orderBy: { id: 'desc' } })

/** A host with a free device. */
async function newHost() {
  const double = await plane.rack(1)
  const device = await plane.app.core.db.device.findFirstOrThrow({ where: { hostId: double.hostId } })
  return { hostId: double.hostId, device }
}

describe('the public listener', () => {
  it.each(ofOperators)('does not have %s', async (route) => {
    const [method = '', path = ''] = route.split(' ')
    const { status } = await outside.ask(method, path.replaceAll(/:\w+/g, newId('host')), {
      ...(method === 'GET' ? {} : { body: {} }),
    })
    // The page's own paths begin with /console too, and take GET.
    expect(status).toBe(method === 'GET' ? 404 : 405)
  })

  it('names the address of the operators’ console to operators only', async () => {
    const tenant = await plane.tenant()
    const owner = await consoleUser(plane, { role: 'owner', projectId: tenant.projectId })
    const of = async (client: ConsoleClient) => {
      const { body } = await client.ask('GET', '/session')
      return [body['has_operator_pages'], body['operator_console_url']]
    }
    expect(await of(outside)).toEqual([false, 'http://localhost:8090/console'])
    expect(await of(owner.client)).toEqual([false, null])
    expect(await of(desk)).toEqual([true, null])
  })

  it('has them when the configuration says so', async () => {
    const open = await world.start({ env: { PHONERACK_OPERATOR_PAGES: 'public' } })
    const { client } = await consoleUser(open, { role: 'operator' })
    expect((await client.ask('GET', '/operator/hosts')).status).toBe(200)
    const tenant = await open.tenant()
    const owner = await consoleUser(open, { role: 'owner', projectId: tenant.projectId })
    expect((await owner.client.ask('GET', '/operator/hosts')).status).toBe(403)
  })
})

describe('a sign-in', () => {
  it('is valid at one console only, even under the name of the other', async () => {
    for (const [own, at] of [
      [outside, 'operator'],
      [desk, 'public'],
    ] as const) {
      const thief = consoleClient(plane, at)
      for (const [name, value] of own.cookies) {
        thief.cookies.set(name, value)
        const other = at === 'operator' ? 'phonerack-operator.' : 'phonerack.'
        thief.cookies.set(name.replace(/^phonerack(-operator)?\./, other), value)
      }
      expect((await thief.ask('GET', '/me/sessions')).status, at).toBe(401)
    }
  })

  it('is listed and ended at either console', async () => {
    const user = await consoleUser(plane, { role: 'operator' })
    const other = await operatorDesk(plane, user.email)
    const { body } = await user.client.ask('GET', '/me/sessions')
    expect(dataOf(body)).toHaveLength(2)
    const away = dataOf(body).find((each) => each['is_current'] === false)
    expect((await user.client.ask('DELETE', `/me/sessions/${String(away?.['id'])}`)).status).toBe(200)
    expect((await other.ask('GET', '/operator/hosts')).status).toBe(401)
  })

  it('is refused from a page of the public console, and from another site', async () => {
    for (const origin of [plane.config.console.origin, 'https://evil.example', undefined]) {
      const answer = await desk.ask('POST', '/operator/service/resume', { headers: { origin } })
      expect(answer.body['error'], String(origin)).toMatchObject({ code: 'browser_requests_not_allowed' })
    }
    const client = consoleClient(plane, 'operator')
    const body = { email, password: testPassword }
    const answer = await client.ask('POST', '/auth/sign-in/email', {
      body,
      headers: { origin: plane.config.console.origin },
    })
    expect(answer.status).toBe(403)
  })

  it('does not open /operator/v1, and a token does not open the console', async () => {
    const cookie = cookieHeader(desk)
    const api = await plane.operator.inject({ url: '/operator/v1/hosts', headers: { cookie } })
    expect(api.statusCode).toBe(401)
    const headers = { authorization: `Bearer ${plane.operatorToken}` }
    const pages = await plane.operator.inject({ url: '/console/api/operator/hosts', headers })
    expect(pages.statusCode).toBe(401)
  })
})

describe('an operator', () => {
  it('gets the command with which a machine joins, in their name', async () => {
    const { status, body } = await desk.ask('POST', '/operator/hosts/join-tokens')
    expect(status).toBe(201)
    // There is no host yet whose country it could have.
    expect(body['command']).toMatch(
      /^sudo phonerack-agent join --server http:\S+ --country COUNTRY --token-file - <<'END' &&\nprj_\S+\nEND\nsudo systemctl start phonerack-agent$/,
    )
    expect(await lastAudit()).toMatchObject({ action: 'host.join_token', tokenId: userId, tokenName: email })
    // The token is not in the log.
    const token = /prj_[^\n]+/.exec(String(body['command']))?.[0] ?? ''
    expect(JSON.stringify((await lastAudit()).after)).not.toContain(token)
  })

  it('sees hosts with the phones in their ports, and drains one, which ends its phones', async () => {
    const { hostId } = await newHost()
    const joining = await desk.ask('POST', '/operator/hosts/join-tokens')
    expect(joining.body['command']).not.toContain('--country')
    const { caller } = await plane.tenant()
    const { phone } = await plane.app.services.phones.create(caller, createBody({ name: 'drained' }), null)
    const row = async () => {
      const found = dataOf((await desk.ask('GET', '/operator/hosts')).body)
      return found.find(({ id }) => id === hostId) as { ports: { phone: unknown }[]; running: number }
    }
    await eventually(async () => {
      const [port] = (await row()).ports
      return (port?.phone as { status?: string } | null)?.status === 'ready'
    })
    expect((await row()).ports[0]?.phone).toMatchObject({ id: phone.id, name: 'drained' })

    const drained = await desk.ask('POST', `/operator/hosts/${hostId}/drain`, {
      body: { deadline_seconds: 0 },
    })
    expect(drained.status, JSON.stringify(drained.body)).toBe(200)
    expect(await lastAudit()).toMatchObject({ action: 'host.drain', target: hostId, tokenName: email })
    await eventually(async () => {
      const { running, ports } = await row()
      return running === 0 && (ports[0]?.phone as { status?: string } | null)?.status === 'unavailable'
    })

    const refused = await desk.ask('POST', `/operator/hosts/${hostId}/retire`, { body: {} })
    expect(refused.body['error']).toMatchObject({ code: 'validation_failed' })
    await desk.ask('POST', `/operator/hosts/${hostId}/retire`, { body: { force: true } })
    expect(await row()).toBeUndefined()
  })

  it('enrols a device only with its serial', async () => {
    const agent = await plane.agent('bench')
    // A serial is printable ASCII: control-plane/src/fleet/hosts/read-heartbeat.ts
    const serial = 'R5CT <script>"&'
    agent.addDevice(serial)
    const find = () => plane.app.core.db.device.findFirst({ where: { serial } })
    await eventually(async () => (await find()) !== null)
    const id = (await find())?.id ?? ''
    for (const typed of ['', 'R5CT', id]) {
      const answer = await desk.ask('POST', `/operator/devices/${id}/enroll`, { body: { serial: typed } })
      expect(answer.body['error'], typed).toMatchObject({ code: 'validation_failed' })
    }
    expect(await find()).toMatchObject({ state: 'unenrolled' })
    const answer = await desk.ask('POST', `/operator/devices/${id}/enroll`, { body: { serial } })
    expect(answer.status, JSON.stringify(answer.body)).toBe(202)
    await eventually(async () => (await find())?.state === 'free')
    const { body } = await desk.ask('GET', '/operator/devices')
    expect(dataOf(body).find((each) => each['id'] === id)).toMatchObject({ serial, state: 'free' })
  })

  it('takes a device into maintenance with a note, and out of it', async () => {
    const { device } = await newHost()
    const path = `/operator/devices/${device.id}/maintenance`
    expect((await desk.ask('POST', path, { body: {} })).status).toBe(400)
    const note = 'new battery'
    expect((await desk.ask('POST', path, { body: { note } })).body['maintenance']).toMatchObject({ note })
    expect((await desk.ask('DELETE', path)).body['maintenance']).toBeNull()
    expect(await lastAudit()).toMatchObject({ action: 'device.maintenance_end', tokenId: userId })
  })

  it('shows the changes of one object', async () => {
    const { device } = await newHost()
    await desk.ask('POST', `/operator/devices/${device.id}/maintenance`, { body: { note: 'fan' } })
    const { body } = await desk.ask('GET', `/operator/audit?target=${device.id}`)
    expect(dataOf(body).map(({ action, target }) => [action, target])).toEqual([
      ['device.maintenance', device.id],
    ])
  })

  it('adds an app of several files to the library, and removes it', async () => {
    const build = { package: 'org.example.shop', versionCode: 3, versionName: '1.3', label: 'Shop' }
    const files: unknown[] = []
    for (const apk of [makeApk({ ...build, splitRequired: true }), makeApk({ ...build, split: 'config.de' })])
      files.push((await desk.ask('POST', '/operator/library/files', { body: apk })).body['file'])
    const alone = await desk.ask('POST', '/operator/library/apps', { body: { files: files.slice(0, 1) } })
    expect(alone.body['error']).toMatchObject({ code: 'validation_failed' })
    const added = await desk.ask('POST', '/operator/library/apps', { body: { files } })
    expect(added.body).toMatchObject({ label: 'Shop', version_code: 3, splits: ['config.de'] })
    const { body } = await desk.ask('GET', '/operator/library/apps')
    expect(body).toMatchObject({ is_configured: true, data: [{ package: 'org.example.shop' }] })

    expect((await desk.ask('DELETE', '/operator/library/apps/org.example.shop')).status).toBe(200)
    expect(await lastAudit()).toMatchObject({ action: 'library.remove', tokenName: email })
    const broken = await desk.ask('POST', '/operator/library/files', { body: Buffer.from('no APK') })
    expect(broken.body['error']).toMatchObject({ code: 'invalid_apk' })
  })

  it('adds credit, sets limits and freezes a project', async () => {
    const { projectId } = await plane.tenant({ credit: '5' })
    const path = `/operator/projects/${projectId}`
    const body = { credit_usd: '7.5', spend_limit_usd: '20', max_phones: 3, max_running: 2, frozen: true }
    expect((await desk.ask('PATCH', path, { body })).body).toMatchObject({
      id: projectId,
      balance_usd: '12.500000',
      spend_limit_usd: '20.000000',
      max_phones: 3,
      max_running: 2,
      frozen_at: expect.any(String) as string,
    })
    // Other settings of `/operator/v1` have no field here.
    expect((await desk.ask('PATCH', path, { body: { steps: false } })).status).toBe(400)
    const log = await desk.ask('GET', '/operator/audit')
    expect(dataOf(log.body)[0]).toMatchObject({
      action: 'project.change',
      token_name: email,
      target: projectId,
    })
  })

  it('pauses and resumes the service, and sees the state of its parts', async () => {
    expect((await desk.ask('POST', '/operator/service/pause')).status).toBe(200)
    const { body } = await desk.ask('GET', '/operator/system')
    expect(body).toMatchObject({
      service: { paused_at: expect.any(String) as string },
      postgres: { version: expect.stringMatching(/^\d+/) as string },
      nats: { is_connected: true },
      storage: { kind: 'fs' },
      replicas: [{ id: plane.config.replicaId, is_running: true }],
    })
    expect((await desk.ask('POST', '/operator/service/resume')).body).toMatchObject({ paused_at: null })
  })
})
