// Labels are bounded: neither a service with its arguments nor an unlisted code becomes a time series.
import { beforeEach, expect, it } from 'vitest'
import { countAdbCall, countCall, instruments } from './instruments.js'

/** Other tests of this process increase the counters too. */
beforeEach(() => instruments.resetMetrics())

async function seriesOf(metric: string): Promise<string[]> {
  const text = await instruments.getSingleMetricAsString(metric)
  return [...text.matchAll(/^\w+_(?:count|total)\{(.*)\} \S+$/gm)].map(([, labels = '']) => labels).sort()
}

it('counts adb calls by kind of service', async () => {
  for (const service of ['shell,v2,raw:input text secret', 'shell,v2,raw:ls', 'exec:screencap -p', 'sync:'])
    countAdbCall(service, 'ok')
  for (const service of ['host:connect:10.0.0.1:5555', 'host:version']) countAdbCall(service, 'refused')
  for (const service of ['localabstract:scrcpy_1a2b', 'localabstract:scrcpy_3c4d'])
    countAdbCall(service, 'lost')
  for (const service of ['', 'made-up:1', 'made-up-2', 'SHELL:x', '"}\n']) countAdbCall(service, 'failed')
  expect(await seriesOf('phonerack_agent_adb_calls_total')).toEqual([
    'kind="exec",outcome="ok"',
    'kind="host",outcome="refused"',
    'kind="localabstract",outcome="lost"',
    'kind="other",outcome="failed"',
    'kind="shell",outcome="ok"',
    'kind="sync",outcome="ok"',
  ])
})

it('counts calls by the error codes of the table', async () => {
  countCall('Observe', null, 0.1)
  countCall('Observe', 'phone_unavailable', 0.1)
  for (const code of ['made_up', 'another', '"}']) countCall('Observe', code, 0.1)
  expect(await seriesOf('phonerack_agent_call_duration_seconds')).toEqual([
    'call="Observe",outcome="ok"',
    'call="Observe",outcome="other"',
    'call="Observe",outcome="phone_unavailable"',
  ])
})
