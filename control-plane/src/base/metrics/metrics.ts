/** All metrics of a replica as text, for its listener (`main.ts`). Created by `app.ts`. */
import { counterHelp, type Counters, type CounterName } from '@phonerack/shared'
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client'
import { DatabaseGauges, type DatabaseGaugesOptions } from './database-gauges.js'
import { countFromZero, instruments } from './instruments.js'

/** Connections of a pool to Postgres. */
export interface PoolUse {
  max: number
  total: number
  idle: number
  /** Waiting requests for a connection. */
  waiting: number
}

interface MetricsSources extends DatabaseGaugesOptions {
  /** Pools by their name. */
  pools: () => Readonly<Record<'requests' | 'jobs', PoolUse>>
  counters: Counters
  /** By host ID: the time at which the last presented certificate expires. */
  hostCertificates: () => ReadonlyMap<string, Date>
  /** The times at which this replica's certificates expire. */
  ownCertificates: () => Readonly<Record<'client' | 'authority', Date>>
  /** The time at which the broker's certificate expires; null if it is unknown, or the broker has no TLS. */
  brokerCertificate: () => Date | null
  /** The time at which the open rotation of the authority began; null if no rotation is open. */
  rotationBegunAt: () => Date | null
  /** Whether each host without an open port has a tunnel to this replica. */
  tunnels: () => ReadonlyMap<string, boolean>
  clockSkewMs: () => number
  /** The checks of `GET /readyz`. Never rejects. */
  readiness: () => Promise<{ checks: Readonly<Record<string, { ok: boolean }>>; canServe: boolean }>
  version: string
  isBrokerConnected: () => boolean
}

export interface Metrics {
  /** Returns the metrics in the text format of Prometheus. */
  render(): Promise<string>
  close(): Promise<void>
}

const dayMs = 86_400_000
const daysUntil = (at: Date): number => (at.getTime() - Date.now()) / dayMs

export function createMetrics(sources: MetricsSources): Metrics {
  const registry = new Registry()
  addGauges(registry, sources)
  const readiness = addReadiness(registry, sources)
  const database = new DatabaseGauges(sources)
  countFromZero(sources.names.jobs, database.names)
  return {
    async render() {
      // The database is read first, so that its failures count in this scrape.
      const [figures] = await Promise.all([database.render(), readiness.read()])
      return `${await processMetrics().metrics()}${await instruments.metrics()}${await registry.metrics()}${figures}`
    },
    close: () => database.close(),
  }
}

let ofProcess: Registry | null = null

/** Memory, CPU and event loop, measured from the first scrape on. */
function processMetrics(): Registry {
  if (ofProcess) return ofProcess
  ofProcess = new Registry()
  collectDefaultMetrics({ register: ofProcess, prefix: 'phonerack_' })
  return ofProcess
}

/** Reads the readiness before each scrape, at the same time as the database. */
function addReadiness(registry: Registry, sources: MetricsSources): { read(): Promise<void> } {
  const registers = [registry]
  const ready = new Gauge({
    name: 'phonerack_ready',
    help: '1 while this replica can serve requests.',
    registers,
  })
  const checks = new Gauge({
    name: 'phonerack_health_check',
    help: '1 while a dependency of this replica is available. Health: the checks took too long.',
    labelNames: ['check'],
    registers,
  })
  return {
    async read() {
      const now = await sources.readiness()
      ready.set(now.canServe ? 1 : 0)
      checks.reset()
      for (const [check, { ok }] of Object.entries(now.checks)) checks.set({ check }, ok ? 1 : 0)
    },
  }
}

function addGauges(registry: Registry, sources: MetricsSources): void {
  const registers = [registry]
  new Gauge({
    name: 'phonerack_build_info',
    help: 'Always 1; its label is the release of this replica.',
    labelNames: ['version'],
    registers,
  }).set({ version: sources.version }, 1)
  new Gauge({
    name: 'phonerack_database_pool_connections',
    help: 'Connections to Postgres by pool; waiting: requests for one.',
    labelNames: ['pool', 'state'],
    registers,
    collect() {
      for (const [pool, use] of Object.entries(sources.pools()))
        for (const state of ['max', 'total', 'idle', 'waiting'] as const)
          this.set({ pool, state }, use[state])
    },
  })
  new Gauge({
    name: 'phonerack_host_certificate_days',
    help: 'Days until the certificate ends that a host presented to this replica last.',
    labelNames: ['host'],
    registers,
    collect() {
      this.reset()
      for (const [host, ends] of sources.hostCertificates()) this.set({ host }, daysUntil(ends))
    },
  })
  new Gauge({
    name: 'phonerack_certificate_days',
    help: "Days until this replica's client certificate, the authority's, the broker's, and the first of the hosts' end.",
    labelNames: ['certificate'],
    registers,
    collect() {
      const { client, authority } = sources.ownCertificates()
      this.reset()
      this.set({ certificate: 'client' }, daysUntil(client))
      this.set({ certificate: 'authority' }, daysUntil(authority))
      const broker = sources.brokerCertificate()
      if (broker !== null) this.set({ certificate: 'broker' }, daysUntil(broker))
      const ofHosts = [...sources.hostCertificates().values()].map(daysUntil)
      if (ofHosts.length > 0) this.set({ certificate: 'first_host' }, Math.min(...ofHosts))
    },
  })
  new Gauge({
    name: 'phonerack_authority_rotation_days',
    help: 'Days since a rotation of the certificate authority began that is open; 0: none is.',
    registers,
    collect() {
      const begunAt = sources.rotationBegunAt()
      this.set(begunAt === null ? 0 : -daysUntil(begunAt))
    },
  })
  new Gauge({
    name: 'phonerack_tunnels',
    help: 'Open tunnels of hosts to this replica.',
    registers,
    collect() {
      this.set([...sources.tunnels().values()].filter(Boolean).length)
    },
  })
  new Gauge({
    name: 'phonerack_host_tunnel',
    help: '1 while a host without an open port has a tunnel to this replica, 0 while only its heartbeats arrive.',
    labelNames: ['host'],
    registers,
    collect() {
      this.reset()
      for (const [host, isOpen] of sources.tunnels()) this.set({ host }, isOpen ? 1 : 0)
    },
  })
  new Gauge({
    name: 'phonerack_clock_skew_seconds',
    help: "How far this machine's clock is ahead of Postgres.",
    registers,
    collect() {
      this.set(sources.clockSkewMs() / 1000)
    },
  })
  new Gauge({
    name: 'phonerack_broker_connected',
    help: '1 while this replica is connected to NATS.',
    registers,
    collect() {
      this.set(sources.isBrokerConnected() ? 1 : 0)
    },
  })
  for (const [name, help] of Object.entries(counterHelp) as [CounterName, string][])
    new Counter({
      name: `phonerack_${name}_total`,
      help,
      registers,
      collect() {
        this.reset()
        this.inc(sources.counters.read(name))
      },
    })
}
