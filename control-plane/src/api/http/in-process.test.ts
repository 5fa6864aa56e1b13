import Fastify from 'fastify'
import { afterAll, expect, it } from 'vitest'
import { addInProcess, requestIdOf, sendInProcess } from './in-process.js'

const app = Fastify({ genReqId: requestIdOf })
addInProcess(app)
let copied: Record<string, string> = {}
app.get('/mark', async (request) => {
  if (request.inProcess) {
    copied = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
    // The mark is still valid when a request from the network copies it.
    const fromNetwork = await fetch(`${address}/mark`, { headers: { ...copied, host: '' } })
    return { id: request.id, fromNetwork: await fromNetwork.json() }
  }
  return { id: request.id, isMarked: false }
})
const address = await app.listen({ host: '127.0.0.1', port: 0 })
afterAll(() => app.close())

it('marks requests of this process, and none from the network with the same headers', async () => {
  const call = {
    requestId: 'req_aaaaaaaaaaaa',
    signal: new AbortController().signal,
    batch: { startWithinMs: 40_000, answerWithinMs: 48_000 },
    client: null,
  }
  const { bytes } = await sendInProcess(app, call, { url: '/mark' })
  const { id, fromNetwork } = JSON.parse(bytes.toString()) as { id: string; fromNetwork: { id: string } }
  expect(id).toBe(call.requestId)
  expect(Object.keys(copied)).toContain('x-phonerack-in-process')
  expect(fromNetwork).toMatchObject({ isMarked: false })
  expect(fromNetwork.id).not.toBe(call.requestId)
  const again = await fetch(`${address}/mark`, { headers: { ...copied, host: '' } })
  expect(await again.json()).toMatchObject({ isMarked: false })
})
