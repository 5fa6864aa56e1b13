/** The agent's gRPC server: mutual TLS, and limits on sizes. */
import { Server, ServerCredentials } from '@grpc/grpc-js'
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
  /** The control plane's CA. */
  caPem: string
  certificatePem: string
  privateKeyPem: string
}

export interface RunningServer {
  port: number
  /** Lets calls finish for `graceMs`, then cancels them. */
  stop(graceMs: number): Promise<void>
}

export interface Handlers {
  host: HostServiceServer
  live: LiveServiceServer
  recordings: RecordingServiceServer
}

/** `listen` is `host:port`; port 0 selects a free one. */
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
  const credentials = ServerCredentials.createSsl(
    Buffer.from(tls.caPem),
    [{ cert_chain: Buffer.from(tls.certificatePem), private_key: Buffer.from(tls.privateKeyPem) }],
    true,
  )
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(listen, credentials, (error, bound) => (error ? reject(error) : resolve(bound)))
  })
  return {
    port,
    async stop(graceMs) {
      const ended = new Promise<void>((resolve) => server.tryShutdown(() => resolve()))
      try {
        await Progress.for(graceMs).race('calls to end', () => ended)
      } catch (error) {
        if (!(error instanceof DeadlineExceeded)) throw error
        server.forceShutdown()
      }
    },
  }
}
