/** The phone's adbd: listens on one loopback port and serves any number of hosts. Used by `phone.ts`. */
import { createServer, type Server, type Socket } from 'node:net'
import type { Android } from '../android/android.js'
import { model } from '../android/identity.js'
import { LinkFaults } from '../faults/link.js'
import { SlowLine } from '../faults/slow-line.js'
import { Connection, features, type ServiceHandler } from './connection.js'
import { ReverseListeners } from './reverse-service.js'
import { openService } from './services.js'

/** Accepts a stream and never answers it. */
const hang: ServiceHandler = async (stream) => {
  await stream.closed
}

export class AdbServer {
  private server: Server | null = null
  private readonly connections = new Set<Connection>()
  /** Connections of hosts that do not receive a response (fault `offline`). */
  private readonly unheard = new Set<Socket>()

  constructor(
    private readonly android: Android,
    private readonly onFault: (error: unknown, what: string) => void,
    private readonly link = new LinkFaults(),
  ) {}

  /** Port 0 selects a free port. Resolves with the port. */
  async listen(port: number): Promise<number> {
    const server = createServer((socket) => this.accept(socket))
    this.server = server
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, '127.0.0.1', () => {
        server.off('error', reject)
        resolve()
      })
    })
    server.on('error', (error) => this.onFault(error, 'adbd'))
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('adbd has no port')
    return address.port
  }

  /** Disconnects every host and stops listening. */
  async close(): Promise<void> {
    const { server } = this
    this.server = null
    const closed =
      server === null ? Promise.resolve() : new Promise<void>((resolve) => server.close(() => resolve()))
    for (const connection of this.connections) connection.close()
    this.connections.clear()
    for (const socket of this.unheard) socket.destroy()
    this.unheard.clear()
    await closed
  }

  private accept(socket: Socket): void {
    const { android, link } = this
    if (link.silent) {
      this.unheard.add(socket)
      socket.on('error', () => socket.destroy())
      socket.on('close', () => this.unheard.delete(socket))
      return
    }
    const line = link.slow === null ? socket : new SlowLine(socket, link.slow)
    const connection: Connection = new Connection(line, {
      banner: `device::ro.product.name=${model.product};ro.product.model=${model.name};ro.product.device=${model.device};`,
      features,
      keys: android.adbKeys,
      openService: (name, connection) => {
        if (!link.hangs(name)) return openService(name, android, reverse, connection)
        android.counters.count('hung')
        return Promise.resolve(hang)
      },
      onFault: this.onFault,
    })
    const reverse = new ReverseListeners(android.sockets, connection)
    this.connections.add(connection)
    socket.on('close', () => {
      reverse.clear()
      this.connections.delete(connection)
    })
  }
}
