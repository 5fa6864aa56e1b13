// The operator API and the metrics have listeners separate from the public listener. No listener serves the
// requests of another.
import { beforeAll, describe, expect, it } from 'vitest'
import { createLogger } from '@phonerack/shared'
import { serveMetrics } from '@phonerack/shared/metrics'
import { readConfig } from '../../base/config/config.js'
import { DatabaseGauges } from '../../base/metrics/database-gauges.js'
import { instruments } from '../../base/metrics/instruments.js'
import { watchQueries } from '../../testing/query-log.js'
import { useWorld, type Plane } from '../../testing/world.js'

const world = useWorld()
let plane: Plane
beforeAll(async () => {
  plane = await world.start()
})

const codeOf = (answer: { json(): unknown }) => (answer.json() as { error?: { code: string } }).error?.code

it('answers 404 for operator requests on the public listener, even with a valid token', async () => {
  const tenant = await plane.tenant()
  for (const token of [plane.operatorToken, tenant.key, ''])
    for (const [method, url] of [
      ['GET', '/operator/v1/hosts'],
      ['GET', `/operator/v1/projects/${tenant.projectId}`],
      ['POST', '/operator/v1/service/pause'],
      ['POST', '/operator/v1/library/files'],
      ['DELETE', '/operator/v1/keys/key_aaaaaaaaaaaa'],
      ['GET', '/operator/v1/none'],
    ] as const) {
      const answer = await plane.server.inject({ method, url, headers: { authorization: `Bearer ${token}` } })
      expect([answer.statusCode, codeOf(answer)], `${method} ${url}`).toEqual([404, 'not_found'])
    }
})

it('answers 404 for all other requests on the operator listener', async () => {
  const { key } = await plane.tenant()
  const headers = { authorization: `Bearer ${key}` }
  for (const url of ['/v1/account', '/setup', '/openapi.json', '/docs', '/'])
    expect((await plane.operator.inject({ url, headers })).statusCode, url).toBe(404)
  const join = await plane.operator.inject({ method: 'POST', url: '/host/v1/join', payload: {} })
  expect(join.statusCode).toBe(404)
  const hosts = await plane.operator.inject({
    url: '/operator/v1/hosts',
    headers: { authorization: `Bearer ${plane.operatorToken}` },
  })
  expect(hosts.statusCode).toBe(200)
  expect(hosts.headers).toMatchObject({ 'cache-control': 'no-store' })
})

it('keeps the join of hosts on the public listener', async () => {
  const join = await plane.server.inject({ method: 'POST', url: '/host/v1/join', payload: {} })
  expect([join.statusCode, codeOf(join)]).toEqual([400, 'validation_failed'])
})

const needed = { DATABASE_URL: 'postgres://x', NATS_URL: 'tls://x', PHONERACK_PKI_DIR: '/pki' }

it('listens on loopback unless an address is configured', () => {
  expect(readConfig(needed).operator).toEqual({ host: '127.0.0.1', port: 8090, isChosen: false })
  for (const [text, host, port] of [
    ['10.1.2.3:9000', '10.1.2.3', 9000],
    ['[::1]:9001', '::1', 9001],
    ['rack.internal:80', 'rack.internal', 80],
    ['127.0.0.1:0', '127.0.0.1', 0],
  ] as const)
    expect(readConfig({ ...needed, PHONERACK_OPERATOR_LISTEN: text }).operator).toEqual({
      host,
      port,
      isChosen: true,
    })
  for (const wrong of ['9000', ':9000', 'host', 'host:', 'host:x', 'a b:1', 'host:99999'])
    expect(() => readConfig({ ...needed, PHONERACK_OPERATOR_LISTEN: wrong }), wrong).toThrow(
      /OPERATOR_LISTEN/,
    )
})

