/**
 * A TCP balancer over replicas, without health checks: a connection goes to the first replica that accepts
 * it.
 */
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

export interface Failover {
  readonly url: string
  close(): Promise<void>
}

/** @param replicas base URLs, the preferred replica first; read at each connection */
export async function openFailover(port: number, replicas: () => readonly string[]): Promise<Failover> {
  const sockets = new Set<Socket>()
  const keep = (socket: Socket): Socket => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    return socket.on('error', () => socket.destroy())
  }
  const server = createServer({ noDelay: true }, (client) => {
    keep(client)
    reach(replicas()).then(
      (upstream) => {
        if (upstream === null || client.destroyed) {
          upstream?.destroy()
          client.destroy()
          return
        }
        keep(upstream)
        upstream.once('close', () => client.destroy())
        client.once('close', () => upstream.destroy())
        client.pipe(upstream).pipe(client)
      },
      (error: unknown) => client.destroy(error instanceof Error ? error : undefined),
    )
  })
  server.listen({ host: '127.0.0.1', port })
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Null when no replica accepts a connection. */
async function reach(urls: readonly string[]): Promise<Socket | null> {
  for (const url of urls) {
    const { hostname, port } = new URL(url)
    const socket = connect({ host: hostname, port: Number(port), noDelay: true })
    try {
      await once(socket, 'connect')
      return socket
    } catch (error) {
      if (!(error instanceof Error && 'code' in error)) throw error
    }
  }
  return null
}
