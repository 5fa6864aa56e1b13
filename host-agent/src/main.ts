/** The host agent's process: `node dist/main.js`, configured by its environment (`config.ts`). */
import { join as joinPath } from 'node:path'
import {
  ApiError,
  createLogger,
  DeadlineExceeded,
  keepWatchdog,
  Progress,
  trustedRoots,
  type Logger,
} from '@phonerack/shared'
import { startTracing, type Tracing } from '@phonerack/shared/tracing'
import { AdbConnectionLost } from './adb/errors.js'
import { startAgent, type Agent } from './service/agent.js'
import { ownFaultOf } from './base/own-fault.js'
import { version } from './base/version.js'
import { readConfig, type Config } from './service/config.js'
import { DeviceGone } from './adb/device/device.js'
import { loadIdentity, saveIdentity, type Identity } from './service/identity.js'
import { join } from './service/join.js'

const log = createLogger('host-agent')
const stopping = new AbortController()

/** Milliseconds that a stop may take, after the time for running calls, before the process is ended. */
const stopLimit = 4500
/** Milliseconds for the last spans, while the rest of the program stops. */
const flushMs = 1500
/** Aborts on the second signal: running calls get no more time. */
const hurry = new AbortController()

async function findIdentity(config: Config): Promise<Identity> {
  const path = joinPath(config.dataDir, 'identity.json')
  const known = loadIdentity(path)
  if (known) return known
  if (config.joinToken === null)
    throw new Error('this host has not joined: PHONERACK_JOIN_TOKEN is needed once')
  const request = {
    controlUrl: config.controlUrl,
    token: config.joinToken,
    name: config.hostName,
    ...(config.country === null ? {} : { country: config.country }),
    roots: trustedRoots(config.caFile),
  }
  const identity = await join(request, log, Progress.for(10 * 60_000, stopping.signal))
  saveIdentity(path, identity)
  log.info({ hostId: identity.hostId }, 'the host joined the control plane')
  return identity
}

/**
 * Whether an error comes from the disconnect of a phone, the adb server or the broker, or from a full disk, while no
 * caller waited. Such an error is not a bug.
 */
const isKnown = (error: unknown): boolean =>
  ownFaultOf(error) !== null ||
  error instanceof DeviceGone ||
  error instanceof DeadlineExceeded ||
  error instanceof AdbConnectionLost ||
  error instanceof ApiError ||
  (error instanceof Error &&
    'code' in error &&
    ['ECONNRESET', 'EPIPE', 'ECONNREFUSED'].includes(String(error.code)))

function watchFaults(logger: Logger): void {
  const onFault = (error: unknown) => {
    if (isKnown(error)) {
      logger.error({ err: error }, 'unhandled rejection or exception')
      return
    }
    logger.fatal({ err: error }, 'unhandled error: the process exits so that its supervisor restarts it')
    process.exit(1)
  }
  process.on('unhandledRejection', onFault)
  process.on('uncaughtException', onFault)
}

watchFaults(log)
keepWatchdog(log)

let starting: Promise<Agent> | null = null
let tracing: Tracing | null = null
let stopRequested = false
/** Milliseconds for running calls; known once the configuration is read. */
let stopWithinMs = 0

async function stop(signal: string): Promise<void> {
  log.info({ signal }, 'stopping')
  if (stopRequested) return hurry.abort()
  stopRequested = true
  stopping.abort()
  const forced = setTimeout(() => {
    log.error('the stop took too long')
    process.exit(1)
  }, stopWithinMs + stopLimit)
  // Parts that are still starting are included, since such a part may already own a process.
  const [started] = await Promise.allSettled([starting])
  if (started.status === 'fulfilled' && started.value) {
    await started.value.finish(Progress.for(stopWithinMs, hurry.signal))
    await Promise.all([started.value.stop(), tracing?.stop(flushMs)])
  }
  clearTimeout(forced)
  process.exit(0)
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal))

try {
  const config = readConfig(process.env)
  const identity = await findIdentity(config)
  if (!stopping.signal.aborted) {
    stopWithinMs = config.stopWithinMs
    tracing = await startTracing({ name: 'phonerack-agent', instance: identity.hostId, version }, log)
    starting = startAgent(config, identity, log.child({ host: identity.hostId }))
    await starting
  }
} catch (error) {
  if (!stopping.signal.aborted) {
    log.fatal({ err: error }, 'the host agent cannot start')
    process.exit(1)
  }
}
