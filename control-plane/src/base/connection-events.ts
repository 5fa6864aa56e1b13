import type { Server } from 'node:http'
import { Server as TlsServer } from 'node:tls'

/**
 * The events of a new connection. A server with TLS has two sockets for it, and requests arrive on the second one, after the
 * handshake.
 */
export const connectionEvents = (server: Server): readonly ['connection', ...'secureConnection'[]] =>
  server instanceof TlsServer ? ['connection', 'secureConnection'] : ['connection']
