/** What a test sees of an agent double, and how it sets it up. */
import { type ServerDuplexStream } from '@grpc/grpc-js'
import {
  type FinishInstallResponse,
  type GetDeviceInfoResponse,
  type PackageNeeds,
  type RunActionsRequest,
  type RunActionsResponse,
  type ScreenshotResponse,
  type WatchRequest,
  type WatchResponse,
  type WipeCheck,
} from '@phonerack/proto'
import { type DeviceCondition, type DeviceLink, type Heartbeat } from '@phonerack/shared'
import { type FastifyInstance } from 'fastify'
import { type RecordingsDouble } from './recordings.js'

export interface DoubleDevice {
  /** What it says of itself; left out: nothing. */
  condition?: DeviceCondition
  serial: string
  link: DeviceLink
  fencing: bigint
  /** As the real agent's record: whose data it holds. */
  assignment: { phone_id: string; fencing_number: number } | null
  dirty: boolean
  cleanFor: string
  revision: number
  /** What the next calls for it come to; left out: success. */
  onStart?: () => Promise<void>
  onPark?: () => Promise<void>
  onWipe?: () => Promise<void>
  onEnroll?: () => Promise<void>
  wipeChecks?: WipeCheck[]
  /** For whom its wipes make it clean; left out: anyone. */
  cleansFor?: string
  /** False: enrols without a way to wipe it. */
  wipes?: boolean
}

export type Batch = (
  request: RunActionsRequest,
  send: (event: RunActionsResponse['event']) => void,
) => Promise<void>

export interface AgentDouble {
  hostId: string
  devices: Map<string, DoubleDevice>
  /** The newest that was announced to it. */
  epoch: string | null
  /** False: as an agent from before custody. */
  reportsCustody: boolean
  /** Phones as the agent was asked to start, park and wipe them: `start ph_… 3`. */
  log: string[]
  /** Runs each batch of actions; left out: every action succeeds. */
  onBatch: Batch
  /** Each view of a phone; left out: no picture ever comes. */
  onWatch: (call: ServerDuplexStream<WatchRequest, WatchResponse>) => void
  /** Awaited in each call but starts, parks and wipes, by its name, before anything is done. */
  onCall: (name: string) => Promise<void>
  /** May change each message that it sends over gRPC, by the call's name. */
  onAnswer: (call: string, bytes: Buffer) => Buffer
  /** May change each heartbeat. */
  onHeartbeat: (message: Heartbeat) => unknown
  /** What its phones hold. */
  readonly held: {
    clipboard: string
    location: { latitude: number; longitude: number } | undefined
    locale: string
    /** Empty: the default. */
    timezone: string
    device: Partial<GetDeviceInfoResponse>
    /** Names in every folder. */
    files: string[]
    /** What was written, by path; any other file holds `content`. */
    contents: Map<string, Buffer>
    /** SHA-256 of what was put into the cache. */
    cache: Set<string>
    apps: string[]
    /** Of the last install that was begun. */
    needs: PackageNeeds | undefined
  }
  readonly recordings: RecordingsDouble
  protocolVersion: number | null
  /** What a finish answers; left out: success. */
  finish: Partial<FinishInstallResponse>
  /** What a screenshot answers; left out: a small picture. */
  picture: Partial<ScreenshotResponse>
  addDevice(serial: string): DoubleDevice
  beat(): void
  /** No heartbeats until `resume`. */
  pause(): void
  resume(): void
  /** Ends the gRPC server, as a killed process would. */
  cutGrpc(): void
  /** A new gRPC server at a new address. */
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
  /** Of its protocol; left out: the current one; null: it names none. */
  protocolVersion?: number | null
}
