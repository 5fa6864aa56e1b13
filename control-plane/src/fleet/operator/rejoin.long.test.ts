// A reinstalled machine gets its host ID again, and the machine with the earlier certificate is refused.
import { beforeAll, expect, it } from 'vitest'
import { type Heartbeat } from '@phonerack/shared'
import { type HostAddress } from '../../links/host-calls/clients.js'
import { listenToHosts } from '../hosts/heartbeats.js'
import { LockActivity } from '../hosts/lock-activity.js'
import { createRenewals } from '../hosts/renewal.js'
import { HostSilence } from '../hosts/silence.js'
import { createBody, eventually, useWorld, type Plane } from '../../testing/world.js'

const world = useWorld()
let plane: Plane
beforeAll(async () => {
  plane = await world.start()
})

const rejoin = (ref: string) =>
  plane.operator.inject({
    method: 'POST',
    url: `/operator/v1/hosts/${ref}/rejoin`,
    headers: { authorization: `Bearer ${plane.operatorToken}` },
  })

it('gives a machine its host ID and phones back, and refuses the earlier certificate', async () => {
  const { db } = plane.app.core
  const { phones } = plane.app.services
  const earlier = await plane.rack(2)
  const { hostId } = earlier
  const tenant = await plane.tenant()
  const until = (id: string, status: string) =>
    phones.wait(id, (phone) => phone.status === status, 60_000, new AbortController().signal)
  const { phone } = await phones.create(tenant.caller, createBody(), null)
  await until(phone.id, 'ready')
  await phones.park(tenant.caller, phone.id)
  await until(phone.id, 'parked')
  earlier.pause()
  const hostOf = () => db.host.findUniqueOrThrow({ where: { id: hostId } })
  const before = await hostOf()
  if (before.address === null) throw new Error('no address')

  const again = await plane.agent('another name', { rejoins: hostId })
  expect(again.hostId).toBe(hostId)
  // Only `identity.json` was lost: the records of its devices are intact.
  for (const [serial, device] of earlier.devices) again.devices.set(serial, device)
  again.beat()
  await eventually(async () => (await hostOf()).address !== null)
  const after = await hostOf()
  expect(after).toMatchObject({ name: before.name, country: before.country })
  expect(after.natsPublicKey).not.toBe(before.natsPublicKey)
  expect(await db.host.count()).toBe(1)
  expect(await db.device.count()).toBe(2)
  await eventually(async () => (await db.device.count({ where: { state: 'free', link: 'healthy' } })) === 1)
  await phones.start(tenant.caller, phone.id, { idleTimeout: null, maxDuration: null })
  await until(phone.id, 'ready')
  expect(again.log.some((line) => line.startsWith(`start ${phone.id}`))).toBe(true)
  await phones.create(tenant.caller, createBody(), null).then((made) => until(made.phone.id, 'ready'))

  // The earlier machine still runs.
  const starts = earlier.log.length
  const forge = (message: Heartbeat) => ({
    ...message,
    sequence: 1_000_000,
    at: '2040-01-01T00:00:00.000Z',
    // The forged heartbeat names the new machine's certificate, which any client of its port can see.
    certificate: after.certificateFingerprint,
  })
  earlier.onHeartbeat = forge
  earlier.resume()
  const { sequence } = await hostOf()
  await eventually(async () => (await hostOf()).sequence > sequence + 3n)
  expect((await hostOf()).address).toBe(after.address)
  // The earlier machine uses the subject of the new machine, which the broker refuses.
  earlier.joinId = again.joinId
  earlier.beat()
  await eventually(async () => (await hostOf()).sequence > sequence + 6n)
  expect((await hostOf()).address).toBe(after.address)
  // Another replica, which has not heard either machine, records no fault of the earlier machine, and the
  // earlier machine's heartbeats do not hide the silence of the new machine.
  earlier.pause()
  let last = 0
  again.onHeartbeat = (message) => {
    last = message.sequence
    return message
  }
  again.pause()
  again.beat()
  await eventually(async () => (await hostOf()).sequence === BigInt(last))
  let now = 0
  const silence = new HostSilence(() => now)
  const { core, hosts, services } = plane.app
  const listening = listenToHosts(core, silence, new LockActivity(services.activity), hosts)
  now = 100_000
  earlier.joinId = null
  earlier.onHeartbeat = (message) => ({ ...message, protocol_version: 99 })
  earlier.beat()
  earlier.onHeartbeat = forge
  // The broker may get the subscription after a heartbeat.
  await eventually(() => {
    earlier.beat()
    return silence.ofHost(earlier) === 0
  })
  expect(silence.ofHost(again)).toBe(100_000)
  expect((await hostOf()).reportFault).toBeNull()
  await listening.close()
  const dial = (at: Omit<HostAddress, 'address'>, ms: number) =>
    plane.app.hosts.to(hostId, { ...at, address: before.address ?? '' }).ready(ms)
  expect(await dial({ certificateFingerprint: null }, 60_000)).toBe(true)
  const { certificateFingerprint, joinId } = after
  expect(await dial({ certificateFingerprint, joinId }, 2000)).toBe(false)
  expect(earlier.log.length).toBe(starts)
  expect(await db.auditEntry.count({ where: { action: 'host.rejoin', target: hostId } })).toBe(1)
})

