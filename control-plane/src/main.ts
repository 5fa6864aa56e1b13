/**
 * The control plane's process: reads its configuration, starts, serves, and stops cleanly on
 * SIGTERM.
 */
import { createLogger, keepWatchdog, pause, type Logger } from '@phonerack/shared'
import { serveMetrics } from '@phonerack/shared/metrics'
import { startTracing } from '@phonerack/shared/tracing'
import { type FastifyInstance } from 'fastify'
import { ZodError } from 'zod'
import { startApp } from './app/app.js'
import { type App } from './app/types.js'
import { readConfig, type Config, type OperatorListen } from './base/config/config.js'
import { isAway } from './base/db/away.js'
import { configurationFault, refusalExitCode, StartRefusal } from './base/config/refusal.js'
import { buildOperatorServer } from './api/server/operator-server.js'
import { buildServer } from './api/server/server.js'
import { watchFaults } from './app/unhandled-errors.js'

/** Milliseconds between attempts, and in all, while Postgres is not available. */
const retryMs = 1000
const patienceMs = 60_000
/** Milliseconds that a clean stop may take after its delay and the time for running requests. */
const stopMs = 5500
/** Milliseconds for the last spans, while the rest of the program stops. */
const flushMs = 1500

const log = createLogger('control-plane')
watchFaults(process, log, () => process.exit(1))
keepWatchdog(log)

async function main(): Promise<void> {
  const config = readConfig(process.env)
  const tracing = await startTracing({ name: 'phonerack-control-plane', instance: config.replicaId }, log)
  const app = await startPatiently(config, log)
  let isStopping = false
  const server = await buildServer({
    services: app.services,
    config: {
      ...config.http,
      requestsPerKeyPerMinute: config.requestsPerKeyPerMinute,
      uploadMs: config.rules.uploads.sendWithinMs,
    },
    log,
    clock: app.core.clock,
    failureLimit: app.failureLimit,
    health: () => app.health(),
    isStopping: () => isStopping,
    plugins: app.plugins,
  })
  const operator = await buildOperatorServer({
    config: {
      trustedProxies: config.http.trustedProxies,
      uploadMs: config.rules.uploads.sendWithinMs,
      stopWithinMs: config.http.stopWithinMs,
    },
    log,
    gate: app.operatorGate,
    plugins: app.operatorPlugins,
    console: app.operatorConsole,
  })
  const scraped = config.metrics ? await serveMetrics(config.metrics, () => app.metrics.render(), log) : null
  if (config.metrics) log.info({ ...config.metrics }, 'metrics ready')
  // First, so that the operator API is up whenever the public API is.
  await listenForOperators(operator, config.operator)
  await server.listen({ host: config.http.host, port: config.http.port })
  log.info({ port: config.http.port, replica: config.replicaId }, 'control plane ready')

  const close = async (): Promise<void> => {
    // Load balancers notice `/readyz`; until then they send requests here.
    await pause(config.stopDelayMs, new AbortController().signal)
    await Promise.all([server.close(), operator.close(), app.quiesce()])
    await scraped?.close()
    await Promise.all([app.close(), tracing.stop(flushMs)])
  }
  const stop = (signal: string): void => {
    // A second signal ends the process.
    process.off('SIGTERM', stop).off('SIGINT', stop)
    isStopping = true
    log.info({ signal }, 'control plane stopping')
    const forced = setTimeout(() => process.exit(1), config.stopDelayMs + config.http.stopWithinMs + stopMs)
    forced.unref()
    close().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'the control plane did not stop cleanly')
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
}

/**
 * A second replica on the same machine runs without the operator API, unless an address is
 * configured for it.
 */
async function listenForOperators(server: FastifyInstance, listen: OperatorListen): Promise<void> {
  const { host, port } = listen
  try {
    await server.listen({ host, port })
    log.info({ host, port }, 'operator API ready')
  } catch (error) {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
    if (!isTaken || listen.isChosen) throw error
    log.warn(
      { host, port },
      'the port of the operator API is in use, so this replica does not serve it; set PHONERACK_OPERATOR_LISTEN',
    )
  }
}

async function startPatiently(config: Config, log: Logger): Promise<App> {
  const until = performance.now() + patienceMs
  for (;;) {
    try {
      return await startApp(config, { log })
    } catch (error) {
      if (!isAway(error) || performance.now() > until) throw error
      log.warn({ err: error }, 'Postgres is not available yet')
      await new Promise((resolve) => setTimeout(resolve, retryMs))
    }
  }
}

main().catch((error: unknown) => {
  if (error instanceof StartRefusal || error instanceof ZodError) {
    log.fatal(error instanceof ZodError ? configurationFault(error, process.env) : error.message)
    process.exit(refusalExitCode)
  }
  log.fatal({ err: error }, 'the control plane could not start')
  process.exit(1)
})
