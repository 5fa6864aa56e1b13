/**
 * A test double of the host agent's answers: it joins over HTTP, has a real identity, speaks the real proto over real
 * mutual TLS and sends real heartbeats over the real broker, but there are no phones behind it. For tests of the
 * control plane only.
 */
import { createHash, generateKeyPairSync } from 'node:crypto'
import { createUser, fmtCreds } from '@nats-io/jwt'
import {
  Metadata,
  Server,
  ServerCredentials,
  status,
  type sendUnaryData,
  type ServiceDefinition,
  type ServerDuplexStream,
  type ServiceError,
} from '@grpc/grpc-js'
import {
  FileType,
  HostServiceService,
  LiveServiceService,
  type LiveServiceServer,
  RecordingServiceService,
  type Assignment,
  type FinishInstallResponse,
  type HostServiceServer,
  type PackageFile,
  type PackageNeeds,
  type PutPackageFileRequest,
  type RunActionsRequest,
  type RunActionsResponse,
  type WatchRequest,
  type WatchResponse,
  type WipeCheck,
  WipeLevel,
} from '@phonerack/proto'
import {
  announceSchema,
  ApiError,
  connectBus,
  protocol,
  subjects,
  type Bus,
  type CustodyReport,
  type DeviceCondition,
  type DeviceLink,
  type Heartbeat,
  type Observation,
} from '@phonerack/shared'
import { type FastifyInstance } from 'fastify'
import { z } from 'zod'
import { isServiceError } from '../hosts/calls.js'
import { RecordingsDouble } from './recordings-double.js'

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

/** The calls that it answers; others are UNIMPLEMENTED. */
type Served =
  | 'startPhone'
  | 'parkPhone'
  | 'wipeDevice'
  | 'enrollDevice'
  | 'rebootPhone'
  | 'observe'
  | 'screenshot'
  | 'runActions'
  | 'getClipboard'
  | 'setClipboard'
  | 'getLocation'
  | 'setLocation'
  | 'setLocale'
  | 'writeFile'
  | 'setTimezone'
  | 'getDeviceInfo'
  | 'getLocale'
  | 'getTimezone'
  | 'readFile'
  | 'listFiles'
  | 'deleteFile'
  | 'beginInstall'
  | 'putPackageFile'
  | 'finishInstall'
  | 'listApps'
  | 'uninstallApp'

