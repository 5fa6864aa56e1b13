/** Runs a batch of actions on a phone, in order, up to the first failure. Called by the gRPC part. */
import type {
  Action,
  ActionResult,
  Clock,
  Logger,
  Observation,
  ObserveMode,
  Progress,
  ScreenshotObservation,
} from '@phonerack/shared'
import type { Device } from '../device/device.js'
import type { Snapshots } from '../screen/snapshots.js'

export interface BatchRequest {
  device: Device
  /** Of this assignment: `store.of({phoneId, fencingNumber})`. */
  snapshots: Snapshots
  /** Already validated. */
  actions: readonly Action[]
  observe: ObserveMode
  /** Of the whole batch. When it is aborted, what runs ends with what is known. */
  progress: Progress
  clock: Clock
  /** Before the first byte of the action can reach the phone. */
  onStarted: (index: number) => void
  /** As it stands then; candidates are looked up again in the batch's observation. */
  onFinished: (result: ActionResult) => void
  /** For faults of ours. */
  log?: Logger | undefined
  /** Milliseconds that only grow; left out: `performance.now`. */
  monotonic?: (() => number) | undefined
}

export interface BatchOutcome {
  results: ActionResult[]
  /** Number that succeeded. */
  completed: number
  /** Left out when none was asked for or the screen could not be read. */
  observation?: Observation | ScreenshotObservation
}

/**
 * @throws ApiError when nothing ran: phone_unavailable, provider_error. Everything later is in the outcome.
 */
export type RunBatch = (request: BatchRequest) => Promise<BatchOutcome>
