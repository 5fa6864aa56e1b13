/** Requests that a client sends without reading the answers, over a real socket. */
import { once } from 'node:events'
import { connect, type AddressInfo } from 'node:net'
import { createLogger } from '@phonerack/shared'
import { afterEach, expect, it } from 'vitest'
import { addFoundations, createFastify } from '../server/server.js'
import { pipelinedAtMost } from './pipelining.js'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

const request = 'GET /slow HTTP/1.1\r\nHost: a\r\n\r\n'

async function serve() {
  const waiting: (() => void)[] = []
  const app = createFastify({}, createLogger('test', { write: () => undefined }))
  addFoundations(app)
  app.get('/slow', () => new Promise((resolve) => waiting.push(() => resolve('a'))))
  await app.listen({ port: 0, host: '127.0.0.1' })
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  socket.on('error', () => undefined)
  closers.push(
    () => socket.destroy(),
    () => waiting.splice(0).forEach((answer) => answer()),
    () => app.close(),
  )
  await once(socket, 'connect')
  return { socket, waiting }
}

it('closes a connection with too many requests in flight, and starts no more of them', async () => {
  const { socket, waiting } = await serve()
  socket.write(request.repeat(1000))
  await once(socket, 'close')
  expect(waiting.length).toBeLessThanOrEqual(pipelinedAtMost)
})

it('counts only requests that wait for an answer', async () => {
  const { socket, waiting } = await serve()
  for (let round = 0; round < 3; round += 1) {
    socket.write(request.repeat(pipelinedAtMost))
    await expect.poll(() => waiting.length).toBe(pipelinedAtMost)
    let received = ''
    socket.on('data', (bytes) => (received += bytes.toString('latin1')))
    for (const answer of waiting.splice(0)) answer()
    await expect.poll(() => received.split('HTTP/1.1 200').length - 1).toBe(pipelinedAtMost)
    socket.removeAllListeners('data')
  }
  expect(socket.destroyed).toBe(false)
})
