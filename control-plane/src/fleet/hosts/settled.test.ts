// Heartbeats in which some devices changed: only the reports of these devices are parsed and compared. Runs
// with real Postgres and a real broker; the agent is a double.
import { type DeviceStatus, type Heartbeat } from '@phonerack/shared'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type AgentDouble } from '../../testing/agent-double.js'
import { watchQueries } from '../../testing/query-log.js'
import { useWorld, type Plane } from '../../testing/world.js'
import { type Settled } from './fold-devices.js'
import { foldHeartbeat, type FoldedHeartbeat } from './heartbeats.js'
import { readHeartbeat, type ReadDevices, type ReadHeartbeat } from './read-heartbeat.js'

const at = (second: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString()
const report = (serial: string, change: object = {}) => ({
  serial,
  link: 'healthy',
  fencing_number: 3,
  maker: 'Test',
  model: null,
  sdk: 30,
  reason: null,

  proof_of_life_at: at(1),
  custody: { revision: 7, assignment: null, dirty: false, clean_for: 'anyone' },
  ...change,
})
const read = (devices: unknown[], earlier?: ReadDevices): ReadHeartbeat => {
  const message = {
    host_id: 'hst_a',
    sequence: 1,
    at: at(1),
    version: '1',
    address: '127.0.0.1:1',
    load: 0,
    devices,
  }
  const found = readHeartbeat(message, 'hst_a', earlier)
  if ('refused' in found) throw new Error(found.refused)
  return found
}

describe('a report of a device that repeats the last one', () => {
  const first = read([report('one'), report('two')])

  it.each<[string, object]>([
    ['another proof of life', { proof_of_life_at: at(2) }],
    ['no proof of life', { proof_of_life_at: null }],
    ['a proof of life that is not a time', { proof_of_life_at: '2026-99-99T99:99:99.999Z' }],
    ['another number', { fencing_number: 4 }],
    ['a field that cannot be read', { sdk: 'thirty' }],
    ['a field more', { reason: 'a\0b' }],
  ])('is read like a first report: %s', (_, change) => {
    const devices = [report('one', change), report('two')]
    const { devices: known, ...found } = read(devices, first.devices)
    const { devices: parsed, ...full } = read(devices)
    expect(found).toEqual(full)
    expect([...known]).toEqual([...parsed])
  })

  it('is not parsed again', () => {
    const found = read(
      [report('one', { proof_of_life_at: at(2) }), report('two', { model: 'Newer' })],
      first.devices,
    )
    const custodyOf = ({ heartbeat }: ReadHeartbeat, index: number) => heartbeat.devices[index]?.custody
    expect(custodyOf(found, 0)).toBe(custodyOf(first, 0))
    expect(custodyOf(found, 1)).not.toBe(custodyOf(first, 1))
  })
})

const world = useWorld()
let plane: Plane
let agent: AgentDouble
let sequence = 1_000_000
let settled: Settled | null
beforeAll(async () => {
  plane = await world.start()
  agent = await plane.rack(3, { beatMs: 100 })
  agent.pause()
})
beforeEach(async () => {
  settled = null
  // The first report may still change rows.
  await fold()
  await fold()
})

const rows = () =>
  plane.app.core.db.device.findMany({ where: { hostId: agent.hostId }, orderBy: { id: 'asc' } })

/**
 * Sends a heartbeat of the agent.
 * @param change changes one device's report, by serial
 */
async function heartbeat(change: Partial<Record<string, Partial<DeviceStatus>>> = {}): Promise<Heartbeat> {
  const { core } = plane.app
  const host = await core.db.host.findUniqueOrThrow({ where: { id: agent.hostId } })
  const devices = (await rows()).map((row): DeviceStatus => ({
    serial: row.serial,
    link: 'healthy',
    fencing_number: Number(row.fencingNumber),
    reason: null,
    maker: row.maker,
    model: 'Double',
    sdk: row.sdk,
    proof_of_life_at: core.clock.now().toISOString(),
    custody: { revision: Number(row.custodyRevision), assignment: null, dirty: false, clean_for: 'anyone' },
    ...change[row.serial],
  }))
  sequence += 1
  return {
    host_id: agent.hostId,
    sequence,
    at: core.clock.now().toISOString(),
    version: 'double',
    load: 0,
    address: host.address ?? '',
    epoch: agent.epoch,
    devices,
  }
}

/** Returns the serials whose rows were read. */
async function fold(
  change: Parameters<typeof heartbeat>[0] = {},
): Promise<{ folded: FoldedHeartbeat; skipped: number }> {
  const message = await heartbeat(change)
  const log = watchQueries()
  try {
    const folded = await foldHeartbeat(plane.app.core, agent, message, { settled })
    settled = folded.settled
    const sent = log.queries.find(({ text }) =>
      /from devices d where d.host_id = .* and not exists/s.test(text),
    )
    const skipped: unknown = sent?.values[1]
    return { folded, skipped: Array.isArray(skipped) ? skipped.length : -1 }
  } finally {
    log.stop()
  }
}
const serialOf = async (index: number): Promise<string> => (await rows())[index]?.serial ?? ''

describe('a fold', () => {
  it('skips devices whose report and row are settled', async () => {
    const { folded, skipped } = await fold()
    expect(skipped).toBe(3)
    expect(folded.agreed).not.toBeNull()
  })

  it('reads the row of a device whose report changed, and applies it', async () => {
    const serial = await serialOf(1)
    const { folded, skipped } = await fold({ [serial]: { model: 'Newer' } })
    expect([skipped, folded.agreed]).toEqual([2, null])
    expect((await rows()).map(({ model }) => model)).toEqual(['Double', 'Newer', 'Double'])
    // The device's row has changed, so the device is compared once more.
    expect((await fold({ [serial]: { model: 'Newer' } })).skipped).toBe(2)
    expect((await fold({ [serial]: { model: 'Newer' } })).skipped).toBe(3)
  })

  it('corrects a row that another process changed', async () => {
    const { db } = plane.app.core
    await db.device.updateMany({
      where: { serial: await serialOf(2) },
      data: { maker: 'Other', link: 'offline' },
    })
    const message = await heartbeat({ [await serialOf(2)]: { maker: 'Test' } })
    const folded = await foldHeartbeat(plane.app.core, agent, message, { settled })
    settled = folded.settled
    expect((await rows()).at(2)).toMatchObject({ maker: 'Test', link: 'healthy' })
  })

  it('compares all devices when the epoch of the database is another one, or the report is incomplete', async () => {
    expect(settled).not.toBeNull()
    if (settled) settled = { ...settled, epoch: 'another' }
    expect((await fold()).skipped).toBe(0)
    const serial = await serialOf(0)
    const faults = { fault: null, deviceFaults: new Map([[serial, 'Not read: sdk']]) }
    const { settled: next } = await foldHeartbeat(plane.app.core, agent, await heartbeat(), {
      settled,
      faults,
    })
    expect([...(next?.devices.keys() ?? [])].sort()).toEqual([await serialOf(1), await serialOf(2)].sort())
    expect((await rows())[0]?.reportFault).toBe('Not read: sdk')
  })

  it('compares all devices again after one has left the host', async () => {
    const { db } = plane.app.core
    const message = await heartbeat()
    const host = await db.host.findUniqueOrThrow({ where: { id: agent.hostId } })
    const other = await db.host.create({
      data: { ...host, labels: {}, id: 'hst_other', natsPublicKey: 'other' },
    })
    await db.device.updateMany({ where: { serial: await serialOf(0) }, data: { hostId: other.id } })
    const left = await foldHeartbeat(plane.app.core, agent, message, { settled })
    expect([left.settled, left.agreed]).toEqual([null, null])
    const again = await foldHeartbeat(plane.app.core, agent, { ...message, sequence: sequence + 1 }, {})
    sequence += 1
    // The report of the place creates a new device again.
    expect(again.settled).not.toBeNull()
    expect(await rows()).toHaveLength(3)
  })
})
