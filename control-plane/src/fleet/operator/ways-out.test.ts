/**
 * From each state of a device, and with each link, an operator's command leads out. docs/operations.md has
 * the same table, under "Ways out of each state".
 */
import { readFileSync } from 'node:fs'
import { ApiError, deviceLinkSchema, newId, type DeviceLink } from '@phonerack/shared'
import { beforeAll, describe, expect, it } from 'vitest'
import { isDegraded, markDegraded } from '../../rental/devices/failures.js'
import { deviceStates, type DeviceState } from '../../rental/devices/link.js'
import { readyPhone } from '../../testing/ready-phone.js'
import { enrollDevice, releaseHeldDevice } from '../../testing/operator.js'
import { eventually, refusalOf, useWorld, type Plane, type Tenant } from '../../testing/world.js'

const world = useWorld()
let plane: Plane
let tenant: Tenant
beforeAll(async () => {
  plane = await world.start()
  tenant = await plane.tenant()
})

/**
 * `wait`: a job of the service ends the state, or quarantines the device. `connect`: the phone is connected,
 * unlocked, or accepts the host's key, and then has another link. `tenant`: a tenant's phone uses the device.
 * The tenant ends the phone, `release` ends it once the host is lost, or the lost link ends it.
 */
type Way = 'enroll' | 'release' | 'enroll or release' | 'wait' | 'connect' | 'tenant' | 'rentable'

const links: readonly DeviceLink[] = deviceLinkSchema.options
const forgotten = (other: Way, way: Way = 'enroll'): Partial<Record<DeviceLink, Way>> & { other: Way } => ({
  unenrolled: way,
  other,
})
const table: Record<DeviceState, Partial<Record<DeviceLink, Way>> & { other: Way }> = {
  unenrolled: { healthy: 'enroll', busy: 'enroll', unenrolled: 'enroll', other: 'connect' },
  unauthorized: { other: 'connect' },
  provisioning: { other: 'wait' },
  free: { other: 'rentable' },
  assigned: forgotten('tenant'),
  wiping: forgotten('wait'),
  quarantined: forgotten('release', 'enroll or release'),
  offline: forgotten('connect'),
}

async function place(state: DeviceState, link: DeviceLink): Promise<{ id: string; phoneId: string | null }> {
  const { db } = plane.app.core
  const [id, hostId, phoneId] = [newId('device'), newId('host'), state === 'assigned' ? newId('phone') : null]
  await db.host.create({
    data: { id: hostId, name: hostId, country: 'US', natsPublicKey: newId('host'), lastSeenAt: new Date() },
  })
  if (phoneId !== null)
    await db.phone.create({
      data: {
        id: phoneId,
        projectId: tenant.projectId,
        keyId: 'k',
        name: 'p',
        status: 'parked',
        createdAt: new Date(),
      },
    })
  await db.device.create({
    data: {
      id,
      hostId,
      serial: id,
      state,
      link,
      phoneId,
      fencingNumber: 3n,
      enrolledAt: state === 'unenrolled' ? null : new Date(),
    },
  })
  return { id, phoneId }
}

const cases = deviceStates.flatMap((state) =>
  links.map((link): [DeviceState, DeviceLink, Way] => [
    state,
    link,
    table[state][link] ?? table[state].other,
  ]),
)

describe('a device', () => {
  it.each(cases)('in the state %s with the link %s has the way out: %s', async (state, link, way) => {
    const { core } = plane.app
    const offered: string[] = []
    const second = await place(state, link)
    const enrolled = await refusalOf(enrollDevice(core, second.id, second.phoneId ?? undefined))
    if (enrolled === null) {
      offered.push('enroll')
      const { state: now, phoneId } = await core.db.device.findUniqueOrThrow({ where: { id: second.id } })
      expect([now, phoneId]).toEqual(['provisioning', null])
    }
    const first = await place(state, link)
    if ((await refusalOf(releaseHeldDevice(core, first.id, false))) === null) offered.push('release')
    const commands = ['enroll', 'release', 'enroll or release']
    expect(offered.join(' or ')).toBe(commands.includes(way) ? way : '')
  })
})

it('is the same in the documentation', () => {
  const text = readFileSync(new URL('../../../../docs/operations.md', import.meta.url), 'utf8')
  const rows = deviceStates.map(
    (state) => `| ${[state, ...links.map((link) => table[state][link] ?? table[state].other)].join(' | ')} |`,
  )
  const squeezed = text.replaceAll(/ +/g, ' ')
  expect(rows.filter((row) => !squeezed.includes(row))).toEqual([])
})

it('fails the phone that a forgotten device holds, after the operator named it', async () => {
  const { core, services } = plane.app
  const { id, phoneId } = await place('assigned', 'unenrolled')
  await expect(enrollDevice(core, id)).rejects.toThrow(/`fail_phone` must be ph_/)
  await expect(enrollDevice(core, id, newId('phone'))).rejects.toThrow(/`fail_phone` must be ph_/)
  await enrollDevice(core, id, phoneId ?? undefined)
  expect(await services.phones.get(tenant.caller, phoneId ?? '')).toMatchObject({
    status: 'failed',
    failure: {
      message: 'The host no longer has a record of the phone, and an operator enrolled its device again.',
    },
  })
  await eventually(
    async () => (await core.db.event.count({ where: { phoneId, type: 'phone.failed' } })) === 1,
  )
})

it('quarantines each device of a host without records immediately, and rents its others', async () => {
  const { core, services } = plane.app
  const agent = await plane.rack(3, { beatMs: 200 })
  const ids = [await readyPhone(plane, tenant), await readyPhone(plane, tenant)]
  const tries = new Map<string, number>()
  for (const [serial, device] of agent.devices)
    device.onWipe = () => {
      tries.set(serial, (tries.get(serial) ?? 0) + 1)
      const details = { serial, reason: 'not_enrolled' }
      return Promise.reject(new ApiError('phone_unavailable', { retryable: false, details }))
    }
  for (const id of ids) await services.phones.delete(tenant.caller, id)
  const held = () => core.db.device.findMany({ where: { hostId: agent.hostId, state: 'quarantined' } })
  await eventually(async () => (await held()).length === 2)
  expect([...tries.values()]).toEqual([1, 1])
  expect((await held()).map(({ reason }) => reason)).toEqual(
    Array(2).fill(expect.stringContaining('enrolment: ')),
  )
  await markDegraded(core.db, core.clock.now(), core.rules.degraded)
  const host = await core.db.host.findUniqueOrThrow({ where: { id: agent.hostId } })
  expect(isDegraded(host, core.clock.now())).toBe(false)
  await readyPhone(plane, tenant)
})
