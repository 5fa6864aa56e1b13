/** For tests: a viewer of a phone through the agent's LiveService, like the control plane. */
import { credentials, Metadata, type ClientDuplexStream, type ServiceError } from '@grpc/grpc-js'
import {
  LiveServiceClient,
  type Assignment,
  type VideoConfig,
  type WatchRequest,
  type WatchResponse,
  type WatchState,
} from '@phonerack/proto'
import { controlPlaneIdentity } from '../service/grpc/call.js'
import { serverName, type TestHost } from './agent.js'
import { toCallFailed, type CallFailed } from './client.js'
import { until } from './until.js'

export interface Seen {
  config: VideoConfig
  /** Whole access units, in order. */
  frames: { data: Buffer; ptsUs: bigint; isKeyFrame: boolean }[]
}

export class LiveView {
  /** The frames, grouped by configuration. */
  readonly seen: Seen[] = []
  readonly states: WatchState[] = []
  /** The end of the stream; null while it is open. */
  end: CallFailed | 'ended' | null = null
  largestMessage = 0
  private parts: Buffer[] = []

  constructor(private readonly stream: ClientDuplexStream<WatchRequest, WatchResponse>) {
    stream.on('data', (message: WatchResponse) => this.take(message))
    stream.on('error', (error: ServiceError) => (this.end ??= toCallFailed(error)))
    stream.on('end', () => (this.end ??= 'ended'))
  }

  private take({ event }: WatchResponse): void {
    if (event?.$case === 'config') this.seen.push({ config: event.value, frames: [] })
    if (event?.$case === 'state') this.states.push(event.value)
    if (event?.$case !== 'frame') return
    const { data, ptsUs, keyFrame, last } = event.value
    this.largestMessage = Math.max(this.largestMessage, data.length)
    this.parts.push(data)
    if (!last) return
    this.seen.at(-1)?.frames.push({ data: Buffer.concat(this.parts), ptsUs, isKeyFrame: keyFrame })
    this.parts = []
  }

  get frames(): Seen['frames'] {
    return this.seen.flatMap(({ frames }) => frames)
  }

  get keyFrames(): number {
    return this.frames.filter(({ isKeyFrame }) => isKeyFrame).length
  }

  get state(): WatchState | undefined {
    return this.states.at(-1)
  }

  send(event: NonNullable<WatchRequest['event']>): void {
    this.stream.write({ event })
  }

  touch(phase: 1 | 2 | 3 | 4, x: number, y: number, pointer = 0): void {
    this.send({ $case: 'touch', value: { phase, pointer, x, y } })
  }

  tap(x: number, y: number): void {
    this.touch(1, x, y)
    this.touch(3, x, y)
  }

  pause(): void {
    this.stream.pause()
  }

  resume(): void {
    this.stream.resume()
  }

  async leave(): Promise<void> {
    this.stream.end()
    await until(() => this.end !== null, 60_000, 'the end of the view')
  }

  cancel(): void {
    this.stream.cancel()
  }
}

export interface LiveClient {
  open(assignment: Assignment | undefined, control: boolean): LiveView
  /** Keeps the phone filming; returns a function that ends it. */
  prepare(assignment: Assignment): () => void
  /** Keeps the phone ready to film; returns a function that ends it. */
  standBy(assignment: Assignment): () => void
  /** Opens a stream without a first message. */
  raw(): LiveView
  close(): void
}

const long = () => ({ deadline: Date.now() + 300_000 })

export async function createLiveClient({
  agent,
  ca,
}: Pick<TestHost, 'ca'> & { agent: Pick<TestHost['agent'], 'grpcPort'> }): Promise<LiveClient> {
  const { privateKeyPem, certificatePem } = await ca.issue({ uri: controlPlaneIdentity }, 'client')
  const channel = credentials.createSsl(
    Buffer.from(ca.caPem),
    Buffer.from(privateKeyPem),
    Buffer.from(certificatePem),
  )
  const client = new LiveServiceClient(`127.0.0.1:${agent.grpcPort}`, channel, {
    'grpc.ssl_target_name_override': serverName,
  })
  const raw = () => new LiveView(client.watch({ deadline: Date.now() + 300_000 }))
  return {
    raw,
    open(assignment, control) {
      const view = raw()
      view.send({ $case: 'open', value: { assignment, control } })
      return view
    },
    prepare(assignment) {
      const call = client.prepare({ assignment }, new Metadata(), long(), () => undefined)
      return () => call.cancel()
    },
    standBy(assignment) {
      const call = client.standBy({ assignment }, new Metadata(), long(), () => undefined)
      return () => call.cancel()
    },
    close: () => client.close(),
  }
}
