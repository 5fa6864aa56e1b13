/** The SDK of OpenTelemetry. Only `start.ts` imports it, and only while tracing is on. */
import { context, diag, DiagLogLevel, propagation, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ConsoleSpanExporter,
  ParentBasedSampler,
  SimpleSpanProcessor,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type Sampler,
} from '@opentelemetry/sdk-trace'
import { pause } from '../abort.js'
import { useTraceFields } from '../call-fields.js'
import { type Logger } from '../log.js'
import { setTracing } from './spans.js'
import { type TracingSettings } from './settings.js'
import { type TracedProgram, type Tracing } from './start.js'

/** Milliseconds between log lines about an exporter that fails. */
const quietMs = 60_000

/** The longest attribute, in characters. Our attributes are shorter, so the limit also bounds a mistake. */
const longestAttribute = 200

export function startSdk(program: TracedProgram, settings: TracingSettings, log: Logger): Tracing {
  reportFaults(log)
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': program.name,
      'service.instance.id': program.instance,
      ...(program.version === undefined ? {} : { 'service.version': program.version }),
    }).merge(detectResources({ detectors: [envDetector] })),
    sampler: samplerOf(settings.sampler),
    spanLimits: { attributeValueLengthLimit: longestAttribute },
    spanProcessors: settings.exporters.map((name) =>
      name === 'otlp'
        ? new BatchSpanProcessor({ exporter: new OTLPTraceExporter(), ...settings.batch })
        : new SimpleSpanProcessor({ exporter: new ConsoleSpanExporter() }),
    ),
  })
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
  trace.setGlobalTracerProvider(provider)
  useTraceFields(activeTrace)
  setTracing(true)
  log.info({ exporters: settings.exporters, sampler: settings.sampler.name }, 'tracing is on')
  return {
    async stop(withinMs) {
      setTracing(false)
      const enough = new AbortController()
      const sent = provider.shutdown().catch((error: unknown) => log.warn({ err: error }, failed))
      await Promise.race([sent, pause(withinMs, enough.signal)])
      enough.abort()
    },
  }
}

const failed = 'could not send spans'

function activeTrace(): object {
  const active = trace.getActiveSpan()?.spanContext()
  return active === undefined ? {} : { trace_id: active.traceId, span_id: active.spanId }
}

function samplerOf({ name, ratio }: TracingSettings['sampler']): Sampler {
  const root = name.endsWith('always_off')
    ? new AlwaysOffSampler()
    : name.endsWith('traceidratio')
      ? new TraceIdRatioBasedSampler(ratio)
      : new AlwaysOnSampler()
  return name.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root
}

/** The export fails every few seconds while the collector is down, and one log line a minute is enough. */
function reportFaults(log: Logger): void {
  let quietUntil = 0
  let omitted = 0
  const report = (fields: object, message: string): void => {
    const now = performance.now()
    if (now < quietUntil) return void (omitted += 1)
    log.warn({ ...fields, omitted }, message)
    quietUntil = now + quietMs
    omitted = 0
  }
  // The default handler writes whole errors, with the collector's answer.
  setGlobalErrorHandler((error) =>
    report({ err: error instanceof Error ? error : new Error('unknown') }, failed),
  )
  const ignore = (): void => undefined
  const warn = (message: string): void => report({ reason: message }, 'a fault of tracing')
  diag.setLogger(
    { error: warn, warn, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  )
}
