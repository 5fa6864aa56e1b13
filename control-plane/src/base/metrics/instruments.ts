/**
 * Counters and times of this process since its start. Each folder counts its events here, and `metrics.ts` exports
 * them. Labels have only listed values (`labels.ts` of `shared`), never values of a tenant, a phone or a URL. The
 * labels `job` and `instance` are not used, since Prometheus sets them.
 */
import { bounded, methodLabel, otherLabel, secondsBuckets, statusLabel } from '@phonerack/shared/metrics'
import { errorTable } from '@phonerack/shared'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'

export const instruments = new Registry()
const registers = [instruments]

const requests = new Histogram({
  name: 'phonerack_http_request_duration_seconds',
  help: 'Time from a request to the end of its response, by route template. Paths without a route have the route "other". Via in_process: sent by a tool of /mcp, whose own request is counted via network.',
  labelNames: ['method', 'route', 'status', 'via'],
  buckets: secondsBuckets,
  registers,
})
const requestErrors = new Counter({
  name: 'phonerack_http_errors_total',
  help: 'Error responses by error code. host_lost: an internal_error because the connection to the host of the phone was lost.',
  labelNames: ['code'],
  registers,
})
/** The value of `code` for an `internal_error` that a lost host caused. */
export const hostLostCode = 'host_lost'
const errorCodes = [...Object.keys(errorTable), hostLostCode]

interface AnsweredRequest {
  method: string
  /** The template of the request's route; null without a route. */
  route: string | null
  status: number
  errorCode: string | null
  seconds: number
  /** `in_process`: a tool of `/mcp` sent the request. */
  via: 'network' | 'in_process'
}

export function countRequest({ method, route, status, errorCode, seconds, via }: AnsweredRequest): void {
  requests.observe(
    { method: methodLabel(method), route: route ?? otherLabel, status: statusLabel(status), via },
    seconds,
  )
  if (errorCode !== null) requestErrors.inc({ code: bounded(errorCodes, errorCode) })
}

const hostCalls = new Histogram({
  name: 'phonerack_host_call_duration_seconds',
  help: 'Time of a gRPC call to a host agent, by call and gRPC status. Live views are not included.',
  labelNames: ['call', 'outcome'],
  buckets: secondsBuckets,
  registers,
})

/** @param call and `outcome`: names from gRPC's definitions, never from a response */
export const countHostCall = (call: string, outcome: string, seconds: number): void =>
  hostCalls.observe({ call, outcome }, seconds)

const heartbeats = new Counter({
  name: 'phonerack_heartbeats_total',
  help: 'Heartbeats of hosts that this replica received: applied; late (applied, after its host was late); outdated (another replica was first, or its host is unknown); refused; failed (the database).',
  labelNames: ['result'],
  registers,
})
const heartbeatResults = ['applied', 'late', 'outdated', 'refused', 'failed'] as const
type HeartbeatResult = (typeof heartbeatResults)[number]
// Each series starts at zero, so that the first heartbeat is an increase.
for (const result of heartbeatResults) heartbeats.inc({ result }, 0)

export const countHeartbeat = (result: HeartbeatResult): void => heartbeats.inc({ result })

const reports = new Counter({
  name: 'phonerack_phone_reports_total',
  help: 'Reports of crashes and notifications in the heartbeats that this replica received, by what it did: stored; waiting (the phone has too many in this minute, and the agent repeats them; each repetition counts).',
  labelNames: ['result'],
  registers,
})
const reportResults = ['stored', 'waiting'] as const
type ReportResult = (typeof reportResults)[number]
for (const result of reportResults) reports.inc({ result }, 0)

export const countReports = (result: ReportResult, count: number): void => reports.inc({ result }, count)

const ready = new Histogram({
  name: 'phonerack_phone_ready_seconds',
  help: 'Time from the admission of a create or start until its phone was ready.',
  labelNames: ['kind'],
  buckets: [0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300],
  registers,
})
const startFailures = new Counter({
  name: 'phonerack_phone_start_failures_total',
  help: 'Creates and starts that reached their deadline.',
  labelNames: ['kind'],
  registers,
})
export type StartKind = 'create' | 'start'
for (const kind of ['create', 'start'] satisfies StartKind[]) startFailures.inc({ kind }, 0)

