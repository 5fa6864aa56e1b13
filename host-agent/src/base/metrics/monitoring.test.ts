// A renamed metric must not silence an alert: agents export each metric that deploy/monitoring names.
import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { exportsMetric, metricsOf } from '@phonerack/shared/testing/promql'
import { expect, it } from 'vitest'
import { createMetrics } from './metrics.js'

const read = (name: string) =>
  readFileSync(path.join(import.meta.dirname, '../../../../deploy/monitoring', name), 'utf8')

it('exports each metric of agents in the dashboard and the alerts', async () => {
  const render = createMetrics({
    devices: () => new Map(),
    deviceStates: ['ready'],
    folders: { data: tmpdir() },
    certificateEnds: () => new Date(),
  })
  const text = await render()
  const used = metricsOf(read('dashboard.json'), read('alerts.yml')).filter((name) =>
    name.startsWith('phonerack_agent_'),
  )
  expect(used.length).toBeGreaterThan(10)
  expect(used.filter((name) => !exportsMetric(text, name))).toEqual([])
})