export interface AgentDouble {
  hostId: string
  devices: Map<string, DoubleDevice>
  /** The newest that was announced to it. */
  epoch: string | null
  /** False: as an agent from before custody. */
  reportsCustody: boolean
  /** Phones as the agent was asked to start, park and wipe them: `start ph_… 3`. */
  log: string[]
  onBatch: Batch
  /** Each view of a phone; left out: no picture ever comes. */
  onWatch: (call: ServerDuplexStream<WatchRequest, WatchResponse>) => void
  /** Awaited in each call of a setting or a file, by its name, before anything is done. */
  onCall: (name: string) => Promise<void>
  /** May change each message that it sends over gRPC, by the call's name. */
  onAnswer: (call: string, bytes: Buffer) => Buffer
  /** May change each heartbeat. */
  onHeartbeat: (message: Heartbeat) => unknown
  /** What its phones hold. */
  readonly held: {
    clipboard: string
    location: { latitude: number; longitude: number } | undefined
    files: string[]
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

const joinAnswer = z.object({
  host_id: z.string(),
  certificate_pem: z.string(),
  ca_pem: z.string(),
  nats_jwt: z.string(),
})

export async function startAgentDouble(options: DoubleOptions): Promise<AgentDouble> {
  const keys = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  const natsUser = createUser()
  const identity = await join(options, keys.publicKey, natsUser.getPublicKey())
  const bus = await connectBus({
    url: options.natsUrl,
    name: options.name,
    creds: new TextDecoder().decode(fmtCreds(identity.nats_jwt, natsUser)),
  })
  const agent = new Double(identity.host_id, bus, {
    ca: Buffer.from(identity.ca_pem),
    certificate: Buffer.from(identity.certificate_pem),
    key: Buffer.from(keys.privateKey),
  })
  agent.protocolVersion = protocolOf(options)
  await agent.serve()
  agent.begin(options.beatMs ?? 500)
  return agent
}

const protocolOf = ({ protocolVersion }: DoubleOptions): number | null =>
  protocolVersion === undefined ? protocol.version : protocolVersion

async function join(options: DoubleOptions, publicKey: string, nats: string) {
  const { server, operator, operatorToken, name, country = 'US' } = options
  const version = protocolOf(options)
  const headers = { authorization: `Bearer ${operatorToken}` }
  const token = await operator.inject({
    method: 'POST',
    url: '/operator/v1/hosts/join-tokens',
    headers,
    payload: {},
  })
  const answer = await server.inject({
    method: 'POST',
    url: '/host/v1/join',
    headers: version === null ? {} : { [protocol.header]: String(version) },
    payload: {
      ...token.json<{ token: string }>(),
      expires_at: undefined,
      name,
      country,
      public_key_pem: publicKey,
      nats_public_key: nats,
    },
  })
  if (answer.statusCode !== 201) throw new Error(`join: ${answer.statusCode} ${answer.body}`)
  return joinAnswer.parse(answer.json())
}

class Double implements AgentDouble {
  readonly devices = new Map<string, DoubleDevice>()
  readonly log: string[] = []
  onBatch: Batch = () => Promise.resolve()
  onCall: (name: string) => Promise<void> = () => Promise.resolve()
  onWatch: AgentDouble['onWatch'] = (call) => call.resume()
  onAnswer: AgentDouble['onAnswer'] = (_, bytes) => bytes
  onHeartbeat: AgentDouble['onHeartbeat'] = (message) => message
  readonly held: AgentDouble['held'] = {
    clipboard: '',
    location: undefined,
    files: [],
    apps: [],
    cache: new Set(),
    needs: undefined,
  }
  readonly recordings = new RecordingsDouble((name, assignment) =>
    assignment ? this.beginCall(name, assignment) : this.beginBareCall(name),
  )
  finish: Partial<FinishInstallResponse> = {}
  protocolVersion: number | null = protocol.version
  private server: Server | null = null
  private address = ''
  epoch: string | null = null
  reportsCustody = true
  private sequence = 0
  private timer: NodeJS.Timeout | null = null
  private everyMs = 500

  constructor(
    readonly hostId: string,
    private readonly bus: Bus,
    private readonly identity: { ca: Buffer; certificate: Buffer; key: Buffer },
  ) {
    bus.subscribe(subjects.announce(hostId), (message) => {
      this.epoch = announceSchema.parse(message).epoch ?? this.epoch
      if (this.timer) this.beat()
    })
  }

  begin(everyMs: number): void {
    this.everyMs = everyMs
    this.resume()
  }

  addDevice(serial: string): DoubleDevice {
    const device: DoubleDevice = {
      ...{ serial, link: 'unenrolled', fencing: 0n },
      ...{ assignment: null, dirty: true, cleanFor: '', revision: 0 },
    }
    this.devices.set(serial, device)
    this.beat()
    return device
  }

  beat(): void {
    this.sequence += 1
    const at = new Date().toISOString()
    const heartbeat: Heartbeat = {
      host_id: this.hostId,
      ...(this.protocolVersion === null ? {} : { protocol_version: this.protocolVersion }),
      sequence: this.sequence,
      at,
      version: 'double',
      address: this.address,
      load: 0,
      epoch: this.epoch,
      devices: [...this.devices.values()].map((device) => ({
        serial: device.serial,
        link: device.link,
        fencing_number: Number(device.fencing),
        maker: 'Test',
        model: 'Double',
        sdk: 30,
        reason: null,
        proof_of_life_at: at,
        ...(this.reportsCustody ? { custody: custodyOf(device) } : {}),
        ...(device.condition ? { condition: device.condition } : {}),
      })),
    }
    this.bus.publish(subjects.heartbeat(this.hostId), this.onHeartbeat(heartbeat))
  }

  pause(): void {
    if (this.timer) clearInterval(this.timer)
    this.timer = null
  }

  resume(): void {
    this.pause()
    this.beat()
    this.timer = setInterval(() => this.beat(), this.everyMs)
  }

  cutGrpc(): void {
    this.server?.forceShutdown()
    this.server = null
  }

  async serve(): Promise<void> {
    const server = new Server()
    server.addService(this.changing(HostServiceService), this.service())
    const live: LiveServiceServer = {
      watch: (call) => this.onWatch(call),
      prepare: (call, callback) =>
        answer(callback, async () => {
          await this.beginCall('prepare', call.request.assignment)
          return {}
        }),
      standBy: (call, callback) =>
        answer(callback, async () => {
          const { phoneId = '' } = call.request.assignment ?? {}
          await this.beginCall(`standBy ${phoneId}`, call.request.assignment)
          await new Promise<void>((resolve) => call.on('cancelled', resolve))
          this.log.push(`standBy ended ${phoneId}`)
          return {}
        }),
    }
    server.addService(this.changing(LiveServiceService), { ...live })
    server.addService(this.changing(RecordingServiceService), this.recordings.service())
    const { ca, certificate, key } = this.identity
    const secure = ServerCredentials.createSsl(ca, [{ cert_chain: certificate, private_key: key }], true)
    const port = await new Promise<number>((resolve, reject) =>
      server.bindAsync('127.0.0.1:0', secure, (error, bound) => (error ? reject(error) : resolve(bound))),
    )
    this.server = server
    this.address = `127.0.0.1:${port}`
    this.beat()
  }

  async stop(): Promise<void> {
    this.pause()
    this.cutGrpc()
    await this.bus.close()
  }

  /** The service with each answer through `onAnswer`. */
  private changing(service: ServiceDefinition): ServiceDefinition {
    const methods = Object.entries(service).map(([name, method]) => {
      const responseSerialize = (value: unknown): Buffer =>
        this.onAnswer(name, method.responseSerialize(value))
      return [name, { ...method, responseSerialize }] as const
    })
    return Object.fromEntries(methods)
  }

  /** As the real agent does: only the newest number, and some calls may bring it. */
  private take(assignment: Assignment | undefined, intent: 'hold' | 'use' | 'erase'): DoubleDevice {
    const device = assignment && this.devices.get(assignment.serial)
    if (!device) throw new ApiError('phone_unavailable')
    const { fencingNumber: number, phoneId } = assignment
    const refuse = (reason: string): never => {
      const current = device.fencing.toString()
      throw new ApiError('phone_unavailable', {
        message: `refused: ${reason}`,
        details: { reason, fencing_number: number.toString(), current_fencing_number: current },
      })
    }
    const held = device.assignment
    if (number < device.fencing || (number > device.fencing && intent === 'hold')) refuse('old_number')
    const isTaken = held !== null && BigInt(held.fencing_number) === number && held.phone_id !== phoneId
    if (isTaken) refuse(intent === 'hold' ? 'not_assigned' : 'number_taken')
    if (intent === 'use') {
      if (held ? held.phone_id !== phoneId : device.cleanFor === '') refuse('not_wiped')
      device.assignment = { phone_id: phoneId, fencing_number: Number(number) }
      device.dirty = true
      device.cleanFor = ''
    }
    if (intent !== 'hold') device.revision = Math.max(device.revision + 1, Date.now())
    device.fencing = number
    return device
  }

  private beginCall(name: string, assignment: Assignment | undefined): Promise<void> {
    this.take(assignment, 'hold')
    this.log.push(name)
    return this.onCall(name)
  }

  private beginBareCall(name: string): Promise<void> {
    this.log.push(name)
    return this.onCall(name)
  }

  private service(): Pick<HostServiceServer, Served> {
    return {
      startPhone: (call, callback) =>
        answer(callback, async () => {
          const device = this.take(call.request.assignment, 'use')
          this.log.push(`start ${call.request.assignment?.phoneId} ${device.fencing}`)
          await device.onStart?.()
          return { readyAt: new Date() }
        }),
      parkPhone: (call, callback) =>
        answer(callback, async () => {
          const device = this.take(call.request.assignment, 'use')
          this.log.push(`park ${call.request.assignment?.phoneId} ${device.fencing}`)
          await device.onPark?.()
          return {}
        }),
      wipeDevice: (call, callback) =>
        answer(callback, async () => {
          const device = this.take(call.request.assignment, 'erase')
          this.log.push(`wipe ${call.request.assignment?.phoneId} ${device.fencing}`)
          await device.onWipe?.()
          const checks = device.wipeChecks ?? [
            { name: 'third_party_packages', passed: true, evidence: 'none' },
          ]
          return { ...wiped(device, checks, this.reportsCustody), checks }
        }),
      enrollDevice: (call, callback) =>
        answer(callback, () => {
          const device = this.devices.get(call.request.serial)
          if (!device) throw new ApiError('phone_unavailable')
          device.fencing = call.request.fencingNumber
          device.link = 'healthy'
          const checks = device.wipeChecks ?? [
            { name: 'third_party_packages', passed: true, evidence: 'none' },
          ]
          const verdict = wiped(device, checks, this.reportsCustody)
          this.beat()
          const wipe = device.wipes === false ? '' : 'double'
          const capabilities = [
            { name: 'input', implementation: 'double', evidence: 'said so' },
            { name: 'wipe', implementation: wipe, evidence: 'said so' },
          ]
          return Promise.resolve({ ...verdict, checks, capabilities })
        }),
      observe: (call, callback) =>
        answer(callback, () => {
          this.take(call.request.assignment, 'hold')
          const snapshotId = 'snp_aaaaaaaaaaaa'
          return Promise.resolve({
            observationJson: observationJson(),
            snapshotId,
            text: 'app x',
          })
        }),
      screenshot: (call, callback) =>
        answer(callback, () => {
          this.take(call.request.assignment, 'hold')
          return Promise.resolve({
            image: Buffer.from([1, 2, 3]),
            screenWidth: 10,
            screenHeight: 20,
            scale: 1,
            secure: false,
            snapshotId: '',
          })
        }),
      rebootPhone: (call, callback) =>
        answer(callback, async () => {
          const device = this.take(call.request.assignment, 'use')
          this.log.push(`reboot ${call.request.assignment?.phoneId} ${device.fencing}`)
          await this.onCall('rebootPhone')
          return {}
        }),
      getClipboard: (call, callback) =>
        answer(callback, async () => {
          await this.beginCall('getClipboard', call.request.assignment)
          return { text: this.held.clipboard }
        }),
      setClipboard: (call, callback) =>
        answer(callback, async () => {
          await this.beginCall('setClipboard', call.request.assignment)
          this.held.clipboard = call.request.text
          return {}
        }),
      getLocation: (call, callback) =>
        answer(callback, async () => {
          await this.beginCall('getLocation', call.request.assignment)
          return { location: this.held.location }
        }),
      setLocation: (call, callback) =>
        answer(callback, async () => {
          await this.beginCall('setLocation', call.request.assignment)
          this.held.location = call.request.location
          return {}
        }),
      setTimezone: (call, callback) =>
        answer(callback, async () => {
          await this.beginCall('setTimezone', call.request.assignment)
          return { timezone: call.request.timezone }
        }),
      getDeviceInfo: (call, callback) =>
        answer(callback, async () => {
          await this.beginCall('getDeviceInfo', call.request.assignment)
          return { screenWidth: 10, screenHeight: 20, screenDensity: 160 }
        }),
      getLocale: (call, callback) =>
        answer(callback, async () => {
          await this.beginCall('getLocale', call.request.assignment)
          return { locale: 'en-US' }
        }),
      setLocale: (call, callback) =>
        answer(callback, async () => {
          await this.beginCall('setLocale', call.request.assignment)
          return { locale: call.request.locale }
        }),
      getTimezone: (call, callback) =>
        answer(callback, async () => {
          await this.beginCall('getTimezone', call.request.assignment)
          return { timezone: '' }
        }),
      readFile: (call, callback) =>
        answer(callback, async () => {
          await this.beginCall('readFile', call.request.assignment)
          return { content: Buffer.from('content') }
        }),
      writeFile: (call, callback) =>
        answer(callback, async () => {
          await this.beginCall('writeFile', call.request.assignment)
          return { size: BigInt(call.request.content.length) }
        }),
      listFiles: (call, callback) =>
        answer(callback, async () => {
          await this.beginCall('listFiles', call.request.assignment)
          const entries = this.held.files.map((name) => ({
            name,
            type: FileType.FILE_TYPE_FILE,
            size: 5n,
            modifiedAt: undefined,
          }))
          return { entries }
        }),
      deleteFile: (call, callback) =>
        answer(callback, async () => {
          await this.beginCall('deleteFile', call.request.assignment)
          const name = call.request.path.slice(call.request.path.lastIndexOf('/') + 1)
          this.held.files = this.held.files.filter((each) => each !== name)
          return {}
        }),
      beginInstall: (call, callback) =>
        answer(callback, async () => {
          await this.beginCall('beginInstall', call.request.assignment)
          this.held.needs = call.request.needs
          const wanted = call.request.files.map(({ sha256 }) => sha256)
          return {
            missingSha256: wanted.filter((sha256) => !this.held.cache.has(sha256)),
            uninstalled: call.request.replace,
          }
        }),
      putPackageFile: (call, callback) => {
        const take = async () => {
          const hash = createHash('sha256')
          let header: PackageFile | undefined
          let size = 0
          for await (const { part } of call as AsyncIterable<PutPackageFileRequest>) {
            if (part?.$case === 'header') header = part.value
            if (part?.$case !== 'chunk') continue
            if (part.value.length > 64 * 1024) throw new Error('a chunk is too large')
            size += part.value.length
            hash.update(part.value)
          }
          this.log.push('putPackageFile')
          await this.onCall('putPackageFile')
          const sha256 = hash.digest('hex')
          if (header?.sha256 !== sha256 || Number(header.size) !== size)
            throw new ApiError('provider_error', { message: 'the file is not what its header says' })
          this.held.cache.add(sha256)
          return {}
        }
        answer(callback, take)
      },
      finishInstall: (call, callback) =>
        answer(callback, async () => {
          await this.beginCall('finishInstall', call.request.assignment)
          return { succeeded: true, errorCode: '', reason: '', wasInstalled: false, ...this.finish }
        }),
      listApps: (call, callback) =>
        answer(callback, async () => {
          await this.beginCall('listApps', call.request.assignment)
          const apps = this.held.apps.map((name) => ({
            package: name,
            label: name,
            versionName: '1',
            versionCode: 1n,
            system: false,
          }))
          return { apps }
        }),
      uninstallApp: (call, callback) =>
        answer(callback, async () => {
          await this.beginCall('uninstallApp', call.request.assignment)
          this.held.apps = this.held.apps.filter((name) => name !== call.request.package)
          return {}
        }),
      runActions: (call) => {
        const run = async (): Promise<void> => {
          this.take(call.request.assignment, 'hold')
          await this.onBatch(call.request, (event) => void call.write({ event }))
          call.end()
        }
        run().catch((error: unknown) => call.emit('error', toServiceError(error)))
      },
    }
  }
}

export const custodyOf = ({ assignment, dirty, cleanFor, revision }: DoubleDevice): CustodyReport => ({
  revision,
  assignment,
  dirty,
  clean_for: cleanFor,
})

/** The record after a wipe; what its answer says. */
function wiped(device: DoubleDevice, checks: readonly WipeCheck[], knowsCustody: boolean) {
  const verified = checks.every((check) => check.passed)
  device.revision = Math.max(device.revision + 1, Date.now())
  if (verified) {
    device.assignment = null
    device.dirty = false
    device.cleanFor = device.cleansFor ?? 'anyone'
  }
  const { revision, cleanFor } = device
  if (!knowsCustody) return { verified, level: WipeLevel.WIPE_LEVEL_UNSPECIFIED, revision: 0n, cleanFor: '' }
  const level = cleanFor === 'anyone' ? WipeLevel.WIPE_LEVEL_DATA : WipeLevel.WIPE_LEVEL_PACKAGE
  return { verified, level, revision: BigInt(revision), cleanFor }
}
/** An observation of an empty screen. */
export const observationJson = (): Buffer =>
  Buffer.from(
    JSON.stringify({
      snapshot_id: 'snp_aaaaaaaaaaaa',
      taken_at: new Date().toISOString(),
      app: { package: 'x', activity: null },
      keyboard: { visible: false, focused_editable: false },
      screen: { width: 10, height: 20 },
      elements: [],
      truncated: false,
      text: 'app x',
    } satisfies Observation),
  )

export function answer<A>(callback: sendUnaryData<A>, work: () => Promise<A>): void {
  Promise.resolve()
    .then(work)
    .then(
      (value) => callback(null, value),
      (error: unknown) => callback(toServiceError(error)),
    )
}

export function toServiceError(error: unknown): ServiceError {
  if (isServiceError(error)) return error
  const message = error instanceof Error ? error.message : String(error)
  const metadata = new Metadata()
  if (error instanceof ApiError)
    metadata.set('phonerack-error-bin', Buffer.from(JSON.stringify(error.toPlain())))
  const code = error instanceof ApiError ? status.FAILED_PRECONDITION : status.UNAVAILABLE
  return Object.assign(new Error(message), { code, details: message, metadata })
}

/** What a call fails with whose trailer holds these bytes in place of the agent's error. */
export function withTrailer(bytes: Buffer, code = status.FAILED_PRECONDITION): ServiceError {
  const metadata = new Metadata()
  metadata.set('phonerack-error-bin', bytes)
  return Object.assign(new Error('refused'), { code, details: 'refused', metadata })
}
