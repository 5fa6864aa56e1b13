/**
 * Phones that are connected to another host: the device moves only with a proof or an operator's order. Runs
 * with real Postgres, broker and mutual TLS, and agent doubles.
 */
import { ApiError, identityOf, newSeed } from '@phonerack/shared'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AgentDouble, type DoubleDevice } from '../../testing/agent-double.js'
import { brokenInvariants } from '../../testing/money.js'
import { createBody, eventually, useWorld, type Plane, type Tenant } from '../../testing/world.js'

const world = useWorld()
let plane: Plane
let tenant: Tenant
let from: AgentDouble
let to: AgentDouble

beforeAll(async () => {
  plane = await world.start({ pace: 0.05 })
  tenant = await plane.tenant()
  from = await plane.rack(10, { beatMs: 200 })
  // Creates ask for the first host's country, so no phone is created on this host.
  to = await plane.agent('second', { beatMs: 200, country: 'DE' })
})
afterAll(async () => {
  expect(await brokenInvariants(plane.app.core.db)).toEqual([])
})

const db = () => plane.app.core.db
const phones = () => plane.app.services.phones
const until = (id: string, status: string) =>
  phones().wait(id, (phone) => phone.status === status, 60_000, new AbortController().signal)
const deviceAt = (host: AgentDouble, serial: string) =>
  db().device.findUniqueOrThrow({ where: { hostId_serial: { hostId: host.hostId, serial } } })
const rowOf = (id: string) => db().device.findUniqueOrThrow({ where: { id } })
const operate = (path: string, payload: Record<string, unknown>) =>
  plane.operator.inject({
    method: 'POST',
    url: `/operator/v1/devices/${path}`,
    headers: { authorization: `Bearer ${plane.operatorToken}` },
    payload,
  })

interface Rented {
  phoneId: string
  deviceId: string
  device: DoubleDevice
}

async function rent(): Promise<Rented> {
  const { phone } = await phones().create(tenant.caller, createBody({ country: 'US' }), null)
  expect((await until(phone.id, 'ready')).status).toBe('ready')
  // The country only chose the host. A phone that was created with a country does not leave that country by a
  // claim.
  await db().phone.update({ where: { id: phone.id }, data: { country: null } })
  const { id, serial } = await db().device.findUniqueOrThrow({ where: { phoneId: phone.id } })
  const device = from.devices.get(serial)
  if (!device) throw new Error(`no double of ${serial}`)
  return { phoneId: phone.id, deviceId: id, device }
}

async function rentAndPark(): Promise<Rented> {
  const rented = await rent()
  await phones().park(tenant.caller, rented.phoneId)
  await until(rented.phoneId, 'parked')
  return rented
}

const start = (id: string) => phones().start(tenant.caller, id, { idleTimeout: null, maxDuration: null })

/** Disconnect the phone from the first host. */
function unplug(device: DoubleDevice): void {
  device.link = 'absent'
  from.beat()
}

/** The phone with this key is connected to the second host. */
async function plugIn(serial: string, seed: string | undefined): Promise<DoubleDevice> {
  const device = to.addDevice(serial)
  if (seed !== undefined) device.seed = seed
  to.beat()
  await eventually(async () => (await db().device.count({ where: { hostId: to.hostId, serial } })) === 1)
  return device
}

const isAdopted = async (id: string): Promise<boolean> => {
  const { hostId, adoptingSince, link } = await rowOf(id)
  return hostId === to.hostId && adoptingSince === null && link === 'healthy'
}

