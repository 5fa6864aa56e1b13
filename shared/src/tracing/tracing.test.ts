/** Tracing as a program sees it: off by default, with nothing loaded; on, with bounds on a collector that does not answer. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { afterEach, describe, expect, it } from 'vitest'
import { readTracingSettings } from './settings.js'

const run = promisify(execFile)
const closers: (() => void)[] = []
afterEach(() => closers.splice(0).forEach((close) => close()))

/** A collector that counts requests, and never answers. */
async function startCollector(): Promise<{ url: string; requests: () => number }> {
  let requests = 0
  const server = createServer(() => (requests += 1))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  closers.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, requests: () => requests }
}

/** One span in a program; prints what it loaded and logged. Ends by itself, or the test fails. */
const program = `
import { createRequire } from 'node:module'
import { createLogger } from ${JSON.stringify(new URL('../../dist/index.js', import.meta.url).href)}
import { inTrace, startTracing } from ${JSON.stringify(new URL('../../dist/tracing/index.js', import.meta.url).href)}
const log = createLogger('test')
const tracing = await startTracing({ name: 'test', instance: 'one' }, log)
await inTrace('job test', () => ({}), async () => log.info('inside'))
await tracing.stop(1500)
const loaded = Object.keys(createRequire(import.meta.url).cache).filter((file) => file.includes('@opentelemetry'))
console.log(JSON.stringify({ sdk: loaded.some((file) => file.includes('/sdk-trace/')) }))
// As both programs do once they have stopped.
process.exit(0)
`
async function runProgram(env: Record<string, string>): Promise<Record<string, unknown>[]> {
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program], {
    env: { PATH: process.env['PATH'], ...env },
    timeout: 60_000,
  })
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

describe('a program', () => {
  it('loads nothing of the SDK and sends nothing by default, or while the SDK is disabled', async () => {
    const { url, requests } = await startCollector()
    const disabled = { OTEL_SDK_DISABLED: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: url }
    const none = { OTEL_TRACES_EXPORTER: 'none', OTEL_EXPORTER_OTLP_ENDPOINT: url }
    for (const env of [{}, disabled, none]) {
      const lines = await runProgram(env)
      expect(lines).toContainEqual({ sdk: false })
      expect(lines.find(({ msg }) => msg === 'inside')).not.toHaveProperty('trace_id')
    }
    expect(requests()).toBe(0)
  })

  it('sends spans with an endpoint, and stops although the collector does not answer', async () => {
    const { url, requests } = await startCollector()
    const lines = await runProgram({ OTEL_EXPORTER_OTLP_ENDPOINT: url })
    expect(lines).toContainEqual({ sdk: true })
    expect(lines.find(({ msg }) => msg === 'inside')).toMatchObject({
      trace_id: expect.stringMatching(/^[0-9a-f]{32}$/) as unknown,
      span_id: expect.stringMatching(/^[0-9a-f]{16}$/) as unknown,
    })
    expect(requests()).toBe(1)
  })
})

describe('the settings', () => {
  it('are off without an endpoint or an exporter', () => {
    expect(readTracingSettings({ OTEL_SERVICE_NAME: 'x', OTEL_EXPORTER_OTLP_ENDPOINT: ' ' })).toBeNull()
    expect(readTracingSettings({ OTEL_TRACES_EXPORTER: 'none' })).toBeNull()
  })

  it('name each value that has no effect', () => {
    const settings = readTracingSettings({
      OTEL_TRACES_EXPORTER: 'otlp,zipkin',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_TRACES_SAMPLER: 'jaeger_remote',
      OTEL_TRACES_SAMPLER_ARG: '2',
      OTEL_BSP_MAX_QUEUE_SIZE: '99999999',
    })
    expect(settings).toMatchObject({
      exporters: ['otlp'],
      sampler: { name: 'parentbased_always_on', ratio: 1 },
      batch: { maxQueueSize: 2048 },
    })
    expect(settings?.warnings).toHaveLength(5)
  })
})
