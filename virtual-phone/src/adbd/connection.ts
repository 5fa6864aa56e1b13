/**
 * One host connected to the phone's adbd: the handshake, and the table of streams. The caller defines the
 * services (`services.ts`). Source: AOSP `adb.cpp` (`handle_packet`) and `sockets.cpp`.
 */
import { randomBytes } from 'node:crypto'
import { Socket } from 'node:net'
import type { Duplex as Line } from 'node:stream'
import type { Duplex } from '../android/streams.js'
import { type AdbKeys, authKind, tokenBytes } from './auth.js'
import {
  command,
  encodeHeader,
  maxPayloadBytes,
  type Packet,
  PacketReader,
  versionMin,
  versionSkipChecksum,
} from './packet.js'
import { AdbStream, receiveWindowBytes, type StreamLink } from './stream.js'

/** The content of `features=`. Each feature is implemented and tested. */
export const features = [
  'shell_v2',
  'cmd',
  'stat_v2',
  'ls_v2',
  'fixed_push_mkdir',
  'sendrecv_v2',
  'delayed_ack',
  'abb',
  'abb_exec',
] as const

/** Serves a stream, which ends when the promise settles. */
export type ServiceHandler = (stream: Duplex) => Promise<void>

export interface ConnectionOptions {
  /** `device::ro.product.name=…;…;` without `features=`. */
  banner: string
  features: readonly string[]
  keys: AdbKeys
  /** Returns the handler of service `name` (without the closing NUL); null refuses the stream. */
  openService: (name: string, connection: Connection) => Promise<ServiceHandler | null>
  /** The host broke the protocol, or a service failed unexpectedly. */
  onFault: (error: unknown, what: string) => void
}

export class Connection implements StreamLink {
  maxPayload = 4096
  delayedAck = false
  private version = versionMin
  private online = false
  private nextId = 1
  private readonly streams = new Map<number, AdbStream>()
  private readonly opening = new Map<number, (accepted: boolean) => void>()
  private ended = false
  /** The token for the host to sign; null once the host is accepted, or before the host asks. */
  private token: Buffer | null = null
  private takeQuestionBack: (() => void) | null = null

  constructor(
    private readonly socket: Line,
    private readonly options: ConnectionOptions,
  ) {
    if (socket instanceof Socket) socket.setNoDelay(true)
    // Each stream that waits for buffer space adds a listener, so the limit is lifted.
    socket.setMaxListeners(0)
    const reader = new PacketReader(() => this.version < versionSkipChecksum)
    socket.on('data', (chunk: Buffer) => {
      try {
        for (const packet of reader.push(chunk)) this.handle(packet)
      } catch (error) {
        options.onFault(error, 'connection')
        this.close()
      }
    })
    socket.on('error', () => this.close())
    socket.on('close', () => this.close())
  }

  /** Ends the connection and all of its streams immediately. */
  close(): void {
    if (this.ended) return
    this.ended = true
    this.takeQuestionBack?.()
    this.dropStreams()
    this.socket.destroy()
  }

  /** Closes the connection after the written data was sent. */
  endSoon(): void {
    this.socket.end()
  }

  /** Opens a stream to the host (`adb reverse`). Rejects with `refused` if the host refuses it. */
  async open(service: string, refused: Error): Promise<Duplex> {
    if (this.ended) throw refused
    const stream = new AdbStream(this, this.nextId++, 0, 0)
    this.streams.set(stream.localId, stream)
    const accepted = new Promise<boolean>((resolve) => this.opening.set(stream.localId, resolve))
    const window = this.delayedAck ? receiveWindowBytes : 0
    this.send(command.open, stream.localId, window, Buffer.from(`${service}\0`))
    if (!(await accepted)) throw refused
    return stream
  }

  async sendWrite(stream: AdbStream, payload: Buffer): Promise<void> {
    if (!this.send(command.wrte, stream.localId, stream.remoteId, payload) && !this.ended) {
      await new Promise<void>((resolve) => {
        const done = () => {
          this.socket.off('drain', done)
          this.socket.off('close', done)
          resolve()
        }
        this.socket.on('drain', done)
        this.socket.on('close', done)
      })
    }
  }

  sendOkay(stream: AdbStream, takenBytes: number): void {
    const payload = this.delayedAck ? Buffer.alloc(4) : Buffer.alloc(0)
    if (this.delayedAck) payload.writeInt32LE(takenBytes, 0)
    this.send(command.okay, stream.localId, stream.remoteId, payload)
  }

  sendClose(stream: AdbStream): void {
    this.streams.delete(stream.localId)
    this.send(command.clse, stream.localId, stream.remoteId)
  }

