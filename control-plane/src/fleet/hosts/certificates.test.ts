import { generateKeyPairSync, X509Certificate } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Authority, newAuthority } from '../../base/pki/authority.js'
import { adopted, expiryOf, issued, stepOf, usesNext, type Waiting } from './certificates.js'

const newKey = () =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .publicKey.export({ type: 'spki', format: 'pem' })
    .toString()
const fingerprintOf = (pem: string) => new X509Certificate(pem).fingerprint256

/** One step of a renewal, by the host or the control plane. Messages can be lost, late or repeated. */
const step = fc.oneof(
  fc.record({ kind: fc.constantFrom('begin', 'heartbeat', 'agent lost its key') }),
  fc.record({ kind: fc.constantFrom('prepare', 'finish'), at: fc.nat(5) }),
)

it('accepts the certificate of the host at each step of any interrupted or concurrent renewals', async () => {
  const authority = await Authority.of(await newAuthority())
  const certificate = (key: string) => authority.issueHost('hst_aaaaaaaaaaaa', key)
  const firstKey = newKey()
  const first = await certificate(firstKey)
  // Signing is slow, so the certificates are issued in advance.
  const pool = await Promise.all(
    Array.from({ length: 6 }, newKey).map(async (key) => ({ key, pem: await certificate(key) })),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), fc.boolean(), (steps, isPinned) => {
      let used = 0
      const host = { pem: first, waiting: null as string | null }
      let row = {
        certificateFingerprint: isPinned ? fingerprintOf(first) : null,
        certificateExpiresAt: new Date(0),
        nextCertificatePem: null as string | null,
        nextCertificateFingerprint: null as string | null,
      }
      /** Messages under way: answers to a begin, and certificates. */
      const answers: (Waiting & { pinned: string | null })[] = []
      const sent: string[] = []
      for (const each of steps) {
        const late = <T>(list: T[]): T | undefined => ('at' in each ? list[each.at % list.length] : undefined)
        const [answer, pem] = [late(answers), late(sent)]
        if (each.kind === 'begin') {
          if (host.waiting === null && used < pool.length) host.waiting = pool[used++]?.key ?? null
          const certificateFingerprint = fingerprintOf(host.pem)
          const publicKeyPem = host.waiting ?? firstKey
          answers.push({ certificateFingerprint, publicKeyPem, pinned: row.certificateFingerprint })
        } else if (each.kind === 'prepare' && answer && answer.pinned === row.certificateFingerprint) {
          const next = row.nextCertificatePem
          const todo = stepOf(next, answer)
          const fresh = pool.find(({ key }) => key === answer.publicKeyPem)?.pem ?? first
          if (todo === 'adopt' && next !== null) row = { ...row, ...adopted(next) }
          if (todo === 'issue') row = { ...row, ...issued(fresh) }
          if (todo !== 'adopt') sent.push(row.nextCertificatePem ?? '')
        } else if (each.kind === 'finish' && pem !== undefined) {
          const key = pool.find((known) => known.pem === pem)?.key
          if (key === host.waiting) Object.assign(host, { pem, waiting: null })
        } else if (each.kind === 'heartbeat' && usesNext(row, fingerprintOf(host.pem))) {
          row = { ...row, ...adopted(host.pem) }
        } else if (each.kind === 'agent lost its key') {
          host.waiting = null
        }
        const presented = fingerprintOf(host.pem)
        const isAccepted =
          row.certificateFingerprint === null ||
          [row.certificateFingerprint, row.nextCertificateFingerprint].includes(presented)
        expect(isAccepted, JSON.stringify(each)).toBe(true)
      }
    }),
    { numRuns: 100 },
  )
})

it('takes a year after the join as the expiry of a certificate from before it was stored', () => {
  const joinedAt = new Date('2026-01-01T00:00:00Z')
  expect(expiryOf({ joinedAt, certificateExpiresAt: null })).toEqual(new Date('2027-01-01T00:00:00Z'))
  const certificateExpiresAt = new Date('2026-06-01T00:00:00Z')
  expect(expiryOf({ joinedAt, certificateExpiresAt })).toEqual(certificateExpiresAt)
})
