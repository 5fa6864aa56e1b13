/**
 * gRPC clients of the hosts: one channel per host with mutual TLS, kept while the address stays the same. The address
 * comes from heartbeats and is not trusted: the host must present the certificate of its ID.
 */
import { checkServerIdentity } from 'node:tls'
import {
  connectivityState,
  experimental,
  InterceptingCall,
  status,
  type ChannelCredentials,
  type Interceptor,
} from '@grpc/grpc-js'
import { type HostServiceClient, type LiveServiceClient, type RecordingServiceClient } from '@phonerack/proto'
import { dialledAddress, keepalive, ownNow, protocol, type Logger } from '@phonerack/shared'
import { type Authorities } from '../../base/pki/authorities.js'
import { type Credentials, hostDnsName } from '../../base/pki/authority.js'
import { countHostCall } from '../../base/metrics/instruments.js'
import { channelTarget } from './address.js'
import { checkedClients } from './answers/client.js'
import { Breaker } from './breaker.js'
import { OwnCertificate } from './own-certificate.js'
import { traced } from './traced.js'

/** The address of a host, and the certificate that it must present. */
export interface HostAddress {
  /** `host:port`, or `dialledAddress`; comes from a heartbeat. */
  address: string
  /** SHA-256 of the certificate; null accepts any certificate of the host's ID. */
  certificateFingerprint: string | null
  /** SHA-256 of the next certificate, which is also accepted; null or omitted if there is none. */
  nextCertificateFingerprint?: string | null
  /** The ID of the host's last join. When it changes, connections to the earlier machine end. */
  joinId?: string | null
}

/** The certificates that the next handshake of a connection accepts. */
interface Certificates {
  accepted: Omit<HostAddress, 'address'>
}

const isAccepted = (
  { certificateFingerprint: current, nextCertificateFingerprint: next }: Certificates['accepted'],
  fingerprint: string,
): boolean => current === null || fingerprint === current || fingerprint === next

/** Limit of a message: a screen (4 MB) with its envelope. */
const maxMessageBytes = 8_000_000

/** A target without endpoints, which needs no DNS query: each call ends with UNAVAILABLE. */
const noTarget = 'ipv4:none'

const retiredText = 'the host is retired'

const noTargetText = (address: string): string =>
  address === dialledAddress
    ? 'the host opens tunnels, and this replica has no listener for them: set PHONERACK_TUNNEL_LISTEN'
    : 'the stored address of the host is not `host:port`'

type RunningCalls = Set<InterceptingCall>

interface OpenConnection extends HostConnection {
  address: string
  certificates: Certificates
  calls: RunningCalls
}

export interface HostConnection {
  client: HostServiceClient
  /** Uses a separate connection, so that video does not delay requests. */
  live: LiveServiceClient
  /** Uses the channel of `client`. */
  recordings: RecordingServiceClient
  breaker: Breaker
  /** Why a connection is impossible; null if it is possible. */
  fault: string | null
  /** Resolves to true if the channel connects within `ms`, else to false. Sends nothing. */
  ready(ms: number): Promise<boolean>
}

export interface HostTunnels {
  /** Returns the path of the Unix socket that leads to a host. */
  socketOf(hostId: string): string
  /** Ends the tunnel and the connections of a host. */
  drop(hostId: string): void
}

export class HostClients {
  private readonly open = new Map<string, OpenConnection>()
  private readonly ends = new Map<string, Date>()
  private readonly retired = new Set<string>()

  private readonly own: OwnCertificate

  private tunnels: HostTunnels | null = null

  /** @param own the first client certificate of this replica */
  constructor(
    own: Credentials,
    private readonly log: Logger,
  ) {
    this.own = new OwnCertificate(own)
  }

  /** Sets the tunnels for hosts with `dialledAddress`. */
  useTunnels(tunnels: HostTunnels): void {
    this.tunnels = tunnels
  }

  /** The time at which this replica's client certificate expires. */
  get ownCertificateEnds(): Date {
    return this.own.endsAt
  }

  /** Replaces this replica's client certificate after two thirds of its life, or when the authorities have changed. */
  async renewOwn(authority: Pick<Authorities, 'issueClient' | 'caPem'>, now: Date): Promise<void> {
    if (!this.own.isDue(now, authority.caPem)) return
    this.own.use(await authority.issueClient())
    this.log.info({ expires: this.own.endsAt }, 'renewed the client certificate of this replica')
  }

  to(hostId: string, { address, ...accepted }: HostAddress): HostConnection {
    const known = this.open.get(hostId)
    // An open connection to the same machine stays in use when its certificate is renewed.
    if (known?.address === address && known.certificates.accepted.joinId === accepted.joinId) {
      const { certificateFingerprint: before } = known.certificates.accepted
      // The host no longer uses the certificate of the last handshake.
      if (before !== accepted.certificateFingerprint) this.ends.delete(hostId)
      known.certificates.accepted = accepted
      return known
    }
    if (known) end(known)
    const certificates = { accepted }
    const secured = credentialsFor(this.own, certificates, {
      isRetired: () => this.isRetired(hostId),
      note: (ends) => this.ends.set(hostId, ends),
    })
    const connection = { address, certificates, ...this.connect(hostId, address, secured) }
    this.open.set(hostId, connection)
    return connection
  }

  /** By host ID: the time at which the last presented certificate expires. */
  get certificateEnds(): ReadonlyMap<string, Date> {
    return this.ends
  }

  /** True: this host must not be called, and its messages must be ignored. */
  isRetired(hostId: string): boolean {
    return this.retired.has(hostId)
  }