  /** False when the socket's buffer is full. */
  private send(code: number, arg0: number, arg1: number, payload: Buffer = Buffer.alloc(0)): boolean {
    if (this.ended) return true
    const header = encodeHeader({ command: code, arg0, arg1, payload }, this.version < versionSkipChecksum)
    this.socket.cork()
    let room = this.socket.write(header)
    if (payload.length > 0) room = this.socket.write(payload)
    this.socket.uncork()
    return room
  }

  private handle(packet: Packet): void {
    if (packet.command === command.cnxn) return this.connect(packet)
    if (packet.command === command.auth) return this.authenticate(packet)
    // Ignores every other message before the handshake, and unknown commands, as adbd does.
    if (!this.online) return
    const stream = this.streams.get(packet.arg1)
    switch (packet.command) {
      case command.open:
        void this.accept(packet)
        return
      case command.okay:
        if (stream !== undefined) this.okay(stream, packet)
        return
      case command.wrte:
        stream?.receive(packet.payload)
        return
      case command.clse:
        if (stream !== undefined) this.closedByHost(stream)
        return
    }
  }

  private connect(packet: Packet): void {
    this.dropStreams()
    this.version = Math.min(packet.arg0, versionSkipChecksum)
    this.maxPayload = Math.min(packet.arg1, maxPayloadBytes)
    const theirs = bannerFeatures(packet.payload.toString('latin1'))
    this.delayedAck = theirs.includes('delayed_ack') && this.options.features.includes('delayed_ack')
    this.online = false
    if (this.options.keys.required) this.challenge()
    else this.letIn()
  }

  /** Creates a new token to sign. */
  private challenge(): void {
    this.token = randomBytes(tokenBytes)
    this.send(command.auth, authKind.token, 0, this.token)
  }

  /** A signature by an unknown key gets another token, until the host sends its key, as in adbd. */
  private authenticate(packet: Packet): void {
    const { token, options } = this
    if (token === null) return
    if (packet.arg0 === authKind.signature) {
      if (options.keys.verify(token, packet.payload)) this.letIn()
      else this.challenge()
    } else if (packet.arg0 === authKind.rsaPublicKey) {
      this.takeQuestionBack?.()
      const line = packet.payload.toString('latin1').replace(/\0+$/, '')
      this.takeQuestionBack = options.keys.ask(line, (allowed) => {
        if (allowed) this.letIn()
      })
    }
  }

  private letIn(): void {
    this.takeQuestionBack?.()
    this.token = null
    this.online = true
    const banner = `${this.options.banner}features=${this.options.features.join(',')}`
    this.send(command.cnxn, versionSkipChecksum, maxPayloadBytes, Buffer.from(banner))
  }

  private async accept(packet: Packet): Promise<void> {
    const name = packet.payload.toString('latin1').replace(/\0+$/, '')
    const handler = await this.options.openService(name, this).catch((error: unknown) => {
      this.options.onFault(error, name)
      return null
    })
    if (handler === null) {
      this.send(command.clse, 0, packet.arg0)
      return
    }
    if (this.ended) return
    const stream = new AdbStream(this, this.nextId++, packet.arg0, this.delayedAck ? packet.arg1 : 1)
    this.streams.set(stream.localId, stream)
    this.sendOkay(stream, receiveWindowBytes)
    await handler(stream)
      .catch((error: unknown) => {
        if (!(error instanceof Error && error.name === 'BrokenPipe')) this.options.onFault(error, name)
      })
      .finally(() => stream.close())
  }

  private okay(stream: AdbStream, packet: Packet): void {
    const opening = this.opening.get(stream.localId)
    if (opening === undefined) return stream.grant(packet.payload)
    this.opening.delete(stream.localId)
    stream.remoteId = packet.arg0
    stream.grant(packet.payload)
    opening(true)
  }

  private closedByHost(stream: AdbStream): void {
    this.streams.delete(stream.localId)
    const opening = this.opening.get(stream.localId)
    this.opening.delete(stream.localId)
    opening?.(false)
    if (opening === undefined) this.send(command.clse, stream.localId, stream.remoteId)
    stream.drop()
  }

  private dropStreams(): void {
    for (const stream of this.streams.values()) stream.abandon()
    this.streams.clear()
    for (const opening of this.opening.values()) opening(false)
    this.opening.clear()
  }
}

function bannerFeatures(banner: string): string[] {
  const properties = banner.replace(/\0+$/, '').split('::')[1] ?? ''
  const entry = properties.split(';').find((property) => property.startsWith('features='))
  return entry?.slice('features='.length).split(',') ?? []
}
