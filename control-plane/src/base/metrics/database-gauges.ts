/**
 * Figures from the database, read during a scrape: one statement per reading, on a separate connection, so that a
 * scraper neither loads Postgres nor waits for the connections of requests. The metrics of a failed reading are
 * missing, so figures are never older than the cache.
 */
import { performance } from 'node:perf_hooks'
import { hostFaults, type Logger } from '@phonerack/shared'
import { bounded, otherLabel } from '@phonerack/shared/metrics'
import pg from 'pg'
import { Counter, Gauge, Registry } from 'prom-client'
import { setOnConnect } from '../session-settings.js'
import { countScrapeError } from './instruments.js'

/** Values of labels, which are exported with zero from the start. */
interface Names {
  phoneStatuses: readonly string[]
  deviceStates: readonly string[]
  links: readonly string[]
  jobs: readonly string[]
  recordingStatuses: readonly string[]
}

export interface DatabaseGaugesOptions {
  databaseUrl: string
  names: Names
  /** Milliseconds without a heartbeat after which a host is late, and after which it is lost. */
  hostLateAfterMs: number
  hostLostAfterMs: number
  log: Logger
  /** Milliseconds, for tests. */
  times?: Partial<typeof defaults>
}

/** Milliseconds: for one statement, for all readings of a scrape, and for which the result answers later scrapes. */
const defaults = { statement: 2000, all: 5000, cache: 5000 }
/** Limit of hosts with separate figures. */
const maxHosts = 1000

type Row = Record<string, unknown>

interface Reading {
  name: string
  text: string
  values: unknown[]
  /** Adds the metrics with their figures. */
  show: (registry: Registry, rows: Row[]) => void
}

export class DatabaseGauges {
  private readonly pool: pg.Pool
  private readonly readings: readonly Reading[]
  private readonly times: typeof defaults
  private text = ''
  private readAt = -Infinity
  private reading: Promise<void> | null = null

  constructor(private readonly options: DatabaseGaugesOptions) {
    const times = { ...defaults, ...options.times }
    this.times = times
    this.pool = new pg.Pool({
      connectionString: options.databaseUrl,
      max: 1,
      idleTimeoutMillis: 30_000,
      connectionTimeoutMillis: times.statement,
      onConnect: setOnConnect({ statement_timeout: times.statement }),
      query_timeout: times.statement + 500,
      application_name: 'phonerack-metrics',
    })
    // The next scrape connects again.
    this.pool.on('error', () => undefined)
    this.pool.on('connect', (client) => client.on('error', () => undefined))
    this.readings = [
      phones(options.names.phoneStatuses),
      parked,
      devices(options),
      hosts(options),
      jobs(options.names.jobs),
      credit,
      recordings(options.names.recordingStatuses),
      webhooks,
    ]
  }

  /** The names of all readings. */
  get names(): string[] {
    return this.readings.map(({ name }) => name)
  }

  /** Returns the metrics as text, read again unless they are recent. Failures are counted and not thrown. */
  async render(): Promise<string> {
    if (performance.now() - this.readAt >= this.times.cache) {
      this.reading ??= this.readAll().finally(() => (this.reading = null))
      await this.reading
    }
    return this.text
  }

  async close(): Promise<void> {
    await this.reading
    await this.pool.end()
  }

  private async readAll(): Promise<void> {
    const until = performance.now() + this.times.all
    const registry = new Registry()
    const failures: unknown[] = []
    const client = await this.pool.connect().catch((error: unknown) => {
      failures.push(error)
      return null
    })
    let isUsable = client !== null
    for (const { name, text, values, show } of this.readings) {
      try {
        if (client === null || !isUsable || performance.now() > until) throw new Error('no time left')
        show(registry, (await client.query<Row>(text, values)).rows)
      } catch (error) {
        failures.push(error)
        countScrapeError(name)
        // A connection that Postgres no longer answers cannot serve the next statement.
        if (!(error instanceof pg.DatabaseError)) isUsable = false
      }
    }
    client?.release(!isUsable)
    if (failures.length > 0)
      this.options.log.warn({ err: failures[0] }, 'could not read figures for a scrape')
    this.text = await registry.metrics()
    this.readAt = performance.now()
  }
}

/** Creates a gauge that has no figure yet. */
const gauge = <L extends string>(registry: Registry, name: string, help: string, ...labelNames: L[]) =>
  new Gauge({ name: `phonerack_${name}`, help, labelNames, registers: [registry] })

const numberOf = (value: unknown): number => Number(value)
const textOf = (value: unknown): string => (typeof value === 'string' ? value : otherLabel)

