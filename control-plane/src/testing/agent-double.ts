/**
 * A test double of the host agent. It joins over HTTP, has a real identity, speaks the real proto over real
 * mutual TLS and sends real heartbeats over the real broker, but has no phones. Used only by tests of the
 * control plane. Its calls are in `agent-double/`, by subject.
 */
import { generateKeyPairSync } from 'node:crypto'
import { Server, type ServiceDefinition } from '@grpc/grpc-js'
import { createUser, fmtCreds } from '@nats-io/jwt'
import {
  HostServiceService,
  LiveServiceService,
  RecordingServiceService,
  type Assignment,
} from '@phonerack/proto'
import { announceSchema, openBus, protocol, subjects, type Bus, type Heartbeat } from '@phonerack/shared'
import { appsCalls } from './agent-double/apps.js'
import { DoubleCertificates, renewalCalls } from './agent-double/certificates.js'
import { custodyOf, takeDevice } from './agent-double/custody.js'
import { filesCalls } from './agent-double/files.js'
import { type Inside } from './agent-double/inside.js'
import { join, protocolOf } from './agent-double/join.js'
import { lifecycleCalls } from './agent-double/lifecycle.js'
import { claimOf, moveCalls } from './agent-double/moves.js'
import { liveCalls } from './agent-double/live.js'
import { RecordingsDouble } from './agent-double/recordings.js'
import { completeBatch, oneThumbnail, screenCalls } from './agent-double/screen.js'
import { reportsCalls, shownNotification } from './agent-double/reports.js'
import { settingsCalls } from './agent-double/settings.js'
import { type AgentDouble, type Batch, type DoubleDevice, type DoubleOptions } from './agent-double/types.js'

export { toServiceError, withTrailer } from './agent-double/answers.js'
export { custodyOf } from './agent-double/custody.js'
export { observationJson } from './agent-double/screen.js'
export { type AgentDouble, type DoubleDevice, type DoubleOptions } from './agent-double/types.js'

export async function startAgentDouble(options: DoubleOptions): Promise<AgentDouble> {
  const keys = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  const natsUser = createUser()
  const identity = await join(options, keys.publicKey, natsUser.getPublicKey())
  const certificates = new DoubleCertificates({
    ca: Buffer.from(identity.ca_pem),
    certificate: Buffer.from(identity.certificate_pem),
    key: Buffer.from(keys.privateKey),
  })
  const bus = await openBus({
    waitMs: 60_000,
    url: options.natsUrl,
    name: options.name,
    authorities: () => [certificates.authorities],
    creds: new TextDecoder().decode(fmtCreds(identity.nats_jwt, natsUser)),
  })
  const agent = new Double(identity.host_id, identity.join_id, bus, certificates)
  agent.protocolVersion = protocolOf(options)
  await agent.serve()
  agent.begin(options.beatMs ?? 500)
  return agent
}

class Double implements Inside {
  readonly devices = new Map<string, DoubleDevice>()
  readonly log: string[] = []
  onBatch: Batch = completeBatch
  onGuardedBatch: Batch = completeBatch
  onCall: (name: string) => Promise<void> = () => Promise.resolve()
  onWatch: AgentDouble['onWatch'] = (call) => call.resume()
  onAnswer: AgentDouble['onAnswer'] = (_, bytes) => bytes
  onHeartbeat: AgentDouble['onHeartbeat'] = (message) => message
  readonly held: AgentDouble['held'] = {
    notifications: [shownNotification],
    clipboard: '',
    location: undefined,
    locale: 'en-US',
    timezone: '',
    device: {},
    files: [],
    contents: new Map(),
    apps: [],
    labels: new Map(),
    cache: new Set(),
    needs: undefined,
  }
  readonly recordings = new RecordingsDouble((name, assignment) =>
    assignment ? this.beginCall(name, assignment) : this.beginBareCall(name),
  )
  finish: AgentDouble['finish'] = {}
  picture: AgentDouble['picture'] = {}
  onThumbnail: AgentDouble['onThumbnail'] = oneThumbnail
  protocolVersion: number | null = protocol.version
  private server: Server | null = null
  private address = ''
  epoch: string | null = null
  readonly acknowledged: string[] = []
  reportsCustody = true
  private sequence = 0
  private timer: NodeJS.Timeout | null = null
  private everyMs = 500

  constructor(
    readonly hostId: string,
    public joinId: string | null,
    private readonly bus: Bus,
    readonly certificates: DoubleCertificates,
  ) {
    bus.subscribe(subjects.announce({ hostId, joinId }), (message) => {
      const { epoch, tunnel, acknowledged } = announceSchema.parse(message)
      if (acknowledged) return void this.acknowledged.push(...acknowledged)
      this.epoch = epoch ?? this.epoch
      if (this.timer && !tunnel) this.beat()
    })
  }

  begin(everyMs: number): void {
    this.everyMs = everyMs
    this.resume()
  }

  addDevice(serial: string): DoubleDevice {
    const device: DoubleDevice = {
      serial,
      link: 'unenrolled',
      fencing: 0n,
      assignment: null,
      dirty: true,
      cleanFor: '',
      revision: 0,
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
      certificate: this.certificates.fingerprint,
      trust: this.certificates.trusted,
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
        ...claimOf(device),
        ...(device.condition ? { condition: device.condition } : {}),
      })),
    }
    this.bus.publish(subjects.heartbeat(this), this.onHeartbeat(heartbeat))
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
    server.addService(this.changing(HostServiceService), hostCalls(this))
    server.addService(this.changing(LiveServiceService), { ...liveCalls(this) })
    server.addService(this.changing(RecordingServiceService), this.recordings.service())
    const secure = this.certificates.credentials()
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

  /** The service. `onAnswer` may change each response. */
  private changing(service: ServiceDefinition): ServiceDefinition {
    const methods = Object.entries(service).map(([name, method]) => {
      const responseSerialize = (value: unknown): Buffer =>
        this.onAnswer(name, method.responseSerialize(value))
      return [name, { ...method, responseSerialize }] as const
    })
    return Object.fromEntries(methods)
  }

  take(assignment: Assignment | undefined, intent: 'hold' | 'use' | 'erase'): DoubleDevice {
    return takeDevice(this.devices, assignment, intent)
  }

  beginCall(name: string, assignment: Assignment | undefined): Promise<void> {
    this.take(assignment, 'hold')
    return this.beginBareCall(name)
  }

  private beginBareCall(name: string): Promise<void> {
    this.log.push(name)
    return this.onCall(name)
  }
}

/** Other calls are UNIMPLEMENTED. */
const hostCalls = (agent: Double) => ({
  ...renewalCalls(agent.certificates, () => agent.beat()),
  ...lifecycleCalls(agent),
  ...moveCalls(agent),
  ...screenCalls(agent),
  ...settingsCalls(agent),
  ...reportsCalls(agent),
  ...filesCalls(agent),
  ...appsCalls(agent),
})
