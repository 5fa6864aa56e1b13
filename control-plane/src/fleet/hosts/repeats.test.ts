// Heartbeats that repeat the last heartbeat. Runs with a real Postgres and a real broker; the agent is a
// double.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AgentDouble } from '../../testing/agent-double.js'
import { watchQueries, type QueryLog } from '../../testing/query-log.js'
import { eventually, useWorld, type Plane } from '../../testing/world.js'
import { isSameReport } from './repeats.js'

const at = (second: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString()
const device = (serial: string, second: number) => ({
  serial,
  link: 'healthy',
  fencing_number: 3,
  maker: 'Test',
  model: null,
  reason: null,
  proof_of_life_at: at(second),
  custody: { revision: 7, assignment: { phone_id: 'ph_a', fencing_number: 3 }, dirty: true, clean_for: '' },
})
const message = (second: number): Record<string, unknown> => ({
  host_id: 'hst_a',
  sequence: second,
  at: at(second),
  load: second / 10,
  version: '1',
  epoch: 'e',
  devices: [device('one', second), device('two', second)],
})

/** Paths of all values, except the values that may differ. */
function pathsOf(value: unknown, path: string[] = []): string[][] {
  const last = path.at(-1) ?? ''
  if (['sequence', 'at', 'load', 'proof_of_life_at'].includes(last)) return []
  const below =
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, each]) => pathsOf(each, [...path, key]))
      : []
  return path.length === 0 ? below : [path, ...below]
}

function change(value: unknown, path: readonly string[], to: unknown): void {
  const [key = '', ...rest] = path
  const object = value as Record<string, unknown>
  if (rest.length > 0) return change(object[key], rest, to)
  // JSON has no array with holes.
  if (to === undefined && Array.isArray(object)) object.splice(Number(key), 1)
  else if (to === undefined) Reflect.deleteProperty(object, key)
  else object[key] = to
}

describe('a heartbeat', () => {
  it('repeats the last one when only its time, its load and proofs of life differ', () => {
    expect(isSameReport(message(1), message(2))).toBe(true)
    for (const proof of ['soon', '2026-01-01', 5, undefined]) {
      const other = message(2)
      change(other, ['devices', '1', 'proof_of_life_at'], proof)
      expect(isSameReport(message(1), other)).toBe(false)
    }
  })

  it('does not repeat the last one when any other value changed, is missing or was added', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...pathsOf(message(1))),
        fc.option(fc.jsonValue(), { nil: undefined }),
        (path, to) => {
          const other = message(2)
          change(other, path, to)
          fc.pre(JSON.stringify(other) !== JSON.stringify(message(2)))
          expect(isSameReport(message(1), other)).toBe(false)
          expect(isSameReport(other, message(2))).toBe(false)
        },
      ),
    )
  })
})

const world = useWorld()
let plane: Plane
let agent: AgentDouble
let log: QueryLog
beforeAll(async () => {
  plane = await world.start()
  agent = await plane.rack(2, { beatMs: 100 })
  log = watchQueries()
})
afterAll(() => log.stop())

const isKept = (text: string): boolean => /^with kept as/.test(text)
const isFolded = (text: string): boolean => /from hosts where id = .* for update/.test(text)
const hostRow = () => plane.app.core.db.host.findUniqueOrThrow({ where: { id: agent.hostId } })
const serial = (): string => [...agent.devices.keys()][0] ?? ''
const deviceRow = () => plane.app.core.db.device.findFirstOrThrow({ where: { serial: serial() } })
/** Waits until several heartbeats in a row each took one statement. */
const untilKept = (): Promise<void> => {
  log.clear()
  return eventually(() => {
    if (log.texts.some(isFolded)) log.clear()
    return log.texts.filter(isKept).length >= 3
  })
}

describe('a host that repeats itself', () => {
  it('is recorded with one statement, and stays online', async () => {
    await untilKept()
    const { lastSeenAt, sequence } = await hostRow()
    await untilKept()
    const later = await hostRow()
    expect(later.sequence).toBeGreaterThan(sequence)
    expect(later.lastSeenAt?.getTime()).toBeGreaterThan(lastSeenAt?.getTime() ?? Infinity)
  })

  it('has rows corrected that another writer changed', async () => {
    const { db } = plane.app.core
    const { address } = await hostRow()
    await untilKept()
    await db.device.updateMany({ where: { serial: serial() }, data: { link: 'offline', model: 'Other' } })
    await eventually(async () => (await deviceRow()).link === 'healthy')
    expect((await deviceRow()).model).toBe('Double')
    await untilKept()
    await db.host.update({ where: { id: agent.hostId }, data: { address: '127.0.0.1:1', problem: 'old' } })
    await eventually(async () => (await hostRow()).address === address)
    expect((await hostRow()).problem).toBeNull()
  })

  it('has a change of its report applied', async () => {
    await untilKept()
    agent.onHeartbeat = (sent) => ({
      ...sent,
      problem: 'no scrcpy server',
      devices: sent.devices.map((each) => ({ ...each, model: 'Newer' })),
    })
    await eventually(async () => (await deviceRow()).model === 'Newer')
    expect((await hostRow()).problem).toBe('no scrcpy server')
    await untilKept()
    agent.onHeartbeat = (sent) => ({ ...sent, devices: sent.devices.slice(1) })
    await eventually(async () => (await deviceRow()).link === 'absent')
  })
})
