// A renamed metric must not silence an alert: each metric that deploy/monitoring names is exported. Metrics
// of agents: `metrics/monitoring.test.ts` of the host agent.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { errorTable } from '@phonerack/shared'
import { exportsMetric, metricsOf } from '@phonerack/shared/testing/promql'
import { expect, it } from 'vitest'
import { version } from '../version.js'
import { eventually, useWorld } from '../../testing/world.js'

const world = useWorld()
const read = (name: string) =>
  readFileSync(path.join(import.meta.dirname, '../../../../deploy/monitoring', name), 'utf8')

it('exports each metric of the dashboard and the alerts that is not one of agents', async () => {
  const plane = await world.start()
  const used = metricsOf(read('dashboard.json'), read('alerts.yml')).filter(
    (name) => name !== 'up' && !name.startsWith('phonerack_agent_'),
  )
  expect(used.length).toBeGreaterThan(30)
  let missing: string[] = []
  // On a busy machine a reading of the database can take too long: its figures are missing then.
  await eventually(async () => {
    const text = await plane.app.metrics.render()
    missing = used.filter((name) => !exportsMetric(text, name))
    return missing.length === 0
  }, 20_000).catch(() => undefined)
  expect(missing).toEqual([])
})

/** Codes of status 5xx that refuse a request and report no fault. */
const refusals = [
  'capacity_unavailable',
  'service_paused',
  'billing_not_configured',
  'platform_not_configured',
]

it('counts each code of status 5xx as an error of the service, except for those that refuse', () => {
  const [, counted = ''] =
    /alert: PhonerackServerErrors\n[^"]*phonerack_http_errors_total\{code=~"([^"]*)"/.exec(
      read('alerts.yml'),
    ) ?? []
  const failures = Object.entries(errorTable).flatMap(([code, { status }]) => (status >= 500 ? [code] : []))
  expect(counted.split('|').toSorted()).toEqual(
    failures.filter((code) => !refusals.includes(code)).toSorted(),
  )
})

it('exports its release, its readiness, and the figures of each host with its country', async () => {
  const plane = await world.start()
  const agent = await plane.rack(1)
  const host = `host="${agent.hostId}"`
  await eventually(async () => {
    const text = await plane.app.metrics.render()
    return new RegExp(`^phonerack_devices_available\\{country="[A-Z]{2}",${host}\\} 1$`, 'm').test(text)
  }, 30_000)
  const text = await plane.app.metrics.render()
  for (const series of [
    `phonerack_build_info{version="${version}"} 1`,
    'phonerack_ready 1',
    'phonerack_health_check{check="postgres"} 1',
    'phonerack_health_check{check="nats"} 1',
    `phonerack_host_degraded{${host}} 0`,
    `phonerack_host_refusing{${host},cause="disk_full"} 0`,
  ])
    expect(text).toContain(`\n${series}\n`)
})

it('exports counters with known labels from zero on, so that the first event is an increase', async () => {
  const plane = await world.start()
  const text = await plane.app.metrics.render()
  for (const series of [
    'phonerack_scrape_errors_total{reading="jobs"}',
    'phonerack_job_failures_total{kind="device.wipe"}',
    'phonerack_http_errors_total{code="internal_error"}',
    'phonerack_phone_ready_seconds_count{kind="create"}',
    'phonerack_webhook_attempts_total{outcome="delivered"}',
    'phonerack_phone_reports_total{result="waiting"}',
  ])
    expect(text).toContain(`\n${series} `)
})
