/**
 * WebSockets beside requests. As soon as a Node server listens to `upgrade`, every request that asks for any upgrade ends
 * up there; clients that merely offer HTTP/2 (`Upgrade: h2c`, as Java's does by default) must still get their answer.
 */
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'

/** Takes the upgrades it knows; false: the request is answered as if it had asked for none. */
export type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => boolean

/** @param onFault hears of what `take` throws, which ends that connection alone: nothing awaits this listener */
export function acceptUpgrades(server: Server, take: Upgrade, onFault: (error: unknown) => void): void {
  server.on('upgrade', (request, socket, head) => {
    try {
      if (!take(request, socket, head)) giveBack(server, request, socket, head)
    } catch (error) {
      socket.destroy()
      onFault(error)
    }
  })
}

/** The server reads the request once more, from its first byte, without the offer. */
function giveBack(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const lines = [`${request.method} ${request.url} HTTP/${request.httpVersion}`]
  for (let at = 0; at + 1 < request.rawHeaders.length; at += 2) {
    const [name = '', value = ''] = request.rawHeaders.slice(at, at + 2)
    const kept = keptValue(name.toLowerCase(), value)
    if (kept !== null) lines.push(`${name}: ${kept}`)
  }
  // Header bytes are Latin-1 for Node.
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]))
  server.emit('connection', socket)
}

function keptValue(name: string, value: string): string | null {
  if (name === 'upgrade' || name === 'http2-settings') return null
  if (name !== 'connection') return value
  const kept = value.split(',').filter((token) => !/^\s*(upgrade|http2-settings)\s*$/i.test(token))
  return kept.length > 0 ? kept.join(',') : null
}
