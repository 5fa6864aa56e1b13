// Claims and leftovers that would be checked forever, or wrongly. Runs with real Postgres, broker and mutual
// TLS, and agent doubles.
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, it } from 'vitest'
import { type AgentDouble, type DoubleDevice } from '../../testing/agent-double.js'
import { eventually, useWorld, type Plane } from '../../testing/world.js'
import { ClaimRests } from './claim-rests.js'
import { noteClaim } from './claims.js'

const world = useWorld()
let plane: Plane
let from: AgentDouble
let to: AgentDouble

beforeAll(async () => {
  plane = await world.start()
  from = await plane.rack(4, { beatMs: 200 })
  to = await plane.agent('second', { beatMs: 200, country: 'DE' })
})

const db = () => plane.app.core.db
const deviceAt = (host: AgentDouble, serial: string) =>
  db().device.findUniqueOrThrow({ where: { hostId_serial: { hostId: host.hostId, serial } } })

/** Returns a phone of the first host that no test uses. */
function takeDevice(): DoubleDevice {
  const device = [...from.devices.values()].find(
    ({ link, serial }) => link === 'healthy' && !used.has(serial),
  )
  if (!device) throw new Error('no device is left')
  used.add(device.serial)
  return device
}
const used = new Set<string>()

/** Connects a phone with this key to the second host. */
async function plugIn(seed: string | undefined): Promise<DoubleDevice> {
  const device = to.addDevice(`copy-${randomUUID()}`)
  if (seed !== undefined) device.seed = seed
  to.beat()
  await eventually(async () => (await db().device.count({ where: { serial: device.serial } })) === 1)
  return device
}

/** Waits until the control plane has read heartbeats that the host began after the call. */
async function hasReported(host: AgentDouble): Promise<void> {
  const row = () => db().host.findUniqueOrThrow({ where: { id: host.hostId } })
  const { sequence } = await row()
  await eventually(async () => (await row()).sequence > sequence + 4n)
}

it('drops the claim of a device whose host is retired', async () => {
  const retired = await plane.rack(1, { beatMs: 200 })
  const [device] = retired.devices.values()
  await retired.stop()
  await db().host.update({ where: { id: retired.hostId }, data: { retiredAt: new Date() } })
  const claimant = await plugIn(device?.seed)
  await hasReported(to)
  expect((await deviceAt(to, claimant.serial)).claimCheckedAt).toBeNull()
  expect(to.log).not.toContain(`prove ${claimant.serial}`)
})

it('checks a claim every 2 s for a minute, and then less often', async () => {
  const rests = new ClaimRests()
  const times: number[] = []
  for (let count = 0; count < 40; count += 1) {
    times.push(rests.of('dev_a'))
    rests.checked('dev_a')
  }
  expect(times.slice(0, 31).every((ms) => ms === 2000)).toBe(true)
  expect(times.slice(31)).toEqual([4000, 8000, 16_000, ...Array<number>(6).fill(30_000)])
  expect(rests.of('dev_b')).toBe(2000)

  const device = takeDevice()
  const { identityKey, id: claimedId } = await deviceAt(from, device.serial)
  const { id } = await deviceAt(to, (await plugIn(undefined)).serial)
  for (let count = 0; count < 40; count += 1) rests.checked(id)
  const claimCheckedAt = new Date(plane.app.core.clock.now().getTime() - 5000)
  await db().device.update({ where: { id }, data: { claimCheckedAt } })
  expect(claimedId).not.toBe(id)
  await noteClaim(plane.app.core, { deviceId: id, identity: identityKey ?? '' }, rests)
  expect((await db().device.findUniqueOrThrow({ where: { id } })).claimCheckedAt).toEqual(claimCheckedAt)
})

it('keeps the time of a claim when one report does not contain it', async () => {
  const device = takeDevice()
  const { serial } = await plugIn(device.seed)
  await eventually(async () => (await deviceAt(to, serial)).claimedSince !== null)
  const { claimedSince } = await deviceAt(to, serial)
  to.onHeartbeat = (message) => ({
    ...message,
    devices: message.devices.map(({ identity, ...rest }) =>
      rest.serial === serial ? rest : { ...rest, ...(identity === undefined ? {} : { identity }) },
    ),
  })
  await hasReported(to)
  expect((await deviceAt(to, serial)).claimedSince).toEqual(claimedSince)
  // The claim has been missing for longer than `missingMs`.
  await db().device.updateMany({
    where: { serial },
    data: { claimCheckedAt: new Date(Date.now() - 120_000) },
  })
  await eventually(async () => (await deviceAt(to, serial)).claimedSince === null)
  to.onHeartbeat = (message) => message
})

it('makes a host forget an enrolment from before a move, and keeps an enrolment from after it', async () => {
  const device = takeDevice()
  const { id } = await deviceAt(from, device.serial)
  const before = { fencing: device.fencing }
  device.link = 'absent'
  from.beat()
  await plugIn(device.seed)
  await eventually(async () => {
    const { hostId, adoptingSince } = await db().device.findUniqueOrThrow({ where: { id } })
    return hostId === to.hostId && adoptingSince === null
  })
  const forgotten = () => from.log.filter((line) => line.startsWith(`forget ${device.serial}`)).length
  Object.assign(device, { ...before, link: 'healthy' })
  from.beat()
  await eventually(() => Promise.resolve(forgotten() > 0))
  await eventually(async () => (await deviceAt(from, device.serial)).link === 'unenrolled')
  const count = forgotten()

  // After a restore, the database does not know that the place was enrolled and rented again.
  const { fencingNumber } = await deviceAt(from, device.serial)
  const fencing = fencingNumber + 3n
  Object.assign(device, {
    link: 'healthy',
    fencing,
    dirty: true,

    assignment: { phone_id: 'ph_later', fencing_number: Number(fencing) },
    revision: device.revision + 1,
  })
  from.beat()
  await eventually(async () => (await deviceAt(from, device.serial)).link === 'healthy')
  await db().device.updateMany({ where: { serial: device.serial }, data: { claimCheckedAt: null } })
  await hasReported(from)
  expect(forgotten()).toBe(count)
  expect(device.link).toBe('healthy')
  expect((await deviceAt(from, device.serial)).movedAwayAt).toBeNull()
})
