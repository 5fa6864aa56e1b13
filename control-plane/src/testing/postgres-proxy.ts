/**
 * A TCP proxy before Postgres that closes or silences all connections, or cuts a connection within a
 * transaction.
 */
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/**
 * Where a connection is cut: between the statement with the text and Postgres's answer to it, or between the
 * commit of the statement's transaction and the answer to the commit.
 */
type CutAt = 'statement' | 'answer' | 'commit'

export interface PostgresProxy {
  /** The database's URL through the proxy. */
  url: string
  /** Cuts the next connection that sends a statement with `text`. Resolves after the cut. */
  cut(text: string, at: CutAt): Promise<void>
  /** Closes all connections, and closes new connections immediately. */
  close(): void
  /** Keeps the open connections, but forwards no bytes on them. */
  silence(): void
  /** Forwards connections and bytes again. */
  open(): void
  stop(): Promise<void>
}

export async function startPostgresProxy(target: string): Promise<PostgresProxy> {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  let isOpen = true
  let planned: { text: string; at: CutAt; done: () => void } | null = null

  const silencers = new Set<() => void>()
  const server = createServer((client) => {
    client.on('error', () => client.destroy())
    if (!isOpen) return void client.destroy()
    const upstream = connect({ host: hostname, port: Number(port) })
    const end = (): void => {
      client.destroy()
      upstream.destroy()
    }
    let isSilent = false
    silencers.add(() => (isSilent = true))
    let atCommit: (() => void) | null = null
    let cutting: (() => void) | null = null
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', end)
      socket.on('close', () => {
        sockets.delete(socket)
        end()
      })
    }
    client.on('data', (chunk) => {
      if (isSilent) return
      if (planned && chunk.includes(planned.text)) {
        const { at, done } = planned
        planned = null
        if (at === 'statement') {
          end()
          return done()
        }
        if (at === 'answer') cutting = done
        else atCommit = done
      }
      if (chunk.includes('COMMIT')) cutting ??= atCommit
      upstream.write(chunk)
    })
    upstream.on('data', (chunk) => {
      if (isSilent) return
      if (cutting === null) return void client.write(chunk)
      end()
      cutting()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(target)
  url.port = String((server.address() as AddressInfo).port)
  const close = (): void => {
    isOpen = false
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: url.href,
    cut: (text, at) => new Promise((done) => (planned = { text, at, done })),
    close,
    silence() {
      for (const silence of silencers) silence()
      silencers.clear()
    },
    open: () => void (isOpen = true),
    async stop() {
      close()
      server.close()
      await once(server, 'close')
    },
  }
}
