// The replica's client certificate is renewed while calls run.
import { generateKeyPairSync, X509Certificate } from 'node:crypto'
import { Server, ServerCredentials } from '@grpc/grpc-js'
import { HostServiceService, type BeginRenewalResponse } from '@phonerack/proto'
import { createLogger } from '@phonerack/shared'
import { expect, it } from 'vitest'
import { Authority, newAuthority } from '../../base/pki/authority.js'
import { HostClients } from './clients.js'

const hostId = 'hst_aaaaaaaaaaaa'
const day = 86_400_000

it('uses the next certificate for new connections, while calls on open ones continue', async () => {
  const authority = await Authority.of(await newAuthority())
  const first = await authority.issueClient()
  const log = createLogger('test')
  log.level = 'silent'
  const clients = new HostClients(first, log)
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const pem = (key: typeof publicKey) => key.export({ type: 'spki', format: 'pem' }).toString()
  const certificate = await authority.issueHost(hostId, pem(publicKey))
  const secure = ServerCredentials.createSsl(
    Buffer.from(authority.caPem),
    [
      {
        cert_chain: Buffer.from(certificate),
        private_key: Buffer.from(privateKey.export({ type: 'pkcs8', format: 'pem' })),
      },
    ],
    true,
  )

  const { fingerprint256: certificateFingerprint } = new X509Certificate(certificate)
  const answerOf = { certificateFingerprint, publicKeyPem: pem(publicKey) }

  /** Serial numbers of the certificates of callers. */
  const seen: string[] = []
  let release = (): void => undefined
  let held: Promise<void> = new Promise((resolve) => (release = resolve))
  const listen = async (port: number) => {
    const server = new Server()
    server.addService(HostServiceService, {
      beginRenewal: (call: { getAuthContext(): Caller }, answer: Answer) => {
        seen.push(call.getAuthContext().sslPeerCertificate?.serialNumber ?? '')
        void held.then(() => answer(null, answerOf))
      },
    })
    const bound = await new Promise<number>((resolve, reject) =>
      server.bindAsync(`127.0.0.1:${port}`, secure, (error, at) => (error ? reject(error) : resolve(at))),
    )
    return { server, port: bound }
  }
  const { server, port } = await listen(0)
  const connection = clients.to(hostId, { address: `127.0.0.1:${port}`, certificateFingerprint: null })
  const call = () =>
    new Promise<void>((resolve, reject) => {
      connection.client.beginRenewal({}, (error: Error | null) => (error ? reject(error) : resolve()))
    })
  expect(await connection.ready(60_000)).toBe(true)
  const long = call()
  await expect.poll(() => seen.length).toBe(1)

  const now = Date.now()
  await clients.renewOwn(authority, new Date(now + 240 * day))
  expect(clients.ownCertificateEnds.getTime()).toBeLessThan(now + 366 * day)
  const ends = clients.ownCertificateEnds
  await clients.renewOwn(authority, new Date(now + 244 * day))
  const second = call()
  await expect.poll(() => seen.length).toBe(2)
  release()
  await Promise.all([long, second])
  held = Promise.resolve()
  expect(clients.ownCertificateEnds.getTime()).toBeGreaterThanOrEqual(ends.getTime())
  expect(seen[1]).toBe(seen[0])

  server.forceShutdown()
  const again = await listen(port)
  await expect
    .poll(
      () =>
        call().then(
          () => true,
          () => false,
        ),
      { timeout: 60_000 },
    )
    .toBe(true)
  expect(seen[2]).toMatch(/^01/)
  expect(seen[2]).not.toBe(seen[0])
  clients.close()
  again.server.forceShutdown()
})

interface Caller {
  sslPeerCertificate?: { serialNumber: string }
}
type Answer = (error: null, response: BeginRenewalResponse) => void
