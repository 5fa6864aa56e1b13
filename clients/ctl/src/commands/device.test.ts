// `device list` with two hosts that have the same serial, and the requests of drains.
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { runCtl } from '../run.js'

const device = (id: string, more: object) => ({
  id,
  serial: '127.0.0.1:6001',
  state: 'unenrolled',
  maker: 'Acme',
  model: 'One',
  reason: null,
  link: 'unenrolled',
  phone_id: null,
  drained_at: null,
  drain_until: null,
  maintenance: null,
  moving_since: null,
  claimed_since: null,
  has_identity: true,
  ...more,
})
const devices = [
  device('dev_a', { host_id: 'hst_a', host_name: 'rack 1', host_state: 'online' }),
  device('dev_b', { host_id: 'hst_b', host_name: 'rack 2', host_state: 'lost', link: 'unknown' }),
  device('dev_c', {
    host_id: 'hst_a',
    host_name: 'rack 1',
    host_state: 'online',
    state: 'free',
    link: 'healthy',
    maintenance: { since: '2026-01-01T00:00:00.000Z', note: 'new battery' },
  }),
]

let server: Server
let seen: [method: string, path: string, body: unknown][]
beforeEach(async () => {
  seen = []
  server = createServer((request, response) => {
    void text(request).then((body) => {
      const path = (request.url ?? '').replace('/operator/v1', '')
      if (request.method !== 'GET') seen.push([request.method ?? '', path, body && JSON.parse(body)])
      const host = { id: 'hst_a', name: 'rack 1', running: 2, drain_until: '2026-01-01T00:30:00.000Z' }
      response.end(
        JSON.stringify(
          request.method === 'GET' ? { data: devices } : path.startsWith('/hosts') ? host : devices[2],
        ),
      )
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterEach(() => server.close())

async function ctl(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  let [out, err] = ['', '']
  const { port } = server.address() as AddressInfo
  const environment = {
    PHONERACK_OPERATOR_URL: `http://127.0.0.1:${port}`,
    PHONERACK_OPERATOR_TOKEN: `pro_${'A'.repeat(43)}`,
  }
  const io = { out: (more: string) => (out += more), err: (more: string) => (err += more), environment }
  const code = await runCtl(argv, io)
  return { code, out, err }
}

it('shows the host of each device, and suggests commands with device IDs', async () => {
  const { out } = await ctl('device', 'list')
  expect(out).toMatch(/dev_a +rack 1 +127\.0\.0\.1:6001 +unenrolled/)
  expect(out).toMatch(/dev_b +rack 2 \(lost\) .* unknown /)
  expect(out).toMatch(/dev_c .* maintenance: new battery/)
  expect(out).toContain("./scripts/ctl device enroll dev_a --erase    # 127.0.0.1:6001 at 'rack 1'\n")
  expect(out).toContain("./scripts/ctl device enroll dev_b --erase    # 127.0.0.1:6001 at 'rack 2 (lost)'\n")
})

it('shows the IDs of hosts only where two hosts share a name', async () => {
  expect((await ctl('device', 'list')).out).not.toContain('HOST ID')
  devices.push(device('dev_e', { host_id: 'hst_c', host_name: 'rack 1', host_state: 'online' }))
  const { out } = await ctl('device', 'list')
  devices.pop()
  expect(out).toMatch(/dev_a +rack 1 +hst_a +127/)
  expect(out).toMatch(/dev_e +rack 1 +hst_c +127/)
  expect(out).toContain("enroll dev_e --erase    # 127.0.0.1:6001 at 'rack 1 (hst_c)'")
})

it('sends the deadline of a drain in seconds, and none by default', async () => {
  const drained = await ctl('host', 'drain', 'hst_a', '--deadline', '30m')
  expect(drained.out).toContain('Running phones: 2. They become unavailable at 2026-01-01T00:30:00.000Z.')
  await ctl('device', 'drain', 'dev_a')
  await ctl('device', 'undrain', 'dev_a')
  expect(seen).toEqual([
    ['POST', '/hosts/hst_a/drain', { deadline_seconds: 1800 }],
    ['POST', '/devices/dev_a/drain', {}],
    ['POST', '/devices/dev_a/undrain', {}],
  ])
  expect(await ctl('host', 'drain', 'hst_a', '--deadline', 'soon')).toMatchObject({ code: 2 })
})

it('changes the name, the country and labels of a host', async () => {
  const { out } = await ctl(
    'host',
    'set',
    'hst_a',
    '--name',
    'rack 9',
    '--country',
    'de',
    '--label',
    'room=a',
  )
  expect(out).toMatch(/Name +rack 1/)
  expect(seen).toEqual([['PATCH', '/hosts/hst_a', { name: 'rack 9', country: 'DE', labels: { room: 'a' } }]])
})

it('prints the token with which a host joins again', async () => {
  expect((await ctl('host', 'rejoin', 'hst_a')).out).toContain('agent join --server')
  expect(seen).toEqual([['POST', '/hosts/hst_a/rejoin', {}]])
})

it('retires a host with its phones only when that is forced', async () => {
  await ctl('host', 'retire', 'hst_a')
  const { out } = await ctl('host', 'retire', 'hst_a', '--force')
  expect(out).toContain('rack 1 (hst_a) is retired.')
  expect(out).toContain("at another host they ask for that host's key on their screens")
  expect(seen).toEqual([
    ['POST', '/hosts/hst_a/retire', {}],
    ['POST', '/hosts/hst_a/retire', { force: true }],
  ])
})

it('begins maintenance with a note, and ends it', async () => {
  expect((await ctl('device', 'maintenance', 'dev_c', '--note', 'new battery')).out).toContain(
    'dev_c (127.0.0.1:6001) is out of service: maintenance: new battery',
  )
  await ctl('device', 'maintenance', 'dev_c', '--end')
  expect(seen).toEqual([
    ['POST', '/devices/dev_c/maintenance', { note: 'new battery' }],
    ['DELETE', '/devices/dev_c/maintenance', ''],
  ])
  expect(await ctl('device', 'maintenance', 'dev_c')).toMatchObject({ code: 2 })
})

it('acts on several devices, or on those of a host', async () => {
  const both = await ctl('device', 'release', 'dev_a', 'dev_b', 'dev_a')
  expect(both.code).toBe(0)
  expect(seen.splice(0)).toEqual([
    ['POST', '/devices/dev_a/release', { keep: false }],
    ['POST', '/devices/dev_b/release', { keep: false }],
  ])
  await ctl('device', 'maintenance', '--all', '--host', 'rack 1', '--note', 'move')
  await ctl('device', 'maintenance', '--all', '--host', 'hst_a', '--end')
  expect(seen.splice(0)).toEqual([
    ['POST', '/devices/dev_a/maintenance', { note: 'move' }],
    ['POST', '/devices/dev_c/maintenance', { note: 'move' }],
    ['DELETE', '/devices/dev_c/maintenance', ''],
  ])
  for (const wrong of [
    ['release'],
    ['release', '--all'],
    ['release', '--host', 'rack 1'],
    ['release', 'dev_a', '--all', '--host', 'rack 1'],
    ['release', '--all', '--host', 'rack 1'],
    ['enroll', '--all', '--host', 'nothing', '--erase'],
  ])
    expect(await ctl('device', ...wrong)).toMatchObject({ code: 2 })
  devices.push(device('dev_e', { host_id: 'hst_c', host_name: 'rack 1', host_state: 'online' }))
  const twin = await ctl('device', 'maintenance', '--all', '--host', 'rack 1', '--note', 'x')
  devices.pop()
  expect(twin.err).toContain('2 hosts have the name rack 1; use one of hst_a, hst_c')
  expect(seen).toEqual([])
})

it('removes places and hosts', async () => {
  await ctl('device', 'remove', 'dev_a', 'dev_b')
  await ctl('host', 'remove', 'hst_a')
  expect(seen.map(([method, path]) => [method, path])).toEqual([
    ['DELETE', '/devices/dev_a'],
    ['DELETE', '/devices/dev_b'],
    ['DELETE', '/hosts/hst_a'],
  ])
})

it('moves a device, and suggests no erasure of a phone that claims to be another device', async () => {
  await ctl('device', 'move', 'dev_c', '--to', 'rack 2', '--serial', 'R58M', '--unproven')
  await ctl('device', 'move', 'dev_c', '--to', 'rack 2')
  expect(seen).toEqual([
    ['POST', '/devices/dev_c/move', { host: 'rack 2', serial: 'R58M', unproven: true }],
    ['POST', '/devices/dev_c/move', { host: 'rack 2', unproven: false }],
  ])
  expect(await ctl('device', 'move', 'dev_c')).toMatchObject({ code: 2 })
  devices.push(
    device('dev_d', { host_id: 'hst_b', host_name: 'rack 2', claimed_since: '2026-01-01T00:00:00.000Z' }),
  )
  expect((await ctl('device', 'list')).out).not.toContain('enroll dev_d')
})
