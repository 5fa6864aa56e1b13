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
  /** Reported condition; left out: none. */
  condition?: DeviceCondition
  serial: string
  link: DeviceLink
  fencing: bigint
  /** The custody record, as in the real agent. */
  assignment: { phone_id: string; fencing_number: number } | null
  dirty: boolean
  cleanFor: string
  revision: number
  /** Called by the next starts, wipes and so on; left out: success. */
  onStart?: () => Promise<void>
  onPark?: () => Promise<void>
  onWipe?: () => Promise<void>
  onEnroll?: () => Promise<void>
  wipeChecks?: WipeCheck[]
  /** The tenant for which its wipes make it clean; left out: anyone. */
  cleansFor?: string
  /** The private key on the phone; left out: none. A verified wipe writes a new one. */
  seed?: string
  /** The public key that heartbeats claim while it is unenrolled; left out: that of `seed`. */
  claims?: string
  /** Called before the next proofs and adoptions are answered; left out: success. */
  onProve?: () => Promise<void>
  onAdopt?: () => Promise<void>
  /** False: enrols without a way to wipe it. */
  wipes?: boolean
}

export type Batch = (
  request: RunActionsRequest,
  send: (event: RunActionsResponse['event']) => void,
) => Promise<void>

export interface AgentDouble {
  hostId: string
  readonly certificates: DoubleCertificates
  /** The join whose subjects it publishes to. */
  joinId: string | null
  devices: Map<string, DoubleDevice>
  /** IDs of reports that were acknowledged. */
  readonly acknowledged: string[]
  /** The newest epoch that was announced to it. */
  epoch: string | null
  /** False: like an agent from before custody. */
  reportsCustody: boolean
  /** Calls that start, park and wipe phones: `start ph_… 3`. */
  log: string[]
  /** Runs each batch of actions; left out: every action succeeds. */
  onBatch: Batch
  /** For a batch with the profile `guarded`. */
  onGuardedBatch: Batch
  /** Called for each view of a phone; left out: no video. */
  onWatch: (call: ServerDuplexStream<WatchRequest, WatchResponse>) => void
  /** Awaited in each call except starts, parks and wipes, with its name, before anything is done. */
  onCall: (name: string) => Promise<void>
  /** May change each message that it sends over gRPC. */
  onAnswer: (call: string, bytes: Buffer) => Buffer
  /** May change each heartbeat. */
  onHeartbeat: (message: Heartbeat) => unknown
  /** The state of its phones. */
  readonly held: {
    notifications: Notification[]
    clipboard: string
    location: { latitude: number; longitude: number } | undefined
    locale: string
    /** Empty: the default. */
    timezone: string
    device: Partial<GetDeviceInfoResponse>
    /** The names in every folder. */
    files: string[]
    /** Written content by path; any other file holds `content`. */
    contents: Map<string, Buffer>
    /** SHA-256 of the cached files. */
    cache: Set<string>
    apps: string[]
    /** Labels of apps by package. Others have none. */
    labels: Map<string, string>
    /** The requirements of the last install that began. */
    needs: PackageNeeds | undefined
  }
  readonly recordings: RecordingsDouble
  protocolVersion: number | null
  /** Response to a finish; left out: success. */
  finish: Partial<FinishInstallResponse>
  /** Response to a screenshot; left out: a small picture. */
  picture: Partial<ScreenshotResponse>
  /** Answers a request for a thumbnail. `cancelled`: before the call's deadline. */
  onThumbnail: (
    request: ThumbnailRequest,
    cancelled: AbortSignal,
  ) => ThumbnailResponse | Promise<ThumbnailResponse>
  addDevice(serial: string): DoubleDevice
  beat(): void
  /** No heartbeats until `resume`. */
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
  /** Its protocol version; left out: the current one; null: none. */
  protocolVersion?: number | null
  /** Joins again as this host. */
  rejoins?: string
  /** False: an agent from before decision 0202. */
  canRejoin?: boolean
}
