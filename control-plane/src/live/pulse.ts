/** Finds sockets whose other side went away without a word. Used by `plugin.ts`. */
import { type WebSocket } from 'ws'

/** Pings every `everyMs`; a socket that answered none since the last is cut. Ends with the socket. */
export function keepPulse(socket: WebSocket, everyMs: number): void {
  let isAlive = true
  const timer = setInterval(() => {
    if (!isAlive) return socket.terminate()
    isAlive = false
    socket.ping()
  }, everyMs)
  socket.on('pong', () => (isAlive = true))
  socket.once('close', () => clearInterval(timer))
}
