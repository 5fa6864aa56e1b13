import { X509Certificate } from 'node:crypto'
import { beforeAll, expect, it } from 'vitest'
import { Authority, newAuthority } from '../../base/pki/authority.js'
import { hostKeys } from '../../testing/dialler.js'
import { hostOfCertificate } from './host-certificate.js'

const hostId = 'hst_aaaaaaaaaaaa'
const day = 86_400_000
let authority: Authority
let other: Authority
beforeAll(async () => {
  authority = await Authority.of(await newAuthority())
  other = await Authority.of(await newAuthority())
})

const proves = (pem: string, authorities = [authority.caPem], now = new Date()) =>
  hostOfCertificate(new X509Certificate(pem), authorities, now)

it('reads the host from a certificate of the authority, of one of two during a rotation', async () => {
  const { cert } = await hostKeys(authority, hostId)
  expect(proves(cert)).toBe(hostId)
  expect(proves(cert, [other.caPem, authority.caPem])).toBe(hostId)
})

it('refuses every other certificate', async () => {
  const { cert } = await hostKeys(authority, hostId)
  const ids = [
    'hst_aaaaaaaaaaaa.host.phonerack.internal, URI:spiffe://x',
    'hst_AAAAAAAAAAAA',
    'hst_a',
    '../../etc',
  ]
  const oddNames = await Promise.all(ids.map(async (id) => (await hostKeys(authority, id)).cert))
  const refused = {
    'another authority, the same name': (await hostKeys(other, hostId)).cert,
    'the control plane': (await authority.issueClient()).certificatePem,
    'a listener for tunnels': (await authority.issueTunnel()).certificatePem,
    'the broker': (await authority.issueBroker([`${hostId}.host.phonerack.internal`])).certificatePem,
    'the authority': authority.caPem,
    ...Object.fromEntries(oddNames.map((pem, at) => [`with the names of ${ids[at] ?? ''}`, pem])),
  }
  for (const [what, pem] of Object.entries(refused)) expect(proves(pem), what).toBeNull()
  expect(proves(cert, [])).toBeNull()
  expect(proves(cert, [authority.caPem], new Date(Date.now() + 366 * day))).toBeNull()
  expect(proves(cert, [authority.caPem], new Date(Date.now() - 2 * day))).toBeNull()
})
