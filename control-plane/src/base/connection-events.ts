import type { Server } from 'node:http'
import { Server as TlsServer } from 'node:tls'

/**
 * The events of a new connection. A TLS server has two sockets per connection, and requests arrive on the second
 * socket, after the handshake.
 */
export const connectionEvents = (server: Server): readonly ['connection', ...'secureConnection'[]] =>
  server instanceof TlsServer ? ['connection', 'secureConnection'] : ['connection']
