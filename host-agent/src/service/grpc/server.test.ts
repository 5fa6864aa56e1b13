/** The gRPC server over real mutual TLS: authorisation, deadlines, the form of errors. */
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { connect, type TLSSocket } from 'node:tls'
import { status } from '@grpc/grpc-js'
import { ImageFormat, ObserveMode } from '@phonerack/proto'
import { protocol } from '@phonerack/shared'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hostId, serverName, startTestHost, type TestHost } from '../../testing/agent.js'
import { CallFailed, createClient } from '../../testing/client.js'
import { loadIdentity } from '../identity.js'
import { createTestCa, type Leaf, type TestCa } from '../../testing/pki.js'

let host: TestHost
beforeAll(async () => {
  host = await startTestHost()
})
afterAll(() => host.stop())

const assignment = {
  phoneId: 'ph_aaaaaaaaaaaa',
  tenant: '',
  serial: 'nobody',
  fencingNumber: 1n,
  requestId: '',
}
const address = () => `127.0.0.1:${host.agent.grpcPort}`

async function failureOf(work: Promise<unknown>): Promise<CallFailed> {
  const error: unknown = await work.then(
    () => null,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(CallFailed)
  return error as CallFailed
}

async function callAs(leaf: Leaf | null, caPem = host.ca.caPem): Promise<CallFailed> {
  const stranger = createClient(address(), caPem, leaf, serverName)
  try {
    return await failureOf(stranger.observe({ assignment, screenshot: undefined }, 3000))
  } finally {
    stranger.close()
  }
}

describe('a client', () => {
  it('that is the control plane reaches the handlers', async () => {
    const failed = await failureOf(host.control.observe({ assignment, screenshot: undefined }))
    expect(failed.plain?.code).toBe('phone_unavailable')
  })

  it('with another certificate of the same CA is refused', async () => {
    for (const uri of [
      `spiffe://phonerack/host/${hostId}`,
      'spiffe://phonerack/control-plane2',
      'spiffe://x/URI:spiffe://phonerack/control-plane',
    ]) {
      const failed = await callAs(await host.ca.issue({ uri }, 'client'))
      expect(failed.code, uri).toBe(status.PERMISSION_DENIED)
      expect(failed.plain?.code).toBe('unauthorized')
    }
  })

  it('that has the name only in a DNS entry is refused', async () => {
    const failed = await callAs(
      await host.ca.issue({ dns: 'a, URI:spiffe://phonerack/control-plane' }, 'client'),
    )
    expect([status.PERMISSION_DENIED, status.UNAVAILABLE]).toContain(failed.code)
  })

  it('without a certificate, with a certificate of another CA, or with a server certificate is rejected by TLS', async () => {
    const other = await createTestCa()
    const uri = 'spiffe://phonerack/control-plane'
    expect((await callAs(null)).code).toBe(status.UNAVAILABLE)
    expect((await callAs(await other.issue({ uri }, 'client'))).code).toBe(status.UNAVAILABLE)
    expect((await callAs(await host.ca.issue({ uri }, 'server'))).code).toBe(status.UNAVAILABLE)
  })
})

describe('a control plane', () => {
  const callWith = async (version: string | undefined): Promise<CallFailed> => {
    const leaf = await host.ca.issue({ uri: 'spiffe://phonerack/control-plane' }, 'client')
    const client = createClient(address(), host.ca.caPem, leaf, serverName, version)
    try {
      return await failureOf(client.observe({ assignment: undefined, screenshot: undefined }, 3000))
    } finally {
      client.close()
    }
  }

  it('one version older or newer is served, and a control plane that sends no version', async () => {
    for (const version of [undefined, protocol.version - 1, protocol.version, protocol.version + 1])
      expect((await callWith(version?.toString())).plain?.code, `${version}`).toBe('validation_failed')
  })

  it('of any other version is refused, with the upgrade command', async () => {
    for (const version of [String(protocol.version + 2), '0', 'two']) {
      const { plain } = await callWith(version)
      expect(plain, version).toMatchObject({ code: 'phone_unavailable', retryable: false })
      expect(plain?.message, version).toMatch(/git pull, \.\/scripts\/down, then \.\/scripts\/up --/)
    }
  })
})

describe('an error', () => {
  it('has its code as status and in the trailer', async () => {
    const missing = await failureOf(host.control.observe({ assignment: undefined, screenshot: undefined }))
    expect(missing.code).toBe(status.INVALID_ARGUMENT)
    expect(missing.plain).toMatchObject({ code: 'validation_failed', retryable: false })
    const unknown = await failureOf(
      host.control.screenshot({
        assignment,
        screenshot: { format: ImageFormat.IMAGE_FORMAT_PNG, maxWidth: 0, quality: 0, annotate: false },
      }),
    )
    expect(unknown.code).toBe(status.FAILED_PRECONDITION)
    expect(unknown.plain).toMatchObject({ code: 'phone_unavailable', retryable: true })
  })

  it('also ends a stream', async () => {
    const failed = await failureOf(
      host.control.run({
        assignment,
        actionsJson: Buffer.from('[{"type":"nonsense"}]'),
        observe: ObserveMode.OBSERVE_MODE_NONE,
      }),
    )
    expect(failed.plain?.code).toBe('validation_failed')
    const notJson = await failureOf(
      host.control.run({ assignment, actionsJson: Buffer.from('{'), observe: ObserveMode.OBSERVE_MODE_NONE }),
    )
    expect(notJson.plain?.code).toBe('validation_failed')
  })
})

describe('a renewed certificate', () => {
  const connection = async (): Promise<TLSSocket> => {
    const { certificatePem: cert, privateKeyPem: key } = await host.ca.issue(
      { uri: 'spiffe://phonerack/control-plane' },
      'client',
    )
    const { grpcPort: port } = host.agent
    const secured = { ca: host.ca.caPem, cert, key, servername: serverName, ALPNProtocols: ['h2'] }
    const socket = connect({ host: '127.0.0.1', port, ...secured })
    await once(socket, 'secureConnect')
    return socket
  }

  it('is used by new connections, while existing connections continue, and is on disk', async () => {
    const { call, observe } = host.control
    const { certificateFingerprint, publicKeyPem } = await call.beginRenewal({})
    const before = await connection()
    expect(before.getPeerX509Certificate()?.fingerprint256).toBe(certificateFingerprint)
    const names = { dns: serverName, uri: `spiffe://phonerack/host/${hostId}` }
    const certificatePem = await host.ca.issueFor(publicKeyPem, names)
    await call.finishRenewal({ certificatePem })

    const after = await connection()
    expect(after.getPeerX509Certificate()?.toString()).toBe(new X509Certificate(certificatePem).toString())
    expect(before.destroyed).toBe(false)
    expect((await failureOf(observe({ assignment, screenshot: undefined }))).plain?.code).toBe(
      'phone_unavailable',
    )
    expect(loadIdentity(join(host.config.dataDir, 'identity.json'))).toMatchObject({ certificatePem })
    // Clients without a certificate are still refused.
    expect((await callAs(null)).code).toBe(status.UNAVAILABLE)
    for (const socket of [before, after]) socket.destroy()
  })

  it('is refused for a key that does not wait for a certificate', async () => {
    const { certificatePem } = await host.ca.issue({ dns: serverName }, 'server')
    const failed = await failureOf(host.control.call.finishRenewal({ certificatePem }))
    expect(failed.plain).toMatchObject({ code: 'validation_failed' })
  })
})

describe('the trusted authorities', () => {
  it('change for new connections, even for a resumed session, while existing connections continue', async () => {
    const rotating = await startTestHost()
    try {
      const next = await createTestCa()
      const { call } = rotating.control
      const at = `127.0.0.1:${rotating.agent.grpcPort}`
      const clientOf = async (ca: TestCa) => {
        const leaf = await ca.issue({ uri: 'spiffe://phonerack/control-plane' }, 'client')
        return createClient(at, [rotating.ca.caPem, next.caPem].join('\n'), leaf, serverName)
      }
      const codeFor = async (ca: TestCa): Promise<number> => {
        const client = await clientOf(ca)
        const failed = await failureOf(client.observe({ assignment: undefined, screenshot: undefined }, 3000))
        client.close()
        return failed.code
      }
      expect(await codeFor(next)).toBe(status.UNAVAILABLE)
      await call.trustAuthorities({ authorityPems: [rotating.ca.caPem, next.caPem] })
      expect([await codeFor(next), await codeFor(rotating.ca)]).toEqual([
        status.INVALID_ARGUMENT,
        status.INVALID_ARGUMENT,
      ])

      const leaf = await rotating.ca.issue({ uri: 'spiffe://phonerack/control-plane' }, 'client')
      const secured = {
        host: '127.0.0.1',
        port: rotating.agent.grpcPort,
        servername: serverName,
        ca: [rotating.ca.caPem, next.caPem],
        cert: leaf.certificatePem,
        key: leaf.privateKeyPem,
        ALPNProtocols: ['h2'],
      }
      const open = connect(secured)
      const sessions: Buffer[] = []
      open.on('session', (session) => sessions.push(session))
      open.resume()
      await expect.poll(() => sessions.length).toBeGreaterThan(0)

      const { publicKeyPem } = await call.beginRenewal({})
      const names = { dns: serverName, uri: `spiffe://phonerack/host/${hostId}` }
      await call.finishRenewal({ certificatePem: await next.issueFor(publicKeyPem, names) })
      await call.trustAuthorities({ authorityPems: [next.caPem] })
      expect([await codeFor(next), await codeFor(rotating.ca)]).toEqual([
        status.INVALID_ARGUMENT,
        status.UNAVAILABLE,
      ])
      const resumed = connect({ ...secured, session: sessions.at(-1) })
      const ended = new Promise<string>((resolve) => {
        resumed.once('error', (error: Error) => resolve(error.message))
        resumed.once('close', () => resolve('closed'))
      })
      let isReused: boolean | null = null
      resumed.once('secureConnect', () => (isReused = resumed.isSessionReused()))
      resumed.resume()
      expect(await ended).not.toBe('')
      expect(isReused).not.toBe(true)
      expect(open.destroyed).toBe(false)
      open.destroy()
    } finally {
      await rotating.stop()
    }
  })
})
