import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openCable, type Cable } from './cable.js'

let echo: Server
let cable: Cable
const sockets = new Set<Socket>()
beforeEach(async () => {
  echo = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => socket.destroy())
    socket.pipe(socket)
  })
  echo.listen({ host: '127.0.0.1', port: 0 })
  await once(echo, 'listening')
  cable = await openCable((echo.address() as AddressInfo).port)
})
afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  sockets.clear()
  await cable.close()
  echo.close()
})

/** A connection through the cable, and all bytes that it returned. */
function client() {
  const socket = connect({ host: '127.0.0.1', port: cable.port })
  sockets.add(socket)
  const state = { text: '', end: '' }
  socket.on('data', (chunk) => (state.text += chunk.toString()))
  socket.on('error', (error: NodeJS.ErrnoException) => (state.end = error.code ?? ''))
  socket.once('close', () => (state.end ||= 'closed'))
  const echoed = (text: string) => expect.poll(() => state.text, { timeout: 150_000 }).toBe(text)
  return { socket, state, echoed }
}

describe('a cable', () => {
  it('carries bytes in both directions, and their end', async () => {
    const { socket, state, echoed } = client()
    socket.end('hello')
    await echoed('hello')
    await expect.poll(() => state.end, { timeout: 150_000 }).toBe('closed')
  })

  it('resets connections when it is cut, and new ones until it is open again', async () => {
    const first = client()
    first.socket.write('a')
    await first.echoed('a')
    cable.set('cut')
    await expect.poll(() => first.state.end, { timeout: 150_000 }).toBe('ECONNRESET')
    const second = client()
    await expect.poll(() => second.state.end, { timeout: 150_000 }).not.toBe('')
    cable.set('open')
    const third = client()
    third.socket.write('b')
    await third.echoed('b')
  })

  it('holds bytes back while it hangs, even of new connections, and loses none', async () => {
    const [first, second] = [client(), client()]
    first.socket.write('a')
    await first.echoed('a')
    cable.set('hang')
    first.socket.write('b')
    second.socket.write('c')
    const third = client()
    third.socket.write('d')
    await once(third.socket, 'connect')
    // A round trip outside the cable gives the bytes time to arrive, which would be wrong.
    const outside = connect({ host: '127.0.0.1', port: (echo.address() as AddressInfo).port })
    sockets.add(outside)
    outside.write('x')
    await once(outside, 'data')
    expect([first.state.text, second.state.text, third.state.text]).toEqual(['a', '', ''])
    cable.set('open')
    await Promise.all([first.echoed('ab'), second.echoed('c'), third.echoed('d')])
  })

  it('keeps the order of bytes when a delay ends', async () => {
    const { socket, echoed } = client()
    cable.set({ delayMs: 200 })
    socket.write('1')
    await once(socket, 'connect')
    socket.write('2')
    cable.set('open')
    socket.write('3')
    await echoed('123')
  })
})