describe('a phone that is connected to another host', () => {
  it('keeps the tenant phone of its device, which starts there with its data', async () => {
    const { phoneId, deviceId, device } = await rentAndPark()
    const before = await rowOf(deviceId)
    unplug(device)
    await plugIn('parked', device.seed)
    await eventually(() => isAdopted(deviceId))
    const after = await rowOf(deviceId)
    expect(after).toMatchObject({ serial: 'parked', phoneId, state: 'assigned', profile: '{"double":true}' })
    expect(after.fencingNumber).toBeGreaterThan(before.fencingNumber)
    // The earlier host knows the earlier key.
    expect(after.identityKey).not.toBe(before.identityKey)
    await start(phoneId)
    expect((await until(phoneId, 'ready')).status).toBe('ready')
    expect(to.log.some((line) => line.startsWith(`start ${phoneId}`))).toBe(true)
    const entry = await db().auditEntry.findFirstOrThrow({
      where: { action: 'device.move', target: deviceId },
    })
    expect(entry).toMatchObject({ tokenId: to.hostId, after: { host_id: to.hostId, serial: 'parked' } })
    await phones().delete(tenant.caller, phoneId)
    await eventually(async () => (await rowOf(deviceId)).state === 'free')
  })

  it('ends the session at the last proof of life, and starts again there', async () => {
    const { phoneId, deviceId, device } = await rent()
    unplug(device)
    await eventually(async () => (await rowOf(deviceId)).link === 'absent')
    const { lastProofAt } = await rowOf(deviceId)
    await plugIn('ready', device.seed)
    await eventually(() => isAdopted(deviceId))
    expect((await until(phoneId, 'unavailable')).status).toBe('unavailable')
    const session = await db().session.findFirstOrThrow({ where: { phoneId } })
    expect(session.endedAt).toEqual(lastProofAt)
    await start(phoneId)
    expect((await until(phoneId, 'ready')).status).toBe('ready')
    await phones().delete(tenant.caller, phoneId)
  })

  it('is wiped there when no tenant has it', async () => {
    const free = await db().device.findFirstOrThrow({ where: { hostId: from.hostId, state: 'free' } })
    const device = from.devices.get(free.serial)
    if (!device) throw new Error('no double')
    unplug(device)
    const there = await plugIn('idle', device.seed)
    await eventually(async () => (await isAdopted(free.id)) && (await rowOf(free.id)).state === 'free')
    const { fencingNumber, identityKey } = await rowOf(free.id)
    expect(to.log).toContain(`wipe  ${fencingNumber}`)
    expect(identityKey).toBe(identityOf(there.seed ?? ''))
  })

  it('cannot be claimed back by the earlier host, whose reports no longer concern it', async () => {
    const { phoneId, deviceId, device } = await rentAndPark()
    unplug(device)
    await plugIn('taken', device.seed)
    await eventually(() => isAdopted(deviceId))
    const moved = await rowOf(deviceId)
    // The earlier host reports that it has the phone, with the key that it knew.
    Object.assign(device, {
      link: 'unenrolled',
      revision: Date.now() + 60_000,
      fencing: moved.fencingNumber + 5n,
    })
    from.beat()
    await eventually(async () => (await deviceAt(from, device.serial)).link === 'unenrolled')
    const { lastSeenAt } = await db().host.findUniqueOrThrow({ where: { id: from.hostId } })
    await eventually(async () => {
      const host = await db().host.findUniqueOrThrow({ where: { id: from.hostId } })
      return Number(host.lastSeenAt) > Number(lastSeenAt) + 1000
    })
    expect(from.log.filter((line) => line === `prove ${device.serial}`)).toEqual([])
    expect(await rowOf(deviceId)).toMatchObject({ hostId: to.hostId, fencingNumber: moved.fencingNumber })
    expect((await deviceAt(from, device.serial)).id).not.toBe(deviceId)
    await phones().delete(tenant.caller, phoneId)
  })
})

describe('a claim without a proof', () => {
  it.each([
    ['from a host that does not have the phone', 'no-phone', undefined, 'did not prove it'],
    ['from a host that signs with another key', 'forged', newSeed(), 'signature is wrong'],
  ])('%s is quarantined, and the device stays', async (_, serial, seed, reason) => {
    const { phoneId, deviceId, device } = await rentAndPark()
    const claimant = await plugIn(serial, seed)
    unplug(device)
    claimant.claims = identityOf(device.seed ?? '')
    to.beat()
    await eventually(async () => (await deviceAt(to, serial)).state === 'quarantined')
    expect((await deviceAt(to, serial)).reason).toContain(reason)
    expect(await rowOf(deviceId)).toMatchObject({ hostId: from.hostId, phoneId, state: 'assigned' })
    device.link = 'healthy'
    from.beat()
    await eventually(async () => (await rowOf(deviceId)).link === 'healthy')
    await phones().delete(tenant.caller, phoneId)
  })
})

