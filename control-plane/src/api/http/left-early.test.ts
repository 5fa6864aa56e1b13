/**
 * Lifetimes of requests: clients that disconnect before the work begins, so that nothing stays counted and nothing is done, and
 * waits with a limit.
 */
import { newId, pause } from '@phonerack/shared'
import { once } from 'node:events'
import { connect, type AddressInfo } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createHeldOpen } from './held-open.js'
import { trackLifetimes, type Lifetimes } from './lifetimes.js'
import { type Caller } from '../../base/core/caller.js'

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
  app.get('/limited', async (_request, reply) => {
    const composed = limited(reply)
    for (let passed = 0; !composed.aborted && passed < 60_000; passed += 50) {
      collect()
      await pause(50, new AbortController().signal)
    }
    return { aborted: composed.aborted }
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
})
afterEach(() => app.close())

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void
/** A signal that ends after half a second. */
const limited = (reply: FastifyReply): AbortSignal =>
  AbortSignal.any([lifetimes.wait(reply, 500), new AbortController().signal])

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

it('a wait with a limit aborts after it, even if only a composed signal refers to it when garbage is collected', async () => {
  const { port } = app.server.address() as AddressInfo
  const response = await fetch(`http://127.0.0.1:${port}/limited`)
  expect(await response.json()).toEqual({ aborted: true })
})
