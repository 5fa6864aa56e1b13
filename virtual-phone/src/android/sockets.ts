/**
 * The phone's own listening sockets: abstract names (`localabstract:`) and loopback TCP ports of the phone. None is a
 * socket of the machine that runs the phone. `adb forward` connects to these sockets, `adb reverse` listens on them,
 * and the scrcpy server does both.
 */
import { type Duplex, socketPair } from './streams.js'

/** `localabstract:scrcpy_1234` or `tcp:8080`. */
export type SocketAddress = string

type ConnectionHandler = (connection: Duplex) => void

export class AddressInUse extends Error {
  constructor(address: SocketAddress) {
    super(`cannot bind ${address}: Address already in use`)
    this.name = 'AddressInUse'
  }
}

export class ConnectionRefused extends Error {
  constructor(address: SocketAddress) {
    super(`cannot connect to ${address}: Connection refused`)
    this.name = 'ConnectionRefused'
  }
}

export class PhoneSockets {
  private readonly listeners = new Map<SocketAddress, (fail: ConnectionRefused) => Promise<Duplex>>()

  /** Accepts connections until the returned function is called. @throws AddressInUse */
  listen(address: SocketAddress, handler: ConnectionHandler): () => void {
    return this.listenThrough(address, () => {
      const [near, far] = socketPair()
      handler(far)
      return Promise.resolve(near)
    })
  }

  /**
   * Like `listen`, for a listener whose connections are made elsewhere (a reverse tunnel to the host). `open`
   * rejects with the other side's error when the other side refuses.
   * @throws AddressInUse
   */
  listenThrough(address: SocketAddress, open: (refused: ConnectionRefused) => Promise<Duplex>): () => void {
    if (this.listeners.has(address)) throw new AddressInUse(address)
    this.listeners.set(address, open)
    return () => {
      if (this.listeners.get(address) === open) this.listeners.delete(address)
    }
  }

  /** Returns the addresses with a listener. */
  addresses(): SocketAddress[] {
    return [...this.listeners.keys()]
  }

  has(address: SocketAddress): boolean {
    return this.listeners.has(address)
  }

  /** @throws ConnectionRefused when there is no listener */
  async connect(address: SocketAddress): Promise<Duplex> {
    const refused = new ConnectionRefused(address)
    const open = this.listeners.get(address)
    if (open === undefined) throw refused
    return open(refused)
  }

  /** Ends all listeners, since the phone restarts. */
  clear(): void {
    this.listeners.clear()
  }
}