describe('a proven claim', () => {
  it('moves nothing when the key of the device, or the place of the claim, changed during the proof', async () => {
    const { phoneId, deviceId, device } = await rentAndPark()
    const { identityKey } = await rowOf(deviceId)
    const claimant = await plugIn('late', undefined)
    let proofs = 0
    claimant.onProve = async () => {
      proofs += 1
      if (proofs === 1) await db().device.update({ where: { id: deviceId }, data: { identityKey: 'other' } })
    }
    unplug(device)
    await eventually(async () => (await rowOf(deviceId)).link === 'absent')
    claimant.seed = device.seed ?? ''
    to.beat()
    // The claims that follow find no device with the key.
    await eventually(() => Promise.resolve(proofs > 0))
    await eventually(async () => {
      const { claimCheckedAt } = await deviceAt(to, 'late')
      return claimCheckedAt !== null && Date.now() - claimCheckedAt.getTime() > 1000
    })
    expect(await rowOf(deviceId)).toMatchObject({ hostId: from.hostId, phoneId })

    const claim = await deviceAt(to, 'late')
    proofs = 0
    claimant.onProve = async () => {
      proofs += 1
      if (proofs === 1) await db().device.update({ where: { id: claim.id }, data: { serial: 'elsewhere' } })
    }
    await db().device.update({ where: { id: deviceId }, data: { identityKey } })
    to.beat()
    await eventually(
      async () =>
        (await db().device.count({ where: { hostId: to.hostId, serial: 'late' } })) === 1 && proofs > 0,
    )
    await eventually(() => isAdopted(deviceId))
    // The row whose serial changed did not get the device.
    expect((await rowOf(deviceId)).serial).toBe('late')
    expect(await rowOf(claim.id)).toMatchObject({ hostId: to.hostId, serial: 'elsewhere', phoneId: null })
    await phones().delete(tenant.caller, phoneId)
  })

  it('waits while the earlier host only fails to reach the phone, or the phone was created for a country', async () => {
    const { phoneId, deviceId, device } = await rentAndPark()
    device.link = 'offline'
    from.beat()
    await eventually(async () => (await rowOf(deviceId)).link === 'offline')
    await plugIn('early', device.seed)
    await eventually(async () => (await deviceAt(to, 'early')).claimedSince !== null)
    expect((await deviceAt(to, 'early')).reason).toContain('claimed by two hosts')
    expect((await rowOf(deviceId)).hostId).toBe(from.hostId)

    await db().phone.update({ where: { id: phoneId }, data: { country: 'US' } })
    unplug(device)
    await eventually(
      async () => (await deviceAt(to, 'early')).reason?.includes('was created for US') === true,
    )
    expect((await rowOf(deviceId)).hostId).toBe(from.hostId)
    await db().phone.update({ where: { id: phoneId }, data: { country: null } })
    await eventually(() => isAdopted(deviceId))
    await phones().delete(tenant.caller, phoneId)
  })
})

describe('a phone that two hosts have', () => {
  it('stays where it is, and the claim is quarantined until an operator moves the device', async () => {
    const { phoneId, deviceId, device } = await rent()
    await plugIn('copy', device.seed)
    await eventually(async () => (await deviceAt(to, 'copy')).claimedSince !== null)
    const claim = await deviceAt(to, 'copy')
    expect(claim).toMatchObject({ state: 'unenrolled' })
    expect(claim.reason).toContain('claimed by two hosts')
    await db().device.update({
      where: { id: claim.id },
      data: { claimedSince: new Date(Date.now() - 120_000) },
    })
    await eventually(async () => (await deviceAt(to, 'copy')).state === 'quarantined')
    expect(await rowOf(deviceId)).toMatchObject({ hostId: from.hostId, link: 'healthy' })
    expect((await until(phoneId, 'ready')).status).toBe('ready')

    const answer = await operate(`${deviceId}/move`, { host: to.hostId, serial: 'copy' })
    expect(answer.statusCode).toBe(202)
    await eventually(() => isAdopted(deviceId))
    expect((await until(phoneId, 'unavailable')).status).toBe('unavailable')
    const audit = await db().auditEntry.findFirstOrThrow({
      where: { action: 'device.move', target: deviceId },
    })
    expect(audit).toMatchObject({
      before: { host_id: from.hostId },
      after: { host_id: to.hostId, unproven: false },
    })
    await phones().delete(tenant.caller, phoneId)
  })
})