/** Sets a gauge from rows with `status` and `count`. */
function countByStatus(counts: Gauge<'status'>, statuses: readonly string[], rows: readonly Row[]): void {
  for (const status of statuses) counts.set({ status }, 0)
  for (const { status, count } of rows)
    counts.inc({ status: bounded(statuses, textOf(status)) }, numberOf(count))
}

const phones = (statuses: readonly string[]): Reading => ({
  name: 'phones',
  text: `select status, count(*)::int as count from phones where status <> 'deleted' group by status`,
  values: [],
  show: (registry, rows) =>
    countByStatus(gauge(registry, 'phones', 'Phones of all projects by status.', 'status'), statuses, rows),
})

/** The first day of each class, in days since the last session. */
const ages = [0, 1, 7, 30]

const parked: Reading = {
  name: 'parked',
  text: `select width_bucket(extract(epoch from now() - phone_stopped_at(id))::float8 / 86400, $1::float8[]) as class,
      count(*)::int as count
    from phones where status in ('parked', 'unavailable') group by 1`,
  values: [ages],
  show(registry, rows) {
    const counts = gauge(
      registry,
      'phones_parked',
      'Phones that hold a device without a session, by the days since their last session: `from` or more, up to the next class.',
      'from',
    )
    for (const from of ages) counts.set({ from: `${from}d` }, 0)
    for (const row of rows) {
      const from = ages[Math.max(0, numberOf(row['class']) - 1)] ?? 0
      counts.inc({ from: `${from}d` }, numberOf(row['count']))
    }
  },
}

const recordings = (statuses: readonly string[]): Reading => ({
  name: 'recordings',
  text: `select status, count(*)::int as count from recordings where status <> 'deleted' group by status`,
  values: [],
  show: (registry, rows) =>
    countByStatus(gauge(registry, 'recordings', 'Stored recordings by status.', 'status'), statuses, rows),
})

const devices = ({ names, hostLostAfterMs }: DatabaseGaugesOptions): Reading => ({
  name: 'devices',
  // A lost host reports no links.
  text: `select d.state,
      case when h.last_seen_at >= now() - $1::float8 * interval '1 ms' then d.link else 'unknown' end as link,
      count(*)::int as count
    from devices d join hosts h on h.id = d.host_id where h.retired_at is null group by 1, 2`,
  values: [hostLostAfterMs],
  show(registry, rows) {
    const counts = gauge(
      registry,
      'devices',
      'Devices by state and by the link that their host reports.',
      'state',
      'link',
    )
    for (const state of names.deviceStates) for (const link of names.links) counts.set({ state, link }, 0)
    for (const row of rows) {
      const state = bounded(names.deviceStates, textOf(row['state']))
      counts.inc({ state, link: bounded(names.links, textOf(row['link'])) }, numberOf(row['count']))
    }
  },
})

const hosts = ({ hostLateAfterMs, hostLostAfterMs }: DatabaseGaugesOptions): Reading => ({
  name: 'hosts',
  // The conditions match `devices/assignment.ts`, for any tenant.
  text: `select h.id, h.country, h.drained_at is not null as drained, h.refuses,
      coalesce(h.degraded_until > now(), false) as degraded,
      extract(epoch from now() - coalesce(h.last_seen_at, h.joined_at))::float8 as silence,
      (select count(*) from devices d where d.host_id = h.id and d.state = 'free' and d.link = 'healthy'
        and d.clean_for = 'anyone' and d.confirmed_epoch = current_epoch()
        and h.refuses is null and (h.degraded_until is null or h.degraded_until <= now()) and h.drained_at is null
        and d.drained_at is null and d.maintenance_at is null
        and h.last_seen_at >= now() - $1::float8 * interval '1 ms')::int as available
    from hosts h where h.retired_at is null order by h.id`,
  values: [hostLateAfterMs],
  show(registry, rows) {
    const counts = gauge(registry, 'hosts', 'Hosts by reach.', 'reach')
    const drained = gauge(registry, 'hosts_drained', 'Hosts that an operator drained.')
    const silence = gauge(
      registry,
      'host_silence_seconds',
      'Time since the last heartbeat of a host.',
      'host',
    )
    const refusing = gauge(
      registry,
      'host_refusing',
      '1 while a connected host takes no new work because of this cause.',
      'host',
      'cause',
    )
    const degraded = gauge(registry, 'host_degraded', '1 while devices of the host fail together.', 'host')
    const available = gauge(
      registry,
      'devices_available',
      'Devices that a create of any project can get now.',
      'country',
      'host',
    )
    for (const reach of ['online', 'late', 'lost']) counts.set({ reach }, 0)
    for (const [index, row] of rows.entries()) {
      // The remaining hosts share one series of each figure that can be summed.
      const host = index < maxHosts ? textOf(row['id']) : otherLabel
      const seconds = Math.max(0, numberOf(row['silence']))
      const ms = seconds * 1000
      counts.inc({ reach: ms <= hostLateAfterMs ? 'online' : ms <= hostLostAfterMs ? 'late' : 'lost' })
      if (row['drained'] === true) drained.inc()
      degraded.inc({ host }, row['degraded'] === true ? 1 : 0)
      available.inc({ country: textOf(row['country']), host }, numberOf(row['available']))
      const { refuses } = row
      const cause = typeof refuses === 'string' && ms <= hostLostAfterMs ? bounded(hostFaults, refuses) : null
      for (const each of hostFaults) refusing.inc({ host, cause: each }, each === cause ? 1 : 0)
      if (host !== otherLabel) silence.set({ host }, seconds)
    }
  },
})