it('refuses an agent that does not know the subjects of a rejoin, and keeps the token', async () => {
  const { db } = plane.app.core
  const { hostId } = await plane.agent('older')
  await expect(plane.agent('older', { rejoins: hostId, canRejoin: false })).rejects.toThrow(
    /Upgrade the host agent/,
  )
  expect(await db.joinToken.count({ where: { rejoinsHostId: hostId, usedAt: null } })).toBe(1)
})

it('refuses a token for an unknown host', async () => {
  expect((await rejoin('hst_aaaaaaaaaaaa')).statusCode).toBe(404)
})

it('renews a certificate that has used two thirds of its life, while calls continue', async () => {
  const { core, hosts, authority } = plane.app
  const { db } = core
  const { phones } = plane.app.services
  const agent = await plane.rack(1)
  const { hostId } = agent
  const hostOf = () => db.host.findUniqueOrThrow({ where: { id: hostId } })
  const tenant = await plane.tenant()
  const { phone } = await phones.create(tenant.caller, createBody(), null)
  const signal = new AbortController().signal
  await phones.wait(phone.id, ({ status }) => status === 'ready', 60_000, signal)
  const read = async () =>
    plane.server.inject({
      url: `/v1/phones/${phone.id}/clipboard`,
      headers: { authorization: `Bearer ${tenant.key}` },
    })
  const before = await hostOf()
  const renew = createRenewals({ core, hosts, authority, stopping: signal })
  await renew()
  expect((await hostOf()).nextCertificatePem).toBeNull()

  // A call that runs throughout the renewal.
  let release = (): void => undefined
  const isReleased = new Promise<void>((resolve) => (release = resolve))
  let calls = 0
  agent.onCall = () => {
    calls += 1
    return calls === 1 ? isReleased : Promise.resolve()
  }
  const long = read()
  await eventually(() => calls === 1)
  const expiresSoon = new Date(Date.now() + 100 * 86_400_000)
  await db.host.update({ where: { id: hostId }, data: { certificateExpiresAt: expiresSoon } })
  await renew()
  await eventually(async () => (await hostOf()).certificateFingerprint !== before.certificateFingerprint)
  const after = await hostOf()
  expect(after).toMatchObject({ nextCertificatePem: null, nextCertificateFingerprint: null })
  expect(after.certificateExpiresAt?.getTime()).toBeGreaterThan(Date.now() + 364 * 86_400_000)
  expect((await read()).statusCode).toBe(200)
  release()
  expect((await long).statusCode).toBe(200)

  // The agent presents the new certificate, and the control plane refuses the earlier certificate.
  const address = after.address ?? ''
  const dial = (certificateFingerprint: string | null, joinId: string) =>
    hosts.to(hostId, { address, certificateFingerprint, joinId })
  expect(await dial(after.certificateFingerprint, 'a new connection').ready(60_000)).toBe(true)
  expect(await dial('AB:CD', 'another one').ready(500)).toBe(false)
  await renew()
  expect((await hostOf()).certificateFingerprint).toBe(after.certificateFingerprint)
})
