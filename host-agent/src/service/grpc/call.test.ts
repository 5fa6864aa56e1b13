// The agent's log of calls: one line for each successful call, at `debug`, with the request ID of the client.
import { Metadata } from '@grpc/grpc-js'
import { ApiError, createLogger, protocol } from '@phonerack/shared'
import { beforeEach, expect, it } from 'vitest'
import { answer, controlPlaneIdentity } from './call.js'

let lines: Record<string, unknown>[] = []
const log = createLogger('call-test', {
  write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>),
})
beforeEach(() => {
  lines = []
})

/** A call of the control plane, as grpc-js hands it to a handler. */
function callFrom(request: object): Parameters<typeof answer>[0] {
  const metadata = new Metadata()
  metadata.set(protocol.header, String(protocol.version))
  const call = {
    request,
    metadata,
    cancelled: false,
    getAuthContext: () => ({ sslPeerCertificate: { subjectaltname: `URI:${controlPlaneIdentity}` } }),
    getDeadline: () => Infinity,
    getPeer: () => '127.0.0.1:1',
    on: () => undefined,
  }
  // The type of a peer certificate has many fields that no code reads.
  return call as unknown as Parameters<typeof answer>[0]
}
const assignment = { phoneId: 'ph_aaaaaaaaaaaa', requestId: 'req_aaaaaaaaaaaa' }
const observe = () => answer(callFrom({ assignment }), log, 'observe', () => Promise.resolve('seen'))

it('writes one line with the request ID for a successful call, only at the level debug', async () => {
  log.level = 'info'
  expect(await observe()).toBe('seen')
  expect(lines).toEqual([])
  log.level = 'debug'
  expect(await observe()).toBe('seen')
  expect(lines).toMatchObject([
    { msg: 'a call was answered', call: 'observe', request_id: 'req_aaaaaaaaaaaa', phone: 'ph_aaaaaaaaaaaa' },
  ])
  expect(lines[0]?.['ms']).toEqual(expect.any(Number))
})

it('writes nothing for a call that failed', async () => {
  log.level = 'debug'
  const failed = answer(callFrom({ assignment }), log, 'observe', () =>
    Promise.reject(new ApiError('phone_unavailable')),
  )
  await expect(failed).rejects.toThrow()
  expect(lines).toEqual([])
})