export const countReady = (kind: StartKind, seconds: number): void => ready.observe({ kind }, seconds)
export const countStartFailure = (kind: StartKind): void => startFailures.inc({ kind })

const care = new Counter({
  name: 'phonerack_device_care_total',
  help: 'Attempts of wipes and enrolments by outcome. Verified: the device is free. Not verified: it is quarantined. A later attempt follows the other outcomes.',
  labelNames: ['kind', 'outcome'],
  registers,
})
const careOutcomes = [
  'verified',
  'not_verified',
  'refused',
  'unanswered',
  'unreachable',
  'interrupted',
] as const
export type CareOutcome = (typeof careOutcomes)[number]
export type CareKind = 'wipe' | 'enroll'
for (const kind of ['wipe', 'enroll'] satisfies CareKind[])
  for (const outcome of careOutcomes) care.inc({ kind, outcome }, 0)

export const countCare = (kind: CareKind, outcome: CareOutcome): void => care.inc({ kind, outcome })

const jobFailures = new Counter({
  name: 'phonerack_job_failures_total',
  help: 'Runs of jobs that ended with an unexpected error; the queue repeats them.',
  labelNames: ['kind'],
  registers,
})

/** @param kind the name of one of our jobs */
export const countJobFailure = (kind: string): void => jobFailures.inc({ kind })

const deliveries = new Counter({
  name: 'phonerack_webhook_attempts_total',
  help: 'Attempts to send an event to a webhook, by outcome.',
  labelNames: ['outcome'],
  registers,
})
const deliveryOutcomes = [
  'delivered',
  'status',
  'redirect',
  'timeout',
  'name_not_resolved',
  'address_not_allowed',
  'connection_refused',
  'connection_failed',
  'tls_failed',
  'secret_unreadable',
] as const
type DeliveryOutcome = (typeof deliveryOutcomes)[number]
for (const outcome of deliveryOutcomes) deliveries.inc({ outcome }, 0)

export const countDelivery = (outcome: DeliveryOutcome): void => deliveries.inc({ outcome })

const viewers = new Gauge({
  name: 'phonerack_live_viewers',
  help: 'Open live views of this replica.',
  registers,
})

export const viewerCame = (): void => viewers.inc()
export const viewerLeft = (): void => viewers.dec()

const tunnelConnections = new Counter({
  name: 'phonerack_tunnel_connections_total',
  help: 'Connections to the listener for tunnels: opened (a tunnel works); failed (ended before); evicted (made room for a newer one); refused (after failures of their network).',
  labelNames: ['outcome'],
  registers,
})
const tunnelOutcomes = ['opened', 'failed', 'evicted', 'refused'] as const
export type TunnelOutcome = (typeof tunnelOutcomes)[number]
for (const outcome of tunnelOutcomes) tunnelConnections.inc({ outcome }, 0)

export const countTunnelConnection = (outcome: TunnelOutcome): void => tunnelConnections.inc({ outcome })

const scrapeErrors = new Counter({
  name: 'phonerack_scrape_errors_total',
  help: 'Readings for a scrape that failed: their figures are missing in it.',
  labelNames: ['reading'],
  registers,
})

/** @param reading a name from `database-gauges.ts` */
export const countScrapeError = (reading: string): void => scrapeErrors.inc({ reading })

/** Exports each counter whose labels are known with zero from the start, so that the first event is an increase. */
export function countFromZero(jobs: readonly string[], readings: readonly string[]): void {
  for (const code of errorCodes) requestErrors.inc({ code }, 0)
  for (const kind of ['create', 'start'] satisfies StartKind[]) ready.zero({ kind })
  for (const kind of jobs) jobFailures.inc({ kind }, 0)
  for (const reading of readings) scrapeErrors.inc({ reading }, 0)
}