describe('an operator who moves a device', () => {
  it('must name a phone that the host reports', async () => {
    const { phoneId, deviceId } = await rentAndPark()
    const answer = await operate(`${deviceId}/move`, { host: to.hostId, serial: 'nowhere' })
    expect(answer.statusCode).toBe(400)
    expect(answer.json()).toMatchObject({ error: { code: 'validation_failed' } })
    await phones().delete(tenant.caller, phoneId)
  })

  it('to another phone by mistake gets the device quarantined with its claim, and can vouch for the phone', async () => {
    const { phoneId, deviceId, device } = await rentAndPark()
    unplug(device)
    await plugIn('unknown', undefined)
    expect((await operate(`${deviceId}/move`, { host: 'second', serial: 'unknown' })).statusCode).toBe(202)
    await eventually(async () => (await rowOf(deviceId)).state === 'quarantined')
    expect(await rowOf(deviceId)).toMatchObject({ phoneId, adoptingSince: null })
    expect((await rowOf(deviceId)).reason).toContain('did not take it over')
    // The device moves back, and then again with the operator's confirmation of the phone.
    expect((await operate(`${deviceId}/move`, { host: from.hostId, serial: device.serial })).statusCode).toBe(
      202,
    )
    await eventually(async () => (await rowOf(deviceId)).adoptingSince === null)
    const vouched = { host: 'second', serial: 'unknown', unproven: true }
    expect((await operate(`${deviceId}/move`, vouched)).statusCode).toBe(202)
    await eventually(() => isAdopted(deviceId))
    expect((await operate(`${deviceId}/release`, { keep: true })).statusCode).toBe(202)
    await start(phoneId)
    expect((await until(phoneId, 'ready')).status).toBe('ready')
    await phones().delete(tenant.caller, phoneId)
  })
})

it('repeats an adoption whose answer was lost', async () => {
  const { phoneId, deviceId, device } = await rentAndPark()
  unplug(device)
  const there = await plugIn('slow', undefined)
  let calls = 0
  there.onAdopt = () => {
    calls += 1
    return calls === 1
      ? Promise.reject(new ApiError('phone_unavailable', { retryable: true }))
      : Promise.resolve()
  }
  there.seed = device.seed ?? ''
  to.beat()
  await eventually(() => isAdopted(deviceId))
  expect(calls).toBe(2)
  await phones().delete(tenant.caller, phoneId)
})

it('wipes and frees a device whose phone was deleted while its new host took it over', async () => {
  const { phoneId, deviceId, device } = await rentAndPark()
  unplug(device)
  const there = await plugIn('deleted', undefined)
  let calls = 0
  there.onAdopt = async () => {
    calls += 1
    if (calls === 1) await phones().delete(tenant.caller, phoneId)
  }
  there.seed = device.seed ?? ''
  to.beat()
  await eventually(async () => ['free', 'quarantined'].includes((await rowOf(deviceId)).state))
  const { state, reason, hostId, phoneId: holder, fencingNumber, identityKey } = await rowOf(deviceId)
  expect({ state, reason, hostId, holder }).toEqual({
    state: 'free',
    reason: null,
    hostId: to.hostId,
    holder: null,
  })
  expect(to.log).toContain(`wipe ${phoneId} ${fencingNumber}`)
  expect(identityKey).toBe(identityOf(there.seed))
  expect(calls).toBe(2)
})