const isDue = 'locked_at is null and attempts < max_attempts and run_at <= now()'
/**
 * A job that was replaced while it ran, and whose process was killed, does not lose work. Other kinds of jobs have no key.
 */
const isReplaced = `(key is null and task_identifier = 'webhook.deliver')`
const jobStates = ['due', 'scheduled', 'running', 'failed'] as const

const jobs = (kinds: readonly string[]): Reading => ({
  name: 'jobs',
  text: `select task_identifier as kind,
      (count(*) filter (where ${isDue}))::int as due,
      (count(*) filter (where locked_at is null and attempts < max_attempts and run_at > now()))::int as scheduled,
      (count(*) filter (where locked_at is not null))::int as running,
      (count(*) filter (where locked_at is null and attempts >= max_attempts and not ${isReplaced}))::int as failed,
      coalesce(extract(epoch from now() - min(run_at) filter (where ${isDue})), 0)::float8 as wait
    from graphile_worker.jobs group by 1`,
  values: [],
  show(registry, rows) {
    const help = 'Jobs by kind. Due: no worker has taken it yet. Failed: given up.'
    const counts = gauge(registry, 'jobs', help, 'kind', 'state')
    const wait = gauge(
      registry,
      'job_wait_seconds',
      'Time for which the oldest due job of a kind is due.',
      'kind',
    )
    for (const kind of kinds) {
      for (const state of jobStates) counts.set({ kind, state }, 0)
      wait.set({ kind }, 0)
    }
    for (const row of rows) {
      const kind = bounded(kinds, textOf(row['kind']))
      for (const state of jobStates) counts.inc({ kind, state }, numberOf(row[state]))
      wait.set({ kind }, numberOf(row['wait']))
    }
  },
})

const credit: Reading = {
  name: 'credit',
  text: `select balance, reserved, charged from
    (select (coalesce(sum(balance_micros), 0) / 1e6)::float8 as balance,
      (coalesce(sum(reserved_micros), 0) / 1e6)::float8 as reserved from projects) as held,
    (select (coalesce(sum(spent_micros), 0) / 1e6)::float8 as charged from project_months) as spent`,
  values: [],
  show(registry, [row = {}]) {
    gauge(registry, 'credit_balance_usd', 'Credit of all projects, before reservations.').set(
      numberOf(row['balance']),
    )
    gauge(registry, 'credit_reserved_usd', 'Credit that open sessions hold.').set(numberOf(row['reserved']))
    new Counter({
      name: 'phonerack_credit_charged_usd_total',
      help: 'Cost of all sessions that ended.',
      registers: [registry],
    }).inc(numberOf(row['charged']))
  },
}

const webhookStates = ['healthy', 'failing', 'off'] as const

/** The query probes an index once for each webhook, however many deliveries are pending. */
const webhooks: Reading = {
  name: 'webhooks',
  text: `select case when w.disabled_at is not null then 'off' when w.failing_since is not null then 'failing' else 'healthy' end as state,
      count(*)::int as count,
      coalesce(greatest(0, extract(epoch from now() - min(d.next_attempt_at))), 0)::float8 as wait
    from webhooks w left join lateral (select next_attempt_at from webhook_deliveries
      where webhook_id = w.id and status = 'pending' order by next_attempt_at limit 1) d on true
    where w.deleted_at is null group by 1`,
  values: [],
  show(registry, rows) {
    const help = 'Webhooks of all projects by state. Failing: the last attempt failed.'
    const counts = gauge(registry, 'webhooks', help, 'state')
    const wait = gauge(
      registry,
      'webhook_wait_seconds',
      'Time for which the oldest due delivery waits, by the state of its webhook.',
      'state',
    )
    for (const state of webhookStates) {
      counts.set({ state }, 0)
      wait.set({ state }, 0)
    }
    for (const row of rows) {
      const state = bounded(webhookStates, textOf(row['state']))
      counts.set({ state }, numberOf(row['count']))
      wait.set({ state }, numberOf(row['wait']))
    }
  },
}
