/** The interface of an agent double for tests, and its options. */
import { type ServerDuplexStream } from '@grpc/grpc-js'
import {
  type FinishInstallResponse,
  type GetDeviceInfoResponse,
  type Notification,
  type PackageNeeds,
  type RunActionsRequest,
  type RunActionsResponse,
  type ScreenshotResponse,
  type ThumbnailRequest,
  type ThumbnailResponse,
  type WatchRequest,
  type WatchResponse,
  type WipeCheck,
} from '@phonerack/proto'
import { type DeviceCondition, type DeviceLink, type Heartbeat } from '@phonerack/shared'
import { type FastifyInstance } from 'fastify'
import { type DoubleCertificates } from './certificates.js'
import { type RecordingsDouble } from './recordings.js'

export interface DoubleDevice {
  /** The reported condition; omitted: none. */
  condition?: DeviceCondition
  serial: string
  link: DeviceLink
  fencing: bigint
  /** The custody record, as in the real agent. */
  assignment: { phone_id: string; fencing_number: number } | null
  dirty: boolean
  cleanFor: string
  revision: number
  /** Called by the next starts, wipes and so on; omitted: they succeed. */
  onStart?: () => Promise<void>
  onPark?: () => Promise<void>
  onWipe?: () => Promise<void>
  onEnroll?: () => Promise<void>
  wipeChecks?: WipeCheck[]
  /** The tenant for which wipes make the device clean; omitted: anyone. */
  cleansFor?: string
  /** The private key on the phone; omitted: none. A verified wipe writes a new key. */
  seed?: string
  /** The public key that heartbeats claim while the device is unenrolled; omitted: the key of `seed`. */
  claims?: string
  /** Called before the next proofs and adoptions are answered; omitted: they succeed. */
  onProve?: () => Promise<void>
  onAdopt?: () => Promise<void>
  /** False: the device is enrolled without a way to wipe it. */
  wipes?: boolean
}

export type Batch = (
  request: RunActionsRequest,
  send: (event: RunActionsResponse['event']) => void,
) => Promise<void>

export interface AgentDouble {
  hostId: string
  readonly certificates: DoubleCertificates
  /** The join to whose subjects the double publishes. */
  joinId: string | null
  devices: Map<string, DoubleDevice>
  /** IDs of reports that were acknowledged. */
  readonly acknowledged: string[]
  /** The newest epoch that the control plane announced. */
  epoch: string | null
  /** False: the double behaves like an agent from before custody. */
  reportsCustody: boolean
  /** Log of the calls that start, park and wipe phones, such as `start ph_… 3`. */
  log: string[]
  /** Runs each batch of actions; omitted: every action succeeds. */
  onBatch: Batch
  /** Runs batches with the profile `guarded`. */
  onGuardedBatch: Batch
  /** Called for each view of a phone; omitted: no video. */
  onWatch: (call: ServerDuplexStream<WatchRequest, WatchResponse>) => void
  /** Each call except starts, parks and wipes awaits this function with the call's name before any other work. */
  onCall: (name: string) => Promise<void>
  /** May change each message that the double sends over gRPC. */
  onAnswer: (call: string, bytes: Buffer) => Buffer
  /** May change each heartbeat. */
  onHeartbeat: (message: Heartbeat) => unknown
  /** The state of the double's phones. */
  readonly held: {
    notifications: Notification[]
    clipboard: string
    location: { latitude: number; longitude: number } | undefined
    locale: string
    /** Empty: the default location. */
    timezone: string
    device: Partial<GetDeviceInfoResponse>
    /** The file names in every folder. */
    files: string[]
    /** Written content by path; every other file has `content`. */
    contents: Map<string, Buffer>
    /** SHA-256 of the cached files. */
    cache: Set<string>
    apps: string[]
    /** Labels of apps by package. Other apps have no label. */
    labels: Map<string, string>
    /** The requirements of the last install that began. */
    needs: PackageNeeds | undefined
  }
  readonly recordings: RecordingsDouble
  protocolVersion: number | null
  /** The response to a finish; omitted: success. */
  finish: Partial<FinishInstallResponse>
  /** The response to a screenshot; omitted: a small picture. */
  picture: Partial<ScreenshotResponse>
  /**
   * Answers a request for a thumbnail. `cancelled` resolves when the call is cancelled before its deadline.
   */
  onThumbnail: (
    request: ThumbnailRequest,
    cancelled: AbortSignal,
  ) => ThumbnailResponse | Promise<ThumbnailResponse>
  addDevice(serial: string): DoubleDevice
  beat(): void
  /** Stops heartbeats until `resume`. */
  pause(): void
  resume(): void
  /** Ends the gRPC server, like a killed process. */
  cutGrpc(): void
  /** Starts a new gRPC server at a new address. */
  serve(): Promise<void>
  stop(): Promise<void>
}

export interface DoubleOptions {
  server: FastifyInstance
  operator: FastifyInstance
  natsUrl: string
  operatorToken: string
  name: string
  country?: string
  beatMs?: number
  /** The double's protocol version; omitted: the current version; null: none. */
  protocolVersion?: number | null
  /** Joins again as this host. */
  rejoins?: string
  /** False: the double behaves like an agent from before decision 0202. */
  canRejoin?: boolean
}
