/**
 * Racks of one device, and assertions about the device's row and its phones. For tests of agents that know
 * more than the database.
 */
import { renewEpoch } from '../base/db/epoch.js'
import { type PhoneView } from '../rental/phones/types.js'
import { type AgentDouble, type DoubleDevice } from './agent-double.js'
import { createBody, eventually, type Plane, type Tenant } from './world.js'

/** Milliseconds. */
const patienceMs = 60_000

export type LoneDevice = ReturnType<typeof loneDevice>

export function loneDevice(plane: Plane, tenant: Tenant) {
  const db = () => plane.app.core.db
  const phones = () => plane.app.services.phones
  const until = (id: string, status: string) =>
    phones().wait(id, (phone: PhoneView) => phone.status === status, patienceMs, new AbortController().signal)
  const rowOf = (device: DoubleDevice) => db().device.findFirstOrThrow({ where: { serial: device.serial } })
  const create = (who: Tenant = tenant) => phones().create(who.caller, createBody(), null)
  const ready = async (who: Tenant = tenant): Promise<string> => {
    const { phone } = await create(who)
    const { status } = await until(phone.id, 'ready')
    if (status !== 'ready') throw new Error(`${phone.id} is ${status}`)
    return phone.id
  }
  return {
    until,
    rowOf,
    create,
    ready,
    isFree: async (device: DoubleDevice) => (await rowOf(device)).state === 'free',
    untilState: (device: DoubleDevice, state: string) =>
      eventually(async () => (await rowOf(device)).state === state),
    async parked(): Promise<string> {
      const id = await ready()
      await phones().park(tenant.caller, id)
      await until(id, 'parked')
      return id
    },
    start: (id: string) => phones().start(tenant.caller, id, { idleTimeout: null, maxDuration: null }),
    operate: (path: string, payload: Record<string, unknown>) =>
      plane.operator.inject({
        method: 'POST',
        url: `/operator/v1/devices/${path}`,
        headers: { authorization: `Bearer ${plane.operatorToken}` },
        payload,
      }),
    renewEpoch: () => renewEpoch(db(), new Date()),
    /** Runs `work` with a rack of `count` devices while other racks are silent. */
    async alone(
      work: (agent: AgentDouble, device: DoubleDevice, others: DoubleDevice[]) => Promise<void>,
      count = 1,
    ): Promise<void> {
      const agent = await plane.rack(count, { beatMs: 200 })
      const [device, ...others] = [...agent.devices.values()]
      if (!device) throw new Error('the rack has no device')
      try {
        await work(agent, device, others)
      } finally {
        await agent.stop()
        await db().host.update({ where: { id: agent.hostId }, data: { retiredAt: new Date() } })
      }
    },
  }
}

/** Simulates use by a phone that the database does not know. */
export function usedBy(device: DoubleDevice, phoneId: string | null, numbers = 0n): void {
  device.fencing += numbers
  device.assignment = phoneId === null ? null : { phone_id: phoneId, fencing_number: Number(device.fencing) }
  device.dirty = true
  device.cleanFor = ''
  device.revision += 1
}

/** Simulates a wipe after the last use, under a number that the database does not know. */
export function wipedSince(device: DoubleDevice, numbers = 1n): void {
  device.fencing += numbers
  Object.assign(device, { assignment: null, dirty: false, cleanFor: 'anyone', revision: device.revision + 1 })
}
