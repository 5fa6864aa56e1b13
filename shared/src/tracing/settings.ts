/**
 * The standard environment variables of OpenTelemetry that we read ourselves. The exporter's library reads the rest: endpoint,
 * headers, timeout, compression and certificates.
 * https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
 */

type Environment = Readonly<Record<string, string | undefined>>

type ExporterName = 'otlp' | 'console'

export interface TracingSettings {
  exporters: ExporterName[]
  sampler: { name: string; ratio: number }
  batch: {
    scheduledDelayMillis: number
    exportTimeoutMillis: number
    maxQueueSize: number
    maxExportBatchSize: number
  }
  /** Sentences for the log about values that have no effect. */
  warnings: string[]
}

const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const

const protocols = ['http/protobuf', '']

/** The number of spans that wait for the exporter. Further spans are dropped. */
const queueSize = { most: 65_536, usual: 2048 }

/** @returns null when traces are off, the default */
export function readTracingSettings(env: Environment): TracingSettings | null {
  const text = (name: string): string => env[name]?.trim() ?? ''
  if (text('OTEL_SDK_DISABLED').toLowerCase() === 'true') return null
  const warnings: string[] = []
  const exporters = exportersOf(text, warnings)
  if (exporters.length === 0 && warnings.length === 0) return null

  const number = (name: string, usual: number, { least = 1, most = 3_600_000 } = {}): number => {
    const value = text(name)
    if (value === '') return usual
    if (/^\d{1,9}$/.test(value) && Number(value) >= least && Number(value) <= most) return Number(value)
    warnings.push(`${name} must be an integer between ${least} and ${most}; using ${usual}`)
    return usual
  }
  const named = text('OTEL_TRACES_SAMPLER') || 'parentbased_always_on'
  const isKnown = samplers.some((name) => name === named)
  if (!isKnown)
    warnings.push(`OTEL_TRACES_SAMPLER must be one of ${samplers.join(', ')}; using parentbased_always_on`)
  const ratioText = text('OTEL_TRACES_SAMPLER_ARG')
  const ratio = ratioText === '' ? 1 : Number(ratioText)
  const isRatio = ratio >= 0 && ratio <= 1
  if (!isRatio) warnings.push('OTEL_TRACES_SAMPLER_ARG must be between 0 and 1; using 1')
  const protocol = text('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') || text('OTEL_EXPORTER_OTLP_PROTOCOL')
  if (!protocols.includes(protocol))
    warnings.push(
      'traces are sent as http/protobuf; OTEL_EXPORTER_OTLP_PROTOCOL has no other supported value',
    )
  return {
    exporters,
    sampler: { name: isKnown ? named : 'parentbased_always_on', ratio: isRatio ? ratio : 1 },
    batch: {
      scheduledDelayMillis: number('OTEL_BSP_SCHEDULE_DELAY', 5000),
      exportTimeoutMillis: number('OTEL_BSP_EXPORT_TIMEOUT', 30_000),
      maxQueueSize: number('OTEL_BSP_MAX_QUEUE_SIZE', queueSize.usual, queueSize),
      maxExportBatchSize: number('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 512, queueSize),
    },
    warnings,
  }
}

/**
 * Without `OTEL_TRACES_EXPORTER`, an endpoint switches traces on. The standard's default is on, the default of
 * Phonerack is off.
 */
function exportersOf(text: (name: string) => string, warnings: string[]): ExporterName[] {
  const named = text('OTEL_TRACES_EXPORTER')
  if (named === '') {
    const endpoint = text('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') || text('OTEL_EXPORTER_OTLP_ENDPOINT')
    return endpoint === '' ? [] : ['otlp']
  }
  const exporters = new Set<ExporterName>()
  for (const name of named.split(',').map((each) => each.trim())) {
    if (name === 'otlp' || name === 'console') exporters.add(name)
    else if (name !== 'none' && name !== '')
      warnings.push('OTEL_TRACES_EXPORTER must be otlp, console or none; other exporters are ignored')
  }
  return [...exporters]
}