describe('metrics', () => {
  const quiet = createLogger('metrics-test')
  quiet.level = 'silent'
  const readings = ['phones', 'devices', 'hosts', 'jobs', 'credit', 'recordings']
  /** The limits are so high that a busy machine does not reach them. */
  const gauges = (cacheMs: number) =>
    new DatabaseGauges({
      databaseUrl: plane.config.databaseUrl,
      log: quiet,
      names: {
        phoneStatuses: ['ready'],
        deviceStates: ['free'],
        links: ['healthy'],
        jobs: ['phone.start'],
        recordingStatuses: ['ready'],
      },
      hostLateAfterMs: 10_000,
      hostLostAfterMs: 30_000,
      times: { statement: 60_000, all: 60_000, cache: cacheMs },
    })
  const errorsOf = async (reading: string): Promise<number> => {
    const { values } = (await instruments.getSingleMetric('phonerack_scrape_errors_total')?.get()) ?? {
      values: [],
    }
    return values.find(({ labels }) => labels['reading'] === reading)?.value ?? 0
  }

  it('has no listener unless an address is configured', () => {
    expect(readConfig(needed).metrics).toBeNull()
    const listen = { ...needed, PHONERACK_METRICS_LISTEN: '[::1]:9464' }
    expect(readConfig(listen).metrics).toEqual({ host: '::1', port: 9464 })
    for (const wrong of ['', '9464', 'host'])
      expect(() => readConfig({ ...needed, PHONERACK_METRICS_LISTEN: wrong })).toThrow(/METRICS_LISTEN/)
  })

  it('answers GET /metrics only, and no other listener does', async () => {
    const listener = await serveMetrics(
      { host: '127.0.0.1', port: 0 },
      () => plane.app.metrics.render(),
      quiet,
    )
    try {
      const base = `http://127.0.0.1:${listener.port}`
      const scrape = await fetch(`${base}/metrics`)
      expect([scrape.status, scrape.headers.get('content-type')]).toEqual([
        200,
        'text/plain; version=0.0.4; charset=utf-8',
      ])
      const names = [...(await scrape.text()).matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name)
      expect(names.length).toBeGreaterThan(30)
      expect(names.filter((name) => !name?.startsWith('phonerack_'))).toEqual([])
      expect(new Set(names).size).toBe(names.length)
      for (const path of ['/', '/v1/account', '/metrics/x', '/healthz'])
        expect((await fetch(base + path)).status, path).toBe(404)
      expect((await fetch(`${base}/metrics`, { method: 'POST' })).status).toBe(405)
      for (const server of [plane.server, plane.operator])
        expect((await server.inject({ url: '/metrics' })).statusCode).toBe(404)
    } finally {
      await listener.close()
    }
  })

  it('reads each group of figures with one statement, and does not repeat a recent reading', async () => {
    const read = gauges(3_600_000)
    const log = watchQueries()
    try {
      const [one, other] = await Promise.all([read.render(), read.render()])
      expect(one).toBe(other)
      expect(await read.render()).toBe(one)
      for (const pattern of [
        /as available/,
        /as silence/,
        /as charged/,
        /as scheduled/,
        /from recordings where status <>/,
      ])
        expect(log.texts.filter((text) => pattern.test(text)).length, pattern.source).toBe(1)
    } finally {
      log.stop()
      await read.close()
    }
  })

  it('exports no figures of a reading that fails, and counts it', async () => {
    const read = gauges(0)
    const { db } = plane.app.core
    try {
      expect(await read.render()).toContain('phonerack_recordings{status="ready"} 0')
      const before = await errorsOf('recordings')
      await db.$executeRaw`alter table recordings rename to recordings_away`
      try {
        const text = await read.render()
        expect(text).not.toContain('phonerack_recordings')
        expect(text).toContain('phonerack_phones{status="ready"} 0')
      } finally {
        await db.$executeRaw`alter table recordings_away rename to recordings`
      }
      expect(await errorsOf('recordings')).toBe(before + 1)
      expect(await read.render()).toContain('phonerack_recordings{status="ready"} 0')
    } finally {
      await read.close()
    }
  })

  it('exports no database figures without a database, and counts every reading', async () => {
    const before = await Promise.all(readings.map(errorsOf))
    const url = new URL(plane.config.databaseUrl)
    url.pathname = '/none'
    const away = new DatabaseGauges({
      databaseUrl: url.href,
      log: quiet,
      hostLateAfterMs: 1,
      hostLostAfterMs: 1,
      times: { statement: 60_000 },
      names: { phoneStatuses: [], deviceStates: [], links: [], jobs: [], recordingStatuses: [] },
    })
    try {
      expect((await away.render()).trim()).toBe('')
    } finally {
      await away.close()
    }
    expect(await Promise.all(readings.map(errorsOf))).toEqual(before.map((count) => count + 1))
  })
})