  /** Cancels the host's running calls, closes its connections, and opens no others. */
  retire(hostId: string): void {
    if (this.retired.has(hostId)) return
    this.retired.add(hostId)
    this.ends.delete(hostId)
    this.tunnels?.drop(hostId)
    const known = this.open.get(hostId)
    if (!known) return
    this.open.delete(hostId)
    end(known)
    for (const call of [...known.calls]) call.cancelWithStatus(status.UNAVAILABLE, retiredText)
  }

  close(): void {
    for (const connection of this.open.values()) end(connection)
    this.open.clear()
  }

  private targetOf(hostId: string, address: string): string | null {
    if (address !== dialledAddress) return channelTarget(address)
    return this.tunnels === null ? null : `unix:${this.tunnels.socketOf(hostId)}`
  }

  private connect(hostId: string, address: string, secured: ChannelCredentials) {
    const name = hostDnsName(hostId)
    const calls: RunningCalls = new Set()
    const options = {
      'grpc.ssl_target_name_override': name,
      'grpc.default_authority': name,
      'grpc.max_receive_message_length': maxMessageBytes,
      ...keepalive,
      'grpc.initial_reconnect_backoff_ms': 200,
      'grpc.max_reconnect_backoff_ms': 2000,
      interceptors: [traced(hostId), sayProtocol, measure, remember(calls)],
      // A retry by gRPC would hide whether bytes of the call may have been sent.
      'grpc.enable_retries': 0,
      // A host's DNS records must not configure our calls.
      'grpc.service_config_disable_resolution': 1,
      // Hosts that had the same address must not share channels.
      'grpc.use_local_subchannel_pool': 1,
    }
    const checked = checkedClients((call, where) =>
      this.log.warn({ host: hostId, call, where }, 'a host sent a response that does not match its schema'),
    )
    const isRetired = this.retired.has(hostId)
    const target = isRetired ? null : this.targetOf(hostId, address)
    const fault = isRetired ? retiredText : target === null ? noTargetText(address) : null
    if (fault !== null && !isRetired) this.log.error({ host: hostId, address }, fault)
    const client = new checked.Host(target ?? noTarget, secured, options)
    const live = new checked.Live(target ?? noTarget, secured, options)
    const recordings = new checked.Recording(target ?? noTarget, secured, {
      ...options,
      channelOverride: client.getChannel(),
    })
    const ready = (ms: number) =>
      fault === null && !this.retired.has(hostId) ? isReady(client, ms) : Promise.resolve(false)
    return { client, live, recordings, breaker: new Breaker(), fault, ready, calls }
  }
}

interface Handshake {
  isRetired: () => boolean
  /** Called with the expiry of each accepted certificate. */
  note: (ends: Date) => void
}

const credentialsFor = (
  own: OwnCertificate,
  certificates: Certificates,
  { isRetired, note }: Handshake,
): ChannelCredentials =>
  experimental.createCertificateProviderChannelCredentials(own, own, {
    // This function replaces Node's check of the name, so it also checks the name.
    checkServerIdentity(name, certificate) {
      const fault = checkServerIdentity(name, certificate)
      if (fault) return fault
      if (isRetired()) return new Error(retiredText)
      if (!isAccepted(certificates.accepted, certificate.fingerprint256))
        return new Error('the host presents an earlier certificate of its ID')
      note(new Date(certificate.valid_to))
      return undefined
    },
  })

/** Keeps the running calls of a host, so that `retire` can cancel them. */
const remember =
  (calls: RunningCalls): Interceptor =>
  (options, nextCall) => {
    const call = new InterceptingCall(nextCall(options), {
      start(metadata, _listener, next) {
        calls.add(call)
        next(metadata, {
          onReceiveStatus(ended, nextStatus) {
            calls.delete(call)
            nextStatus(ended)
          },
        })
      },
    })
    return call
  }

/** Adds the protocol version of this release to every call. */
const sayProtocol: Interceptor = (options, nextCall) =>
  new InterceptingCall(nextCall(options), {
    start(metadata, listener, next) {
      metadata.set(protocol.header, String(protocol.version))
      next(metadata, listener)
    },
  })

/** Names by status code. A host may send any number. */
const statusNames: Partial<Record<number, string>> = status

/** Measures each call that ends by itself. A live view does not, since it lasts as long as its viewer stays. */
const measure: Interceptor = (options, nextCall) =>
  new InterceptingCall(nextCall(options), {
    start(metadata, listener, next) {
      const { path, requestStream } = options.method_definition
      if (requestStream) return next(metadata, listener)
      const startedAt = performance.now()
      next(metadata, {
        onReceiveStatus(ended, pass) {
          const name = path.slice(path.lastIndexOf('/') + 1)
          countHostCall(name, statusNames[ended.code] ?? 'UNKNOWN', (performance.now() - startedAt) / 1000)
          pass(ended)
        },
      })
    },
  })

function end({ client, live }: HostConnection): void {
  client.close()
  live.close()
}

function isReady(client: HostServiceClient, ms: number): Promise<boolean> {
  if (client.getChannel().getConnectivityState(true) === connectivityState.READY) return Promise.resolve(true)
  const until = ownNow() + ms
  return new Promise((resolve) => {
    const wait = (left: number) =>
      client.waitForReady(Date.now() + left, (error) => {
        // The process was paused, so the connection had less time than the clock shows.
        const more = Math.ceil(until - ownNow())
        if (
          error &&
          more > 0 &&
          client.getChannel().getConnectivityState(false) !== connectivityState.SHUTDOWN
        )
          wait(more)
        else resolve(!error)
      })
    wait(ms)
  })
}
