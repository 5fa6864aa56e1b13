/**
 * Clients that disconnect before their request's work begins: nothing stays counted, and nothing is
 * done.
 */
import { newId } from '@phonerack/shared'
import { once } from 'node:events'
import { connect, type AddressInfo } from 'node:net'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createHeldOpen } from './held-open.js'
import { trackLifetimes, type Lifetimes } from './lifetimes.js'
import { type Caller } from '../core/caller.js'

let app: FastifyInstance
let lifetimes: Lifetimes
let handle: (request: FastifyRequest, reply: FastifyReply) => void
beforeEach(async () => {
  app = Fastify()
  // Longer than a test.
  lifetimes = trackLifetimes(app, 600_000)
  app.decorateRequest('caller', null)
  app.get('/', async (request, reply) => {
    request.caller = { keyId: 'key_a' } as Caller
    // Simulates a slow look-up of the key.
    const left = once(reply.raw, 'close')
    arrived()
    await left
    handle(request, reply)
    return null
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
})
afterEach(() => app.close())

let arrived = (): void => undefined

/** Sends a request, disconnects once it has arrived, and returns when its handler has run. */
const leave = async <T>(work: (request: FastifyRequest, reply: FastifyReply) => T): Promise<T> => {
  const here = new Promise<void>((resolve) => (arrived = resolve))
  const handled = new Promise<T>((resolve) => {
    handle = (request, reply) => resolve(work(request, reply))
  })
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  await here
  socket.destroy()
  return handled
}

it('a key holds nothing open for clients that disconnected before', async () => {
  const held = createHeldOpen({ kind: 'waits', most: 2 })
  const holder = { keyId: newId('key'), projectId: newId('project') }
  const answers: boolean[] = []
  for (let each = 0; each < 5; each += 1)
    answers.push(await leave((_request, reply) => held.tryHold(holder, reply)))
  expect(answers).toEqual([true, true, true, true, true])
})

it('the signals of a request whose client disconnected before are aborted', async () => {
  const aborted = await leave((_request, reply) => [
    lifetimes.wait(reply).aborted,
    lifetimes.work(reply).aborted,
  ])
  expect(aborted).toEqual([true, true])
})

it('a stop does not wait for a connection without a request', async () => {
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  await once(app.server, 'connection')
  const ended = once(
    socket.on('error', () => undefined),
    'close',
  )
  await app.close()
  await ended
})
