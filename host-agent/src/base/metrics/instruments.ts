/**
 * Counters and times of this process since its start. Each folder counts its own events here; `metrics.ts`
 * exports them. Labels have listed values only: none comes from a tenant, a phone or the control plane.
 */
import { errorTable } from '@phonerack/shared'
import { bounded, secondsBuckets } from '@phonerack/shared/metrics'
import { inPart } from '@phonerack/shared/tracing'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'

export const instruments = new Registry()
const registers = [instruments]

const calls = new Histogram({
  name: 'phonerack_agent_call_duration_seconds',
  help: 'Time of a call of the control plane, by call and outcome: ok, or the error code. Streams of bytes and video are not included.',
  labelNames: ['call', 'outcome'],
  buckets: secondsBuckets,
  registers,
})
const errorCodes = Object.keys(errorTable)

/** @param call a name of our protocol; `errorCode`: null when the call succeeded */
export const countCall = (call: string, errorCode: string | null, seconds: number): void =>
  calls.observe({ call, outcome: errorCode === null ? 'ok' : bounded(errorCodes, errorCode) }, seconds)

const parts = new Histogram({
  name: 'phonerack_agent_part_duration_seconds',
  help: 'Time of each part of a batch or screen read: input (one gesture, key, text or start of an app), shell (one command), tree (with its retries), screenshot (read from the phone), encode (the picture of the answer). Failed parts count too.',
  labelNames: ['part'],
  buckets: secondsBuckets,
  registers,
})
export type Part = 'input' | 'shell' | 'tree' | 'screenshot' | 'encode'
for (const part of ['input', 'shell', 'tree', 'screenshot', 'encode'] satisfies Part[]) parts.zero({ part })

/** Runs `work` as a part of a trace and counts its time, whether or not it succeeds. */
export async function measured<T>(part: Part, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now()
  try {
    return await inPart(part, () => ({}), work)
  } finally {
    parts.observe({ part }, (performance.now() - startedAt) / 1000)
  }
}

const wipes = new Histogram({
  name: 'phonerack_agent_wipe_duration_seconds',
  help: 'Time of wipes, including the wipes of enrolments, by outcome: verified, not_verified (a check did not pass) or failed (the wipe ended before its checks).',
  labelNames: ['outcome'],
  buckets: [5, 10, 20, 30, 60, 90, 120, 180, 300, 600],
  registers,
})
export type WipeOutcome = 'verified' | 'not_verified' | 'failed'
for (const outcome of ['verified', 'not_verified', 'failed'] satisfies WipeOutcome[]) wipes.zero({ outcome })

export const countWipe = (outcome: WipeOutcome, seconds: number): void => wipes.observe({ outcome }, seconds)

const adbCalls = new Counter({
  name: 'phonerack_agent_adb_calls_total',
  help: 'Connections to an adb server, each for one call, by kind of service and outcome: ok, refused (by the server or for the phone), lost (the connection ended) or failed (for another reason, such as a timeout).',
  labelNames: ['kind', 'outcome'],
  registers,
})
const adbKinds = ['shell', 'exec', 'sync', 'localabstract', 'host', 'host-transport-id', 'tcp']
export type AdbOutcome = 'ok' | 'refused' | 'lost' | 'failed'

/** @param service the service with its arguments, which are not exported */
export const adbKindOf = (service: string): string => bounded(adbKinds, /^[a-z-]*/.exec(service)?.[0] ?? '')

/** @param service the service with its arguments, which are not exported */
export const countAdbCall = (service: string, outcome: AdbOutcome): void =>
  adbCalls.inc({ kind: adbKindOf(service), outcome })

const adbStarts = new Counter({
  name: 'phonerack_agent_adb_server_starts_total',
  help: 'Starts of adb servers. Each network phone has a server. Each phone on USB has a server, or all phones on USB share one server. More starts mean that a server ended, or that a phone on USB was connected again.',
  registers,
})

export const countAdbServerStart = (): void => adbStarts.inc()

const heartbeats = new Counter({
  name: 'phonerack_agent_heartbeats_total',
  help: 'Heartbeats by result: sent to the broker, or failed because the broker was unreachable.',
  labelNames: ['result'],
  registers,
})
for (const result of ['sent', 'failed']) heartbeats.inc({ result }, 0)

export const countHeartbeat = (result: 'sent' | 'failed'): void => heartbeats.inc({ result })

const viewers = new Gauge({ name: 'phonerack_agent_live_viewers', help: 'Open live views.', registers })

/** Counts a live view while `work` runs. */
export async function whileViewed<T>(work: () => Promise<T>): Promise<T> {
  viewers.inc()
  try {
    return await work()
  } finally {
    viewers.dec()
  }
}

const recordings = new Gauge({
  name: 'phonerack_agent_recordings_running',
  help: 'Recordings in progress.',
  registers,
})

export const recordingBegan = (): void => recordings.inc()
export const recordingEnded = (): void => recordings.dec()

const scrapeErrors = new Counter({
  name: 'phonerack_scrape_errors_total',
  help: 'Reads for a scrape that failed, so that the scrape lacks the metrics of these reads.',
  labelNames: ['reading'],
  registers,
})
scrapeErrors.inc({ reading: 'disk' }, 0)

export const countScrapeError = (reading: 'disk'): void => scrapeErrors.inc({ reading })
