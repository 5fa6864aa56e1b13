/** The context that every step of `up` gets. */
import type { OperatorClient } from '@phonerack/ctl/operator'
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
  /** Aborts when `up` is stopped during its start. */
  signal: AbortSignal
}

/** The addresses of a control plane, on this machine or another machine. */
export interface Addresses {
  baseUrl: string
  /** Origin of the operator API, without a path; null: unknown here. */
  operatorUrl: string | null
  operator: OperatorClient | null
  natsUrl: string
}
