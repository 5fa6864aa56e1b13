/** Detects sockets whose peer disappeared without closing them. Used by `routes/public/live.ts`. */
import { type WebSocket } from 'ws'

/**
 * Pings every `everyMs` and terminates a socket that did not answer the last ping. Stops with the
 * socket.
 */
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
