import { createPublicKey, X509Certificate } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { authorityFingerprint, certificatesIn, createLogger } from '@phonerack/shared'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { loadIdentity, saveIdentity } from './identity.js'
import { runIdentity } from './renewal.js'
import { hostId, makeIdentity, serverName } from '../testing/agent.js'
import { createTestCa, type TestCa } from '../testing/pki.js'

const log = createLogger('test')
log.level = 'silent'
const names = { dns: serverName, uri: `spiffe://phonerack/host/${hostId}` }
let dir: string
let ca: TestCa
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'phonerack-renewal-'))
  ca = await createTestCa()
  saveIdentity(join(dir, 'identity.json'), await makeIdentity(ca))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

/** Starts from the disk, as after a stop of the agent. */
function start() {
  const identity = loadIdentity(join(dir, 'identity.json'))
  if (!identity) throw new Error('no identity')
  expect(isWhole(identity)).toBe(true)
  return runIdentity(dir, identity, log)
}
const isWhole = ({ certificatePem, privateKeyPem }: { certificatePem: string; privateKeyPem: string }) =>
  new X509Certificate(certificatePem).publicKey.equals(createPublicKey(privateKeyPem))

it('has a certificate with its key wherever the agent stops during a renewal, and completes it afterwards', async () => {
  const before = start()
  const { publicKeyPem, certificateFingerprint } = before.begin()
  const next = await ca.issueFor(publicKeyPem, names)
  // The agent stops after the beginning of the renewal.
  const again = start()
  expect(again.begin()).toEqual({ publicKeyPem, certificateFingerprint })
  const waiting = readFileSync(join(dir, 'identity-next.json'))
  const renewed: string[] = []
  again.onRenewed(({ certificatePem }) => renewed.push(certificatePem))
  again.finish(next)
  again.finish(next)
  expect(renewed).toEqual([next])
  expect(again.fingerprint).toBe(new X509Certificate(next).fingerprint256)
  expect(readdirSync(dir)).toEqual(['identity.json'])
  // The agent stops after it has replaced the certificate, before it deletes the waiting key.
  writeFileSync(join(dir, 'identity-next.json'), waiting)
  const after = start()
  expect(after.fingerprint).toBe(again.fingerprint)
  after.finish(next)
  const second = after.begin()
  expect(second).toMatchObject({ certificateFingerprint: again.fingerprint })
  expect(second.publicKeyPem).not.toBe(publicKeyPem)
  after.finish(await ca.issueFor(second.publicKeyPem, names))
  expect(start().fingerprint).not.toBe(again.fingerprint)
})

it('keeps its certificate when it gets a certificate that it cannot use', async () => {
  const running = start()
  const { publicKeyPem, certificateFingerprint } = running.begin()
  const other = await createTestCa()
  const leaf = await ca.issue(names, 'server')
  for (const [pem, message] of [
    [leaf.certificatePem, 'begin the renewal again'],
    [await other.issueFor(publicKeyPem, names), 'authority'],
    [await ca.issueFor(publicKeyPem, { ...names, uri: 'spiffe://phonerack/host/hst_other' }), 'another host'],
    ['nonsense', 'PEM'],
  ] as const)
    expect(() => running.finish(pem)).toThrow(message)
  expect(running.fingerprint).toBe(certificateFingerprint)
  expect(start().begin()).toEqual({ publicKeyPem, certificateFingerprint })
})

it('accepts certificates of both authorities while one replaces the other, and of the next authority afterwards', async () => {
  const running = start()
  const next = await createTestCa()
  const [earlierId, nextId] = [ca.caPem, next.caPem].map(authorityFingerprint)
  expect(running.trusted).toEqual({ issuer: earlierId, authorities: [earlierId] })
  const refused = running.begin()
  const early = await next.issueFor(refused.publicKeyPem, names)
  expect(() => running.finish(early)).toThrow('authority')

  const changes: number[] = []
  running.onRenewed(({ caPem }) => changes.push(certificatesIn(caPem).length))
  running.trust([ca.caPem, next.caPem])
  running.trust([ca.caPem, next.caPem])
  expect(changes).toEqual([2])
  const again = start()
  expect(again.trusted).toEqual({ issuer: earlierId, authorities: [earlierId, nextId] })
  // With this list, the host's own certificate would become useless.
  expect(() => again.trust([next.caPem])).toThrow('not issued by these authorities')
  again.finish(early)
  expect(again.trusted).toEqual({ issuer: nextId, authorities: [earlierId, nextId] })
  again.trust([next.caPem])
  const after = start()
  expect(after.trusted).toEqual({ issuer: nextId, authorities: [nextId] })
  const late = await ca.issueFor(after.begin().publicKeyPem, names)
  expect(() => after.finish(late)).toThrow('authority')
})

it('keeps its authorities when it gets a list that it cannot use', async () => {
  const running = start()
  const leaf = await ca.issue(names, 'server')
  const lists = [[], [ca.caPem, 'nonsense'], [ca.caPem, leaf.certificatePem], [ca.caPem + ca.caPem]]
  for (const list of [...lists, Array.from({ length: 5 }, () => ca.caPem)])
    expect(() => running.trust(list)).toThrow(/certificate/i)
  expect(start().trusted.authorities).toEqual([authorityFingerprint(ca.caPem)])
})
