// Labels of request metrics are bounded: a client cannot create a time series.
import { ApiError, createLogger } from '@phonerack/shared'
import { expect, it } from 'vitest'
import { countRequest, instruments } from '../../base/metrics/instruments.js'
import { sendInProcess } from './in-process.js'
import { addFoundations, createFastify } from '../server/server.js'

const log = createLogger('request-metrics-test')
log.level = 'silent'

/** Only these: other tests of this process need the first values of other counters. */
function resetRequests(): void {
  for (const name of ['phonerack_http_request_duration_seconds', 'phonerack_http_errors_total'])
    instruments.getSingleMetric(name)?.reset()
}

/** The labels of all series of a metric, except for its buckets. */
async function seriesOf(metric: string): Promise<string[]> {
  const text = await instruments.getSingleMetricAsString(metric)
  return [...text.matchAll(/^\w+_(?:count|total)\{(.*)\} \S+$/gm)].map(([, labels = '']) => labels).sort()
}

it('counts requests by route template, and all paths without a route as one', async () => {
  resetRequests()
  const app = createFastify({}, log)
  addFoundations(app)
  app.get('/things/:id', (_request, reply) => reply.send({ ok: true }))
  app.post('/things/:id', () => {
    throw new ApiError('phone_not_found')
  })
  await app.ready()
  try {
    for (const id of ['a', 'b', 'c%22%0Ad']) await app.inject({ url: `/things/${id}?x=${id}` })
    await app.inject({ method: 'POST', url: '/things/a' })
    for (const url of ['/none', '/none/2', '/things', '/%7F', '/v1/phones/x'])
      for (const method of ['GET', 'DELETE'] as const) await app.inject({ method, url })
    await app.inject({ method: 'PUT', url: '/things/a' })
    await app.inject({ method: 'PUT', url: '/things/b' })
  } finally {
    await app.close()
  }
  expect(await seriesOf('phonerack_http_request_duration_seconds')).toEqual([
    'method="DELETE",route="other",status="4xx",via="network"',
    'method="GET",route="/things/:id",status="2xx",via="network"',
    'method="GET",route="other",status="4xx",via="network"',
    'method="POST",route="/things/:id",status="4xx",via="network"',
    'method="PUT",route="other",status="4xx",via="network"',
  ])
  expect(await seriesOf('phonerack_http_errors_total')).toEqual([
    'code="method_not_allowed"',
    'code="not_found"',
    'code="phone_not_found"',
  ])
})

it('counts a request to /mcp once, and the requests of its tool apart from it', async () => {
  resetRequests()
  const app = createFastify({}, log)
  addFoundations(app)
  app.get('/things/:id', () => {
    throw new ApiError('phone_not_found')
  })
  app.post('/mcp', async (request, reply) => {
    const call = {
      requestId: request.id,
      signal: new AbortController().signal,
      batch: { startWithinMs: 40_000, answerWithinMs: 48_000 },
      client: null,
    }
    for (const id of ['a', 'b']) await sendInProcess(app, call, { url: `/things/${id}` })
    return reply.send({ isError: true })
  })
  await app.ready()
  try {
    await app.inject({ method: 'POST', url: '/mcp' })
    await app.inject({ url: '/things/c' })
  } finally {
    await app.close()
  }
  const text = await instruments.getSingleMetricAsString('phonerack_http_request_duration_seconds')
  expect([...text.matchAll(/_count\{(.*)\} (\d+)$/gm)].map(([, labels, count]) => [labels, count])).toEqual([
    ['method="GET",route="/things/:id",status="4xx",via="in_process"', '2'],
    ['method="POST",route="/mcp",status="2xx",via="network"', '1'],
    ['method="GET",route="/things/:id",status="4xx",via="network"', '1'],
  ])
})

it('replaces methods, statuses and codes outside the lists', async () => {
  resetRequests()
  for (const odd of ['PURGE', 'M-SEARCH', 'x"y'])
    countRequest({
      method: odd,
      route: null,
      status: odd.length * 1000,
      errorCode: odd,
      seconds: 0.1,
      via: 'network',
    })
  expect(await seriesOf('phonerack_http_request_duration_seconds')).toEqual([
    'method="other",route="other",status="other",via="network"',
  ])
  expect(await seriesOf('phonerack_http_errors_total')).toEqual(['code="other"'])
})
