/** Switches tracing on when the environment requests it. Called first by the `main.ts` of both programs. */
import { type Logger } from '../log.js'
import { readTracingSettings } from './settings.js'

/** The program whose spans are exported. */
export interface TracedProgram {
  /** `service.name`, unless `OTEL_SERVICE_NAME` or `OTEL_RESOURCE_ATTRIBUTES` sets one. */
  name: string
  /** `service.instance.id`: the replica or the host. */
  instance: string
  version?: string
}

export interface Tracing {
  /** Sends the spans that wait, for at most `withinMs`. Never throws. */
  stop(withinMs: number): Promise<void>
}

const off: Tracing = { stop: () => Promise.resolve() }

/** Without the environment's request, nothing of the SDK is loaded. */
export async function startTracing(
  program: TracedProgram,
  log: Logger,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<Tracing> {
  const settings = readTracingSettings(env)
  if (settings === null) return off
  for (const warning of settings.warnings) log.warn(warning)
  if (settings.exporters.length === 0) return off
  const { startSdk } = await import('./sdk.js')
  return startSdk(program, settings, log)
}
