/**
 * WebSockets on the server of normal requests. Once a Node server listens to `upgrade`, every request that offers any
 * upgrade is emitted there. Clients that merely offer HTTP/2 (`Upgrade: h2c`, as Java's does by default) must still get
 * their response.
 */
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { connectionEvents } from '../../base/connection-events.js'

/** Handles a known upgrade. Returns false when the request should be answered without an upgrade. */
export type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => boolean

/**
 * Requests of one connection that are answered without the upgrade that they offer. The last answer closes the
 * connection. Node's `maxRequestsPerSocket` counts from 0 again after each such request.
 */
export const givenBackAtMost = 100

/** @param onFault receives errors of `take`. An error ends only its connection, since nothing awaits this listener. */
export function acceptUpgrades(server: Server, take: Upgrade, onFault: (error: unknown) => void): void {
  const givenBack = new WeakMap<Duplex, number>()
  server.on('upgrade', (request, socket, head) => {
    try {
      if (take(request, socket, head)) return
      const count = (givenBack.get(socket) ?? 0) + 1
      givenBack.set(socket, count)
      giveBack(server, request, socket, head, count === givenBackAtMost)
    } catch (error) {
      socket.destroy()
      onFault(error)
    }
  })
}

/**
 * Lets the server parse the request again from its first byte, without the offered upgrade. @param isLast closes the
 * connection after the answer
 */
function giveBack(
  server: Server,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  isLast: boolean,
): void {
  const lines = [`${request.method} ${request.url} HTTP/${request.httpVersion}`]
  for (let at = 0; at + 1 < request.rawHeaders.length; at += 2) {
    const [name = '', value = ''] = request.rawHeaders.slice(at, at + 2)
    const kept =
      isLast && name.toLowerCase() === 'connection' ? 'close' : keptValue(name.toLowerCase(), value)
    if (kept !== null) lines.push(`${name}: ${kept}`)
  }
  // Node reads header bytes as Latin-1.
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]))
  server.emit(connectionEvents(server).at(-1) ?? 'connection', socket)
}

function keptValue(name: string, value: string): string | null {
  if (name === 'upgrade' || name === 'http2-settings') return null
  if (name !== 'connection') return value
  const kept = value.split(',').filter((token) => !/^\s*(upgrade|http2-settings)\s*$/i.test(token))
  return kept.length > 0 ? kept.join(',') : null
}
