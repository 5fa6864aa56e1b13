/** A host that implements the ADB transport byte by byte, for cases that the installed adb cannot produce: old protocol, delayed_ack, invalid packets. */
import { connect, type Socket } from 'node:net'
import { command, encodeHeader, type Packet, PacketReader } from '../adbd/packet.js'

export class RawHost {
  readonly packets: Packet[] = []
  ended = false
  private wake: (() => void)[] = []

  private constructor(
    readonly socket: Socket,
    version: number,
    private readonly sums: boolean,
  ) {
    const reader = new PacketReader(() => version < 0x01000001)
    socket.on('data', (chunk: Buffer) => {
      this.packets.push(...reader.push(chunk))
      this.notify()
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      this.ended = true
      this.notify()
    })
  }

  static async connect(
    port: number,
    how: { version?: number; features?: string; maxPayload?: number; sums?: boolean } = {},
  ): Promise<RawHost> {
    const socket = connect(port, '127.0.0.1')
    await new Promise((resolve) => socket.once('connect', resolve))
    const version = how.version ?? 0x01000001
    const host = new RawHost(socket, version, how.sums ?? true)
    host.send(
      command.cnxn,
      version,
      how.maxPayload ?? 1024 * 1024,
      Buffer.from(`host::features=${how.features ?? ''}`),
    )
    await host.next(command.cnxn)
    return host
  }

  send(code: number, arg0: number, arg1: number, payload: Buffer | string = ''): void {
    const packet = { command: code, arg0, arg1, payload: Buffer.from(payload) }
    this.socket.write(Buffer.concat([encodeHeader(packet, this.sums), packet.payload]))
  }

  /** Waits for the next packet of this kind, and removes it. */
  async next(code: number): Promise<Packet> {
    for (;;) {
      const at = this.packets.findIndex((packet) => packet.command === code)
      const found = this.packets[at]
      if (found !== undefined) {
        this.packets.splice(at, 1)
        return found
      }
      if (this.ended) throw new Error('the phone ended the connection')
      await new Promise<void>((resolve) => this.wake.push(resolve))
    }
  }

  /** Waits until the phone ends the connection. */
  async end(): Promise<void> {
    while (!this.ended) await new Promise<void>((resolve) => this.wake.push(resolve))
  }

  close(): void {
    this.socket.destroy()
  }

  private notify(): void {
    for (const wake of this.wake.splice(0)) wake()
  }
}
