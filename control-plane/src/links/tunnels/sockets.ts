/**
 * Unix sockets at which grpc-js in this process connects to hosts with tunnels, because grpc-js connects to addresses
 * only. Other users cannot access the folder. docs/decisions/0227
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { tunnelLimits } from '@phonerack/shared/tunnel'
import { folderPrefix } from './stale-folders.js'

export class HostSockets {
  private readonly dir: string
  private readonly servers = new Map<string, { server: Server; open: Set<Socket> }>()

  /**
   * @param connect called with each connection to the socket of a host @param base the folder in which this class
   * creates its folder
   */
  constructor(
    private readonly connect: (hostId: string, socket: Socket) => void,
    base = tmpdir(),
  ) {
    this.dir = mkdtempSync(path.join(base, folderPrefix))
  }

  /** Returns the path of a socket that already listens. @param hostId from the database */
  pathOf(hostId: string): string {
    const file = path.join(this.dir, hostId)
    if (this.servers.has(hostId)) return file
    const open = new Set<Socket>()
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      open.add(socket)
      socket.on('error', () => socket.destroy())
      socket.once('close', () => open.delete(socket))
      this.connect(hostId, socket)
    })
    server.maxConnections = tunnelLimits.streams
    // For example, a cleaner of temporary files has removed the folder. The next call tries again.
    server.on('error', () => this.remove(hostId))
    mkdirSync(this.dir, { recursive: true, mode: 0o700 })
    server.listen(file)
    this.servers.set(hostId, { server, open })
    return file
  }

  /** Ends the connections of a host, and removes its socket. */
  remove(hostId: string): void {
    const known = this.servers.get(hostId)
    if (!known) return
    this.servers.delete(hostId)
    known.server.close()
    for (const socket of known.open) socket.destroy()
  }

  close(): void {
    for (const hostId of [...this.servers.keys()]) this.remove(hostId)
    rmSync(this.dir, { recursive: true, force: true })
  }
}

/** Connections to hosts that have no tunnel yet. */
export class WaitingSockets {
  private readonly timers = new Map<string, Map<Socket, NodeJS.Timeout>>()

  /** @param waitMs milliseconds after which a connection is closed */
  constructor(private readonly waitMs: number) {}

  add(hostId: string, socket: Socket): void {
    const others = this.timers.get(hostId) ?? new Map<Socket, NodeJS.Timeout>()
    this.timers.set(hostId, others)
    others.set(
      socket,
      setTimeout(() => socket.destroy(), this.waitMs),
    )
    socket.once('close', () => {
      clearTimeout(others.get(socket))
      others.delete(socket)
    })
  }

  /** Removes and returns the connections that wait for this host. */
  take(hostId: string): Socket[] {
    const found = this.timers.get(hostId)
    this.timers.delete(hostId)
    if (!found) return []
    for (const timer of found.values()) clearTimeout(timer)
    return [...found.keys()]
  }
}
