/** Events of crashes and notifications, from reports in agents' heartbeats, on two replicas. */
import { reportsPerHeartbeat, type PhoneReport } from '@phonerack/shared'
import { beforeAll, describe, expect, it } from 'vitest'
import { type AgentDouble } from '../../testing/agent-double.js'
import { type EventJson } from '../../events/events/types.js'
import { readyPhone } from '../../testing/ready-phone.js'
import { eventually, useWorld, type Plane, type Tenant } from '../../testing/world.js'
import { readReports, reportsPerMinute } from './phone-reports.js'
import { expireReports } from './report-expiry.js'

const world = useWorld()
let plane: Plane
let agent: AgentDouble
let tenant: Tenant
let phoneId: string
let serial: string
let reports: unknown[] = []
let beats = 0

beforeAll(async () => {
  plane = await world.start()
  await world.start({ beside: plane, env: { PHONERACK_JOBS: 'off' } })
  agent = await plane.rack(1, { beatMs: 100 })
  tenant = await plane.tenant({ credit: '1000' })
  phoneId = await readyPhone(plane, tenant)
  serial = [...agent.devices.keys()][0] ?? ''
  // The double repeats its reports until they are acknowledged, as the agent does.
  agent.onHeartbeat = (message) => {
    beats += 1
    reports = reports.filter((each) => !agent.acknowledged.includes((each as { id: string }).id))
    return reports.length === 0 ? message : { ...message, reports: reports.slice(0, reportsPerHeartbeat) }
  }
})

const nameOf = (index: number) => `report-${String(index).padStart(15, '0')}`
const crash = (index: number, change: Partial<PhoneReport> = {}): PhoneReport => ({
  id: nameOf(index),
  phone_id: phoneId,
  serial,
  at: '2026-11-21T12:49:30.086Z',
  observed: {
    kind: 'crash',
    crash: 'crash',
    package: 'org.example.app',
    pid: 12,
    exception: 'java.lang.IllegalStateException',
  },
  ...change,
})
async function eventsOf(type: string): Promise<EventJson[]> {
  const url = `/v1/events?type=${type}&limit=100`
  const answer = await plane.server.inject({ url, headers: { authorization: `Bearer ${tenant.key}` } })
  return answer.json<{ data: EventJson[] }>().data
}
const stored = () => plane.app.core.db.phoneReport.count({ where: { phoneId } })
/** Moves the stored reports out of the minute that the limit counts. */
const minuteLater = () =>
  plane.app.core.db.$executeRaw`update phone_reports set created_at = created_at - interval '61 seconds'`
const untilAcknowledged = () => eventually(() => Promise.resolve(reports.length === 0), 60_000)

describe('a report', () => {
  it('becomes one event, although each replica reads it and the agent repeats it [41.10, 42.36]', async () => {
    reports = [crash(1)]
    await untilAcknowledged()
    agent.acknowledged.length = 0
    reports = [crash(1)]
    await untilAcknowledged()
    await eventually(async () => (await eventsOf('app.crashed')).length > 0)
    const events = await eventsOf('app.crashed')
    expect(events).toHaveLength(1)
    expect(events[0]).toMatchObject({ type: 'app.crashed', phone_id: phoneId })
    expect(events[0]?.data).toEqual({
      crash: {
        at: '2026-11-21T12:49:30.086Z',
        kind: 'crash',
        package: 'org.example.app',
        pid: 12,
        exception: 'java.lang.IllegalStateException',
      },
    })
  })

  it('contains no texts of a notification [42.39]', async () => {
    const notification = 'ntf_aaaaaaaaaaaa'
    reports = [crash(2, { observed: { kind: 'notification', package: 'org.example.app', notification } })]
    await untilAcknowledged()
    await eventually(async () => (await eventsOf('notification.posted')).length === 1)
    expect((await eventsOf('notification.posted'))[0]?.data).toEqual({
      notification: { id: notification, package: 'org.example.app', posted_at: '2026-11-21T12:49:30.086Z' },
    })
  })

  it('writes nothing for a phone of another host, or of another device [42.41]', async () => {
    const other = await plane.rack(1, { beatMs: 100 })
    const id = await readyPhone(plane, tenant)
    const before = (await eventsOf('app.crashed')).length
    reports = [crash(3, { phone_id: id }), crash(4, { serial: 'other' }), crash(5, { phone_id: 'ph_none' })]
    await untilAcknowledged()
    expect(await eventsOf('app.crashed')).toHaveLength(before)
    await other.stop()
  })

  it('is acknowledged when it cannot be read, and hides no other', async () => {
    const before = (await eventsOf('app.crashed')).length
    reports = [
      { ...crash(6), at: 'never' },
      {
        ...crash(7),
        observed: { kind: 'crash', crash: 'crash', package: "x'; drop", pid: 1, exception: null },
      },
      { id: nameOf(8) },
      crash(9),
    ]
    await untilAcknowledged()
    await eventually(async () => (await eventsOf('app.crashed')).length === before + 1)
    expect(readReports({ reports: 'many' })).toEqual({ reports: [], ids: [] })
    expect(readReports(null)).toEqual({ reports: [], ids: [] })
  })

  it('waits while more arrive than fit into a heartbeat', async () => {
    await minuteLater()
    const before = (await eventsOf('app.crashed')).length
    reports = Array.from({ length: 60 }, (_, index) => crash(100 + index))
    await untilAcknowledged()
    await eventually(async () => (await eventsOf('app.crashed')).length === Math.min(100, before + 60))
  })

  it('waits while its phone has more than 60 in a minute [42.42]', async () => {
    await minuteLater()
    const before = await stored()
    reports = Array.from({ length: 100 }, (_, index) => crash(200 + index))
    await eventually(async () => (await stored()) === before + reportsPerMinute, 60_000)
    await eventually(() => Promise.resolve(reports.length === 40), 60_000)
    const at = beats
    await eventually(() => Promise.resolve(beats > at + 10), 60_000)
    expect(await stored()).toBe(before + reportsPerMinute)
    expect(await plane.app.metrics.render()).toMatch(
      /^phonerack_phone_reports_total\{result="waiting"\} [1-9]/m,
    )
    // Reports that are already stored do not count towards the limit.
    reports.unshift(crash(200), crash(201))
    await minuteLater()
    await untilAcknowledged()
    expect(await stored()).toBe(before + 100)
  })

  it('is deleted a week after its event, in batches', async () => {
    const { core } = plane.app
    const before = await stored()
    const { eventLifeMs } = core.rules
    const aged = (many: number, days: number, prefix: string) => core.db
      .$executeRaw`insert into phone_reports (phone_id, id, type, data, created_at)
        select ${phoneId}, ${prefix} || each, 'app.crashed', '{"crash": {}}',
          now() - make_interval(days => ${days}::int) - ${eventLifeMs}::bigint * interval '1 millisecond'
        from generate_series(1, ${many}::int) as each`
    await aged(1203, 8, 'old-')
    await aged(5, 6, 'kept-')
    await Promise.all([1, 2].map(() => expireReports(core, eventLifeMs)))
    expect(await stored()).toBe(before + 5)
  })

  it('is kept as long as the phone has its device, so that a restarted agent adds no event twice', async () => {
    const { core } = plane.app
    await expireReports(core, core.rules.eventLifeMs)
    expect(await stored()).toBeGreaterThan(60)
    await plane.app.services.phones.delete(tenant.caller, phoneId)
    await eventually(async () => {
      await expireReports(core, core.rules.eventLifeMs)
      return (await stored()) === 0
    })
  })
})
