/**
 * Opens the page's socket before the page is loaded. This script is first in the head of
 * `index.html`, so that capture starts while style and scripts still load. `connection.ts` takes
 * the socket over. Imports nothing; the server inserts the protocol's name.
 */
interface EarlySocket {
  socket: WebSocket
  /** Messages that arrived before the page was ready, in order. */
  messages: MessageEvent<ArrayBuffer | string>[]
  closed: CloseEvent | null
}

declare global {
  var earlySocket: EarlySocket | undefined
}

const token = location.hash.slice(1)
if (/^prl_[\w-]{43}$/.test(token)) {
  const url = new URL(`${location.pathname.replace(/\/$/, '')}/socket`, location.origin)
  url.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:'
  const socket = new WebSocket(url.href, '{{protocol}}')
  const early: EarlySocket = { socket, messages: [], closed: null }
  socket.binaryType = 'arraybuffer'
  socket.onopen = () => socket.send(JSON.stringify({ type: 'open', token }))
  socket.onmessage = (event: MessageEvent<ArrayBuffer | string>) => early.messages.push(event)
  socket.onclose = (event) => (early.closed = event)
  globalThis.earlySocket = early
}
