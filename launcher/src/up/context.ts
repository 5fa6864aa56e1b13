/** What every step of `up` needs. */
import type { OperatorClient } from '../operator/client.js'
import type { Supervisor } from '../processes/supervisor.js'
import type { UpOptions } from './args.js'
import type { Folder } from './folder.js'
import type { Ports } from './ports.js'
import type { Steps } from './progress.js'

export interface Context {
  root: string
  options: UpOptions
  folder: Folder
  ports: Ports
  supervisor: Supervisor
  steps: Steps
  /** Aborts when `up` is told to stop while it starts. */
  signal: AbortSignal
}

/** Of a control plane, ours or another machine's. */
export interface Addresses {
  baseUrl: string
  /** Of the operator API, an origin without a path; null: not known here. */
  operatorUrl: string | null
  operator: OperatorClient | null
  natsUrl: string
}
