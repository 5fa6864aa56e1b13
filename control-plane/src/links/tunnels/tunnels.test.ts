// Calls to a host that opens tunnels, on a whole control plane.
import { access, mkdtemp, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { dialledAddress, subjects } from '@phonerack/shared'
import { dial, hostKeys, type Dialled, type HostKeys } from '../../testing/dialler.js'
import { createBody, eventually, useWorld, type Plane } from '../../testing/world.js'
import { type AgentDouble } from '../../testing/agent-double.js'

const world = useWorld()
let plane: Plane
/** A folder that an earlier replica left. */
let left: string
beforeAll(async () => {
  left = await mkdtemp(path.join(tmpdir(), 'phonerack-tunnels-'))
  await utimes(left, 0, 0)
  plane = await world.start({ env: { PHONERACK_TUNNEL_LISTEN: '127.0.0.1:0' } })
})

const portOf = (address: string): number => Number(address.slice(address.lastIndexOf(':') + 1))
const tunnels = () => {
  if (!plane.app.tunnels) throw new Error('no tunnels')
  return plane.app.tunnels
}

interface Rig {
  agent: AgentDouble
  keys: HostKeys
  /** Opens a tunnel to the double. */
  dial: () => Promise<Dialled>
  /** Whether grpc-js connects to it within `ms`. */
  isReached: (ms: number) => Promise<boolean>
}

/** A host that is reached through tunnels only. */
async function rig(): Promise<Rig> {
  const { db } = plane.app.core
  const agent = await plane.agent(`home-${Math.random()}`)
  let listens = 0
  agent.onHeartbeat = (message) => {
    listens = portOf(message.address)
    return { ...message, address: dialledAddress }
  }
  agent.beat()
  const where = { id: agent.hostId }
  await eventually(async () => (await db.host.findUniqueOrThrow({ where })).address === dialledAddress)
  // The double keeps its key private. Without a pinned certificate, another certificate of the host is accepted.
  const keys = await hostKeys(plane.app.authority, agent.hostId)
  expect((await db.host.findUniqueOrThrow({ where })).certificateFingerprint).toBeNull()
  const address = { address: dialledAddress, certificateFingerprint: null, joinId: null }
  return {
    agent,
    keys,
    dial: () => dial(keys, portOf(tunnels().address), listens),
    isReached: (ms) => plane.app.hosts.to(agent.hostId, address).ready(ms),
  }
}

const longMs = 60_000

it('removes the folders of replicas that were killed', async () => {
  await expect(access(left)).rejects.toThrow('ENOENT')
})

it('rents a phone of a host that opens a tunnel', async () => {
  const { db } = plane.app.core
  const { agent, dial: open } = await rig()
  const tunnel = await open()
  const serial = `phone-${agent.hostId}`
  agent.addDevice(serial)
  await eventually(async () => (await db.device.count({ where: { serial } })) === 1)
  const { id } = await db.device.findFirstOrThrow({ where: { serial } })
  const enrolled = await plane.operator.inject({
    method: 'POST',
    url: `/operator/v1/devices/${id}/enroll`,
    payload: { erase: true },
    headers: { authorization: `Bearer ${plane.operatorToken}` },
  })
  expect(enrolled.statusCode).toBeLessThan(300)
  await eventually(
    async () => (await db.device.count({ where: { id, state: 'free', link: 'healthy' } })) === 1,
  )
  const tenant = await plane.tenant()
  const { phones } = plane.app.services
  const { phone } = await phones.create(tenant.caller, createBody(), null)
  const isReady = ({ status }: { status: string }) => status === 'ready'
  await phones.wait(phone.id, isReady, longMs, new AbortController().signal)
  const read = await plane.server.inject({
    url: `/v1/phones/${phone.id}/clipboard`,
    headers: { authorization: `Bearer ${tenant.key}` },
  })
  expect(read.statusCode).toBe(200)
  expect(tunnel.streams).toBeGreaterThan(0)
})

it('uses the newer one of two tunnels, and waits a moment for one', async () => {
  const host = await rig()
  const reached = host.isReached(longMs)
  const first = await host.dial()
  expect(await reached).toBe(true)
  const second = await host.dial()
  await first.closed
  await eventually(async () => (await host.isReached(longMs)) && second.streams > 0)
  second.session.destroy()
  await eventually(() => !tunnels().open.includes(host.agent.hostId))
  await eventually(async () => !(await host.isReached(1)))
  expect(await host.isReached(500)).toBe(false)
  const third = await host.dial()
  expect(await host.isReached(longMs)).toBe(true)
  expect(third.streams).toBeGreaterThan(0)
})

it('offers a tunnel only to a dialled host that has none', async () => {
  const { bus, db } = plane.app.core
  const listening = await plane.agent('listens')
  const dialled = await plane.agent('dials')
  const offers: unknown[] = []
  for (const agent of [listening, dialled])
    bus.subscribe(subjects.announce(agent), (message) => offers.push([agent.hostId, message]))
  dialled.onHeartbeat = (message) => ({ ...message, address: dialledAddress })
  for (const agent of [listening, dialled]) agent.beat()
  await eventually(() => offers.some((offer) => JSON.stringify(offer).includes('tunnel')))
  expect(await plane.app.metrics.render()).toContain(`phonerack_host_tunnel{host="${dialled.hostId}"} 0\n`)
  const offered = offers.filter((offer) => JSON.stringify(offer).includes('tunnel'))
  const tunnel = { replica: plane.config.replicaId, address: tunnels().address }
  for (const offer of offered) expect(offer).toEqual([dialled.hostId, { tunnel }])
  const keys = await hostKeys(plane.app.authority, dialled.hostId)
  await db.host.update({ where: { id: dialled.hostId }, data: { certificateFingerprint: null } })
  await dial(keys, portOf(tunnels().address), () => undefined)
  await eventually(() => tunnels().open.includes(dialled.hostId))
  const metrics = await plane.app.metrics.render()
  expect(metrics).toMatch(/^phonerack_tunnels [1-9]/m)
  expect(metrics).toMatch(/^phonerack_tunnel_connections_total\{outcome="opened"\} [1-9]/m)
  expect(metrics).toContain(`phonerack_host_tunnel{host="${dialled.hostId}"} 1\n`)
  expect(metrics).not.toContain(`phonerack_host_tunnel{host="${listening.hostId}"}`)
  const before = offers.length
  const { sequence } = await db.host.findUniqueOrThrow({ where: { id: dialled.hostId } })
  const later = async () => (await db.host.findUniqueOrThrow({ where: { id: dialled.hostId } })).sequence
  await eventually(async () => (await later()) > sequence + 2n)
  expect(JSON.stringify(offers.slice(before + 1))).not.toContain('tunnel')
})

it('refuses unknown hosts and earlier certificates, and ends the tunnels of a host that joined again', async () => {
  const { db } = plane.app.core
  const port = portOf(tunnels().address)
  const unknown = await hostKeys(plane.app.authority, 'hst_zzzzzzzzzzzz')
  await expect(dial(unknown, port, () => undefined)).rejects.toThrow('refused')
  const agent = await plane.agent('with a pinned certificate')
  const where = { id: agent.hostId }
  const other = await hostKeys(plane.app.authority, agent.hostId)
  await db.host.update({ where, data: { certificateFingerprint: 'AA:BB' } })
  await expect(dial(other, port, () => undefined)).rejects.toThrow('refused')

  await db.host.update({ where, data: { certificateFingerprint: null } })
  const open = await dial(other, port, () => undefined)
  await eventually(() => tunnels().open.includes(agent.hostId))
  // A renewal does not end the tunnel.
  await db.host.update({ where, data: { certificateFingerprint: 'AA:BB' } })
  await tunnels().endStale()
  expect(tunnels().open).toContain(agent.hostId)
  await db.host.update({ where, data: { joinId: 'join_aaaaaaaaaaaa' } })
  await tunnels().endStale()
  await open.closed
  expect(tunnels().open).not.toContain(agent.hostId)
})

it('ends the tunnel of a retired host with its connections, and refuses its next one', async () => {
  const host = await rig()
  const { hostId } = host.agent
  const open = await host.dial()
  expect(await host.isReached(longMs)).toBe(true)
  const url = `/operator/v1/hosts/${hostId}/retire`
  const headers = { authorization: `Bearer ${plane.operatorToken}` }
  const retired = await plane.operator.inject({ method: 'POST', url, headers, payload: { force: true } })
  expect(retired.statusCode).toBe(200)
  await open.closed
  await expect(host.dial()).rejects.toThrow('refused')
  expect(tunnels().open).not.toContain(hostId)
  expect(await host.isReached(longMs)).toBe(false)
})

it('recovers when an agent refuses streams, answers nonsense, or takes no new streams', async () => {
  const host = await rig()
  const port = portOf(tunnels().address)
  const rude = await dial(host.keys, port, (stream) => {
    const { streams } = rude
    if (streams % 3 === 0) return stream.close(8)
    if (streams % 3 === 1) return stream.respond({ ':status': 502 }, { endStream: true })
    stream.respond({ ':status': 200 })
    stream.end('not TLS')
  })
  await eventually(async () => !(await host.isReached(100)) && rude.streams > 3)
  // The rude host keeps the connection open.
  rude.session.goaway(0)
  await eventually(async () => !(await host.isReached(100)) && !tunnels().open.includes(host.agent.hostId))
  await host.dial()
  expect(await host.isReached(longMs)).toBe(true)
  rude.session.destroy()
})
