/** The assembled program, and the parts that tests replace. */
import { type Core } from '../base/core/core.js'
import { type UploadCore } from '../files/uploads/core.js'
import { type HostClients } from '../links/host-calls/clients.js'
import { type Authorities } from '../base/pki/authorities.js'
import { type Tunnels } from '../links/tunnels/tunnels.js'
import { type Services } from '../api/routes/services.js'
import { type FastifyPluginAsync } from 'fastify'
import { type OperatorGate } from '../api/routes/operator/gate.js'
import { type FailureLimit } from '../base/failure-limit/failure-limit.js'
import { type DatabaseClock } from '../base/db/clock.js'
import { type Metrics } from '../base/metrics/metrics.js'
import { type Health } from '../api/http/service-paths.js'
import { type Logger, type Clock } from '@phonerack/shared'

export interface App {
  core: Core
  uploads: UploadCore
  hosts: HostClients
  authority: Authorities
  /** Null: this replica has no listener for tunnels. */
  tunnels: Tunnels | null
  services: Services
  /** Routes of the public listener in addition to `/v1`. */
  plugins: FastifyPluginAsync[]
  operatorGate: OperatorGate
  /** Routes of the operator's listener. */
  operatorPlugins: FastifyPluginAsync[]
  /** `/console` of the operator's listener. */
  operatorConsole: FastifyPluginAsync
  /** The servers of these routes share one limit. */
  failureLimit: FailureLimit
  /**
   * `skewMs`: milliseconds by which this machine's clock is ahead of Postgres. `isSkewed`: the difference is too large
   * to judge hosts.
   */
  postgresTime: Pick<DatabaseClock, 'skewMs' | 'isSkewed'>
  metrics: Metrics
  /** Checks Postgres, without which no request is served, and the broker, without which phones are unreachable. */
  health(): Promise<Health>
  /** Starts no more jobs and waits briefly for running jobs. Requests are still served. */
  quiesce(): Promise<void>
  close(): Promise<void>
}

export interface AppParts {
  log: Logger
  /** Replaces Postgres's time in tests. */
  clock?: Clock | undefined
  /** This machine's clock, which is compared with Postgres's. Default: the system clock. */
  machineClock?: Clock | undefined
  /** `Core.pace`. Default: 1. */
  pace?: number | undefined
}
