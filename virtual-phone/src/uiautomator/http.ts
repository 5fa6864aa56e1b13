/**
 * Serves HTTP on a port of the phone: Node's server over the phone's sockets, never over the machine's
 * sockets.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { Duplex as NodeDuplex } from 'node:stream'
import type { PhoneSockets, SocketAddress } from '../android/sockets.js'
import type { Duplex } from '../android/streams.js'
import { BrokenPipe } from '../android/streams.js'

interface PhoneHttpServer {
  /** Accepts no more connections, and ends the open connections. */
  close(): void
}

/** @throws AddressInUse */
export function serveHttp(
  sockets: PhoneSockets,
  address: SocketAddress,
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): PhoneHttpServer {
  const server: Server = createServer({ keepAliveTimeout: 0 }, handle)
  const open = new Set<NodeDuplex>()
  const stop = sockets.listen(address, (connection) => {
    const stream = nodeStream(connection)
    open.add(stream)
    stream.once('close', () => open.delete(stream))
    // An aborted request needs no handling.
    stream.on('error', () => undefined)
    server.emit('connection', stream)
  })
  return {
    close: () => {
      stop()
      for (const stream of open) stream.destroy()
    },
  }
}

/** Adapts a socket to Node's HTTP. Reads wait for the reader, and writes wait for the other side. */
export function nodeStream(connection: Duplex): NodeDuplex {
  const stream = new NodeDuplex({
    read: () => {
      connection.read().then(
        (chunk) => stream.push(chunk),
        (error: unknown) => stream.destroy(asError(error)),
      )
    },
    write: (chunk: Buffer, _encoding, done) => {
      connection.write(chunk).then(
        () => done(),
        (error: unknown) => done(asError(error)),
      )
    },
    final: (done) => {
      connection.close()
      done()
    },
    destroy: (error, done) => {
      connection.close()
      done(error instanceof BrokenPipe ? null : error)
    },
  })
  return stream
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
