/** The agent's gRPC server: mutual TLS, and limits on sizes. */
import { experimental, Server } from '@grpc/grpc-js'
import {
  HostServiceService,
  LiveServiceService,
  RecordingServiceService,
  type HostServiceServer,
  type LiveServiceServer,
  type RecordingServiceServer,
} from '@phonerack/proto'
import { DeadlineExceeded, keepalive, Progress } from '@phonerack/shared'

const maxMessage = 16 << 20

export interface TlsFiles {
  /** The authorities of the control plane's certificates. */
  caPem: string
  certificatePem: string
  privateKeyPem: string
}

interface RunningServer {
  port: number
  /** Uses other certificates for new connections. Existing connections keep the earlier certificates. */
  useCertificate(tls: TlsFiles): void
  /** Lets calls finish for `graceMs`, then cancels them. */
  stop(graceMs: number): Promise<void>
}

export interface Handlers {
  host: HostServiceServer
  live: LiveServiceServer
  recordings: RecordingServiceServer
}

type IdentityListener = experimental.IdentityCertificateUpdateListener
type CaListener = experimental.CaCertificateUpdateListener

/** Hands the certificates to grpc-js, which replaces the secure context of its TLS server. */
class Certificates implements experimental.CertificateProvider {
  private readonly listeners = new Set<IdentityListener>()
  private readonly caListeners = new Set<CaListener>()

  constructor(private tls: TlsFiles) {}

  use(tls: TlsFiles): void {
    this.tls = tls
    for (const listener of this.caListeners) listener(this.ca)
    for (const listener of this.listeners) listener(this.identity)
  }

  private get identity() {
    const { certificatePem, privateKeyPem } = this.tls
    return { certificate: Buffer.from(certificatePem), privateKey: Buffer.from(privateKeyPem) }
  }

  private get ca() {
    return { caCertificate: Buffer.from(this.tls.caPem) }
  }

  // If a listener is called while it is added, the server does not notice.
  addCaCertificateListener(listener: CaListener): void {
    this.caListeners.add(listener)
    queueMicrotask(() => listener(this.ca))
  }

  removeCaCertificateListener(listener: CaListener): void {
    this.caListeners.delete(listener)
  }

  addIdentityCertificateListener(listener: IdentityListener): void {
    this.listeners.add(listener)
    queueMicrotask(() => listener(this.identity))
  }

  removeIdentityCertificateListener(listener: IdentityListener): void {
    this.listeners.delete(listener)
  }
}

/** `listen` is `host:port`, where port 0 selects a free port, or `unix:` and an absolute path. */
export async function startGrpcServer(
  listen: string,
  tls: TlsFiles,
  handlers: Handlers,
): Promise<RunningServer> {
  const server = new Server({
    'grpc.max_receive_message_length': maxMessage,
    'grpc.max_send_message_length': maxMessage,
    ...keepalive,
  })
  server.addService(HostServiceService, handlers.host)
  server.addService(LiveServiceService, handlers.live)
  server.addService(RecordingServiceService, handlers.recordings)
  const certificates = new Certificates(tls)
  const credentials = experimental.createCertificateProviderServerCredentials(
    certificates,
    certificates,
    true,
  )
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(listen, credentials, (error, bound) => (error ? reject(error) : resolve(bound)))
  })
  return {
    port,
    useCertificate: (renewed) => certificates.use(renewed),
    async stop(graceMs) {
      const ended = new Promise<void>((resolve) => server.tryShutdown(() => resolve()))
      try {
        await Progress.for(graceMs).race('the end of the calls', () => ended)
      } catch (error) {
        if (!(error instanceof DeadlineExceeded)) throw error
        server.forceShutdown()
      }
    },
  }
}
